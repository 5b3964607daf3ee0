import json
from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.recipe.evaluate import write_scores
from tahr.recipe.evaluation_plan import Wishes, plan_evaluation
from tahr.store.records import Evaluation, EvaluationRow

RECIPES = Path(__file__).parents[3] / "recipes"


def test_a_task_source_is_split_as_a_recipe_would_split_it():
    plan = plan_evaluation("smollm2-135m", "arithmetic", (), Wishes())
    assert plan.eval.tasks == ("arithmetic",)
    assert (plan.eval.num_tasks, plan.eval.samples_per_task, plan.eval.temperature) == (100, 1, 0.0)
    assert (plan.tasks["arithmetic"].test_percent, plan.eval.split) == (10, "test")
    assert (
        plan_evaluation("smollm2-135m", "arithmetic", (), Wishes(num_tasks=500)).tasks["arithmetic"].num_tasks == 6000
    )


def test_wishes_go_before_the_recipe_and_overrides_before_wishes():
    wishes = Wishes(num_tasks=7, samples_per_task=2, seed=5, max_new_tokens=9, temperature=0.5, verifier="exact")
    plan = plan_evaluation("smollm2-135m", str(RECIPES / "quickstart.toml"), ["eval.num_tasks=8"], wishes)
    assert plan.eval.num_tasks == 8
    assert (plan.eval.samples_per_task, plan.eval.max_new_tokens, plan.eval.temperature) == (2, 9, 0.5)
    assert plan.seed == 5
    assert plan.tasks["constraints"].verifier == "exact"
    kept = plan_evaluation("smollm2-135m", str(RECIPES / "quickstart.toml"), (), Wishes())
    assert (kept.eval.num_tasks, kept.eval.samples_per_task, kept.seed, kept.model.max_context) == (100, 4, 17, 256)


def test_several_samples_are_drawn_and_not_greedy():
    assert plan_evaluation("smollm2-135m", "sort", (), Wishes(samples_per_task=4)).eval.temperature == 1.0


def test_another_model_is_not_made_from_scratch():
    plan = plan_evaluation("smollm2-135m", str(RECIPES / "tiny.toml"), (), Wishes())
    assert (plan.model.source, plan.model.architecture, plan.model.max_context) == ("smollm2-135m", None, 64)
    scratch = plan_evaluation("scratch", str(RECIPES / "tiny.toml"), (), Wishes())
    assert scratch.model.architecture is not None


def test_a_recipe_without_evaluation_is_refused(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text('name = "x"\n')
    with pytest.raises(InputError, match=r"has no \[eval\] section"):
        plan_evaluation("smollm2-135m", str(path), (), Wishes())


def test_scores_and_attempts_are_written(tmp_path):
    row = EvaluationRow(
        task_id="t", domain="sums", index=0, prompt="1 + 1?", answer="2", text="2", score=1.0, parts={"correct": 1.0},
        outcome="pass", note="", num_tokens=1, finish_reason="stop",
    )  # fmt: skip
    evaluation = Evaluation(name="m", stage="eval", step=0, split="test", rows=(row,))
    plan = plan_evaluation("smollm2-135m", "arithmetic", (), Wishes())
    write_scores(tmp_path / "scores.json", plan, evaluation)
    written = json.loads((tmp_path / "scores.json").read_text())
    first = written["scores"][0]
    # one task has no spread: its standard error is open, which JSON has no number for
    assert (first["part"], first["mean"], first["standard_error"]) == ("reward", 1.0, None)
    assert written["attempts"][0]["text"] == "2"
    assert written["model"]["source"] == "smollm2-135m"
