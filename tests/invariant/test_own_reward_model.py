"""Tasks that the run's own reward model judges: evaluated first where there is one, also in a run that goes on."""

from __future__ import annotations

import pytest

from small_recipes import CrashAfter, CrashError
from small_scores import write_scored_recipe
from tahr.core.progress import SilentProgress
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.report.gain import before_and_after
from tahr.store.run import Run

pytestmark = pytest.mark.slow  # every test trains


def evaluated(run: Run) -> list[tuple[str, str, int]]:
    assert all(row.score is not None for one in run.evaluations() for row in one.rows)
    return [(one.name, one.stage, one.step) for one in run.evaluations()]


WHOLE = [
    ("before", "rlvr", 0),
    ("step-000002", "rlvr", 2),
    ("after", "rlvr", 4),
    ("step-000004", "rlvr", 4),
]


@pytest.mark.parametrize("count", [2, 5, 7])  # in the reward model's stage, and before and after rlvr's checkpoint
def test_before_is_measured_once_there_is_something_to_measure_by(count, tmp_path):
    loaded = load_recipe(write_scored_recipe(tmp_path))
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=CrashAfter(count))
    run = run_recipe(loaded, runs_root=tmp_path, resume=tmp_path / "run", progress=SilentProgress())
    assert sorted(evaluated(run)) == sorted(WHOLE)
    pair = before_and_after(run.evaluations())
    assert pair is not None and [one.name for one in pair] == ["before", "after"]


def test_a_taken_over_reward_model_is_measured_by_as_well(tmp_path):
    path = write_scored_recipe(tmp_path)
    run_recipe(load_recipe(path), runs_root=tmp_path, folder=tmp_path / "one", progress=SilentProgress())
    for change in ("rlvr.learning_rate=2e-3", "eval.num_tasks=6"):  # other training, then another measure
        loaded = load_recipe(path, [change])
        run = run_recipe(loaded, runs_root=tmp_path, reuse=True, progress=SilentProgress())
        assert run.manifest.reused
        assert ("before", "rlvr", 0) in evaluated(run)


def test_a_run_that_ends_with_its_reward_model_is_measured_after_it(tmp_path):
    loaded = load_recipe(write_scored_recipe(tmp_path, stages='["reward_model"]'))
    run = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    assert evaluated(run) == [("after", "reward_model", 4)]
