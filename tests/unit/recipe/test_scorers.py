import logging
from pathlib import Path

import pytest

from small_scores import write_scored_recipe
from tahr.recipe.check import check
from tahr.recipe.load import load_recipe
from tahr.recipe.schema import StageName
from tahr.recipe.scorers import comes_too_early, own_scorers

LATE = "eval.tasks: the reward model of this run judges them, so that the first evaluation waits for it"


@pytest.mark.parametrize(
    ("stages", "said"),
    [('["reward_model", "rlvr"]', False), ('["sft", "reward_model", "rlvr"]', True), ('["reward_model"]', True)],
)
def test_the_check_says_what_an_evaluation_by_the_own_reward_model_will_not_show(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, stages: str, said: bool
) -> None:
    path = write_scored_recipe(tmp_path, stages=stages)
    if "sft" in stages:  # which has no gold answer of a reward model to learn
        path.write_text(path.read_text().replace('[sft]\ntasks = ["reverse"]', f"[sft]\n{chats(tmp_path)}"))
    with caplog.at_level(logging.WARNING):
        found = check(load_recipe(path).recipe)
    assert [warning.startswith(LATE) for warning in found.warnings].count(True) == said
    assert not caplog.records  # it is not asked for scores that it can't give yet


def chats(folder: Path) -> str:
    (folder / "chats.jsonl").write_text('{"prompt": "say", "completion": "so"}\n' * 4)
    return f'chats = {{ mine = {{ source = "{folder}/chats.jsonl" }} }}'


def test_tasks_with_another_verifier_are_evaluated_at_once(tmp_path: Path) -> None:
    path = write_scored_recipe(tmp_path, stages='["reward_model"]')
    path.write_text(path.read_text().replace('verifier = "scores"\n', 'verifier = "small_recipes:EvenLength"\n'))
    assert not [warning for warning in check(load_recipe(path).recipe).warnings if warning.startswith("eval.tasks")]


def test_a_combination_waits_for_its_parts(tmp_path: Path) -> None:
    path = write_scored_recipe(tmp_path)
    more = '[[verifiers.both.args.parts]]\nverifier = "scores"\nweight = 1.0\n'
    path.write_text(f'{path.read_text()}\n[verifiers.both]\nverifier = "weighted"\n{more}')
    assert own_scorers(load_recipe(path).recipe) == {"scores", "both"}


@pytest.mark.parametrize(("stage", "step", "early"), [("reward_model", 0, True), ("reward_model", 4, False)])
def test_there_is_no_reward_model_before_its_stage_ends(
    tmp_path: Path, stage: StageName, step: int, early: bool
) -> None:
    recipe = load_recipe(write_scored_recipe(tmp_path)).recipe
    assert comes_too_early(recipe, stage, step) is early
    assert comes_too_early(recipe, "rlvr", 0) is False
