"""Every algorithm learns: from answers of even length half the time to nearly always."""

from __future__ import annotations

import pytest

from small_recipes import write_recipe
from tahr.core.progress import SilentProgress
from tahr.losses.presets import PRESETS
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe

# the small recipe's RLVR alone, longer and judged by more attempts
LEARNING = [
    "seed=5",
    "stages=['rlvr']",
    "sft=",
    "rlvr.steps=40",
    "rlvr.groups_per_step=8",
    "rlvr.group_size=8",
    "rlvr.learning_rate=3e-3",
    "rlvr.checkpoint_every=1000",
    "rlvr.evaluate_every=0",
    "rlvr.schedule=",
    "eval.num_tasks=32",
    "eval.samples_per_task=4",
    "eval.temperature=1.0",
]

# algorithms whose steps are smaller by design, and what makes up for it
FASTER = {
    # an untrained model doesn't stop by itself: a penalty as large as the reward would teach it that alone
    "dapo": ["rlvr.advantage.overlong_penalty=0.2"],
    "gspo": ["rlvr.learning_rate=6e-3"],
    "high_entropy": ["rlvr.learning_rate=6e-3"],
    "ppo": ["rlvr.advantage.critic.learning_rate=3e-3"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_it_learns(name, tmp_path):
    loaded = load_recipe(write_recipe(tmp_path), [*LEARNING, f"rlvr.algorithm={name}", *FASTER.get(name, [])])
    run = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    before, after = (
        sum(row.score for row in evaluation.rows) / len(evaluation.rows) for evaluation in run.evaluations()
    )
    assert before < 0.65
    assert after > 0.9
