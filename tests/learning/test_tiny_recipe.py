"""The tiny recipe as it stands: from nothing to a held-out reward above 0.9."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

from tahr.core.progress import SilentProgress
from tahr.evaluation.statistics import compare
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe

RECIPE = Path(__file__).parents[2] / "recipes" / "tiny.toml"


@pytest.mark.slow
def test_the_tiny_recipe_learns_to_reverse_words(tmp_path):
    run = run_recipe(load_recipe(RECIPE), runs_root=tmp_path, progress=SilentProgress())
    before, after = (next(e for e in run.evaluations() if e.name == name) for name in ("before", "after"))
    gain = compare(before, after)[0]
    assert gain.before.mean < 0.05
    assert gain.after.mean > 0.9
    assert gain.low > 0
    rewards = [row.metrics["reward"] for row in run.metrics() if row.stage == "rlvr"]
    assert fmean(rewards[-5:]) > 0.9
    # what was logged is what was kept
    from tahr.store.query import sql

    kept = sql(run.folder, "select step, avg(reward) from rollouts where stage = 'rlvr' group by step order by step")
    assert [value for _, value in kept.rows] == pytest.approx(rewards)
