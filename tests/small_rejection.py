"""A recipe that samples, keeps and learns in seconds."""

from __future__ import annotations

from small_recipes import SMALL

REJECTION = (
    SMALL.replace('stages = ["sft", "rlvr"]', 'stages = ["rejection_sampling"]').split("[sft]")[0]
    + """
[rejection_sampling]
tasks = { reverse = 1.0 }
steps = 8
rounds = 2
tasks_per_round = 12
group_size = 4
sampling = { max_new_tokens = 40, temperature = 0.9, top_p = 0.95 }
batch_size = 6
learning_rate = 3e-3
checkpoint_every = 3
keep = { max_per_task = 2, prefer = "distinct" }

[engine]
max_batch_size = 4
"""
)


def write_rejection(folder, text=REJECTION):
    path = folder / "rejection.toml"
    path.write_text(text)
    return path
