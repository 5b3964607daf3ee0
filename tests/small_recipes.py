"""A recipe that trains a model of some ten thousand parameters in seconds."""

from __future__ import annotations

from pathlib import Path

from tahr.core.progress import SilentProgress
from tahr.core.types import failed, passed


class EvenLength:
    """A verifier from outside tahr that an untrained model passes half the time: the answer's length is even."""

    def check_task(self, task):
        pass

    def verify(self, task, text):
        return passed(text) if text and len(text) % 2 == 0 else failed(text)

    def gold(self, task):
        return "ab"


class CrashError(Exception):
    pass


class CrashAfter(SilentProgress):
    """Raises when step number `count` of the whole run has been logged."""

    def __init__(self, count):
        self.left = count

    def step(self, step, metrics):
        self.left -= 1
        if self.left == 0:
            raise CrashError


SMALL = """
name = "small"
seed = 3
threads = 1
stages = ["sft", "rlvr"]

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

[sft]
tasks = ["reverse"]
steps = 6
batch_size = 16
learning_rate = 3e-3
checkpoint_every = 2

[rlvr]
tasks = { reverse = 1.0 }
steps = 4
groups_per_step = 4
group_size = 4
learning_rate = 1e-3
sampling = { max_new_tokens = 6 }
checkpoint_every = 2
evaluate_every = 2
schedule = { updates_per_step = 2, max_resampled_groups = 2 }

[eval]
tasks = ["reverse"]
num_tasks = 8
max_new_tokens = 6
"""


def write_recipe(folder: Path) -> Path:
    path = folder / "small.toml"
    path.write_text(SMALL)
    return path
