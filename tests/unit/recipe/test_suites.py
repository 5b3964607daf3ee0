import json
import string
from pathlib import Path

import pytest

from small_recipes import write_recipe
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.data.splits import build_task_sets
from tahr.recipe.check import check
from tahr.recipe.decontamination import question_index
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.recipe.suite_guard import keep_out, suite_questions
from tahr.verifiers.build import VerifierSet, build_verifiers

PUBLISHED = "A farmer has twelve goats and buys thirty more goats at the market in the town"


def suite_file(folder: Path, **values: object) -> Path:
    """A suite of all one-digit sums that recipes draw too, and of one published question in a wording of its own."""
    questions = folder / "questions.jsonl"
    questions.write_text(json.dumps({"asked": PUBLISHED, "answer": "42"}) + "\n")
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    path = folder / "mine.toml"
    path.write_text(
        "\n".join(lines)
        + f"""
[tasks.sums]
source = "arithmetic"
args = {{ levels = [1] }}
num_tasks = 60

[tasks.goats]
source = "file"
args = {{ path = "{questions}", prompt = "asked", prompt_template = "Say how many. {{prompt}}", verifier = "numeric" }}

[sampling]
max_new_tokens = 4
"""
    )
    return path


ALPHABET = f"model.architecture.alphabet={json.dumps(string.ascii_letters + string.digits + ' .:?+')}"
SUMS = """
[tasks.sums]
source = "arithmetic"
args = { levels = [1] }
num_tasks = 100
"""


def recipe_with(folder: Path, suite: Path, *overrides: str, more: str = ""):
    path = write_recipe(folder)
    path.write_text(path.read_text() + SUMS + more)
    return load_recipe(path, [f'eval.suites=["{suite}"]', *overrides])


def sets_of(loaded):
    return build_task_sets(loaded.recipe.tasks, build_verifiers(loaded.recipe.verifiers))


def test_no_question_of_a_suite_is_left_to_train_on(tmp_path: Path) -> None:
    loaded = recipe_with(tmp_path, suite_file(tmp_path))
    asked = {one.asked for one in suite_questions(loaded.recipe.eval.suites)}
    before = sets_of(loaded)
    after = keep_out(loaded.recipe, before)
    assert any(task.prompt[0].content in asked for task in before["sums"].train)
    assert after["sums"].train
    assert not any(task.prompt[0].content in asked for task in after["sums"].train)
    assert after["sums"].num_moved == before["sums"].num_moved + len(before["sums"].train) - len(after["sums"].train)
    assert after["sums"].test == before["sums"].test


def test_a_recipe_may_refuse_instead(tmp_path: Path) -> None:
    loaded = recipe_with(tmp_path, suite_file(tmp_path), "eval.decontaminate.action=refuse")
    with pytest.raises(InputError, match=r"tasks\.sums: \d+ training tasks are questions of the suites"):
        keep_out(loaded.recipe, sets_of(loaded))


def test_a_published_question_is_found_in_other_words_around_it(tmp_path: Path) -> None:
    rows = [f"Think first. {PUBLISHED} . How many?", "How many goats are there in a town?"]
    training = tmp_path / "training.jsonl"
    training.write_text("\n".join(json.dumps({"prompt": row, "answer": "42"}) for row in rows))
    loaded = recipe_with(
        tmp_path,
        suite_file(tmp_path),
        more=f'[tasks.rows]\nsource = "file"\nargs.path = "{training}"\ntest_percent = 0\nvalidation_percent = 0\n',
    )
    (kept,) = keep_out(loaded.recipe, sets_of(loaded))["rows"].train
    assert kept.prompt[0].content == rows[1]


@pytest.mark.parametrize("sources", ['["chats","pairs"]', "[]"])
def test_chats_are_looked_through_whatever_the_settings(tmp_path: Path, sources: str) -> None:
    loaded = recipe_with(tmp_path, suite_file(tmp_path), f"eval.decontaminate.sources={sources}")
    index = question_index(loaded.recipe, sets_of(loaded), "chats")
    assert index is not None
    assert index.find(f"user: {PUBLISHED}\nassistant: 42")


def test_check_says_what_is_wrong_with_a_suite(tmp_path: Path) -> None:
    unknown = load_recipe(write_recipe(tmp_path), ['eval.suites=["ifevl"]'])
    with pytest.raises(InputError, match="did you mean 'ifeval'"):
        check(unknown.recipe)


def test_a_suite_without_a_dev_side_is_for_the_end(tmp_path: Path) -> None:
    loaded = recipe_with(tmp_path, suite_file(tmp_path, unseen_percent=100))
    with pytest.raises(InputError, match="sees its dev side alone"):
        check(loaded.recipe)


@pytest.mark.slow
def test_the_verifiers_of_a_suite_are_told_of_the_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[list[str], Path]] = []
    monkeypatch.setattr(
        VerifierSet, "enter_run", lambda self, folder: told.append((sorted(json.loads(self.settings)), folder))
    )
    suite = suite_file(tmp_path)
    suite.write_text(suite.read_text() + '[verifiers.near]\nverifier = "numeric"\nargs = { tolerance = 0.5 }\n')
    loaded = recipe_with(tmp_path, suite, "eval.num_tasks=3", "model.max_context=200", ALPHABET)
    run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    assert [one for one in told if "near" in one[0]] == [(["near"], tmp_path / "run")]


@pytest.mark.slow
def test_a_run_asks_the_dev_side_before_and_after(tmp_path: Path) -> None:
    loaded = recipe_with(tmp_path, suite_file(tmp_path), "eval.num_tasks=3", "model.max_context=200", ALPHABET)
    run = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    asked = {one.name: one for one in run.evaluations() if one.conditions is not None}
    assert list(asked) == ["before mine", "after-sft mine", "after mine"]
    before, _, after = asked.values()
    assert before.split == after.split == "dev"
    assert before.conditions.weights != after.conditions.weights
    assert before.conditions.suite == "mine"
    assert before.conditions.setting == "bare"
    assert [row.task_id for row in before.rows] == [row.task_id for row in after.rows]
    assert 3 <= len(before.rows) <= 4


def test_check_knows_what_the_model_can_be_asked(tmp_path: Path) -> None:
    letters = recipe_with(tmp_path, suite_file(tmp_path), "model.max_context=200")
    with pytest.raises(InputError, match="the text has characters that the model's vocabulary lacks"):
        check(letters.recipe)
    short = recipe_with(tmp_path, suite_file(tmp_path, unseen_percent=0), ALPHABET)  # 48 tokens, and 79 characters
    assert any("the longest question of" in warning for warning in check(short.recipe).warnings)
