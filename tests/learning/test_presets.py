"""Every algorithm learns: from answers of even length half the time to nearly always."""

from __future__ import annotations

import pytest

from small_recipes import write_recipe
from tahr.core.progress import SilentProgress
from tahr.losses.presets import PRESETS
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe

LEARNING = """
name = "learning"
seed = 5
threads = 1
stages = ["rlvr"]

[model]
source = "scratch"
max_context = 48

[model.architecture]
hidden_size = 32
num_layers = 2
num_heads = 4
num_kv_heads = 2
intermediate_size = 48

[tasks.reverse]
source = "reverse_text"
args = { min_length = 2, max_length = 3 }
num_tasks = 400
verifier = "small_recipes:EvenLength"

[rlvr]
tasks = { reverse = 1.0 }
steps = 40
groups_per_step = 8
group_size = 8
learning_rate = 3e-3
sampling = { max_new_tokens = 6 }
checkpoint_every = 1000

[eval]
tasks = ["reverse"]
num_tasks = 32
samples_per_task = 4
max_new_tokens = 6
temperature = 1.0
"""

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
    recipe = write_recipe(tmp_path, LEARNING)
    loaded = load_recipe(recipe, [f"rlvr.algorithm={name}", *FASTER.get(name, [])])
    run = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    before, after = (
        sum(row.score for row in evaluation.rows) / len(evaluation.rows) for evaluation in run.evaluations()
    )
    assert before < 0.65
    assert after > 0.9
