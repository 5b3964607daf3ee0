"""A recipe that trains a reward model of some ten thousand parameters, and a policy by its scores, in seconds."""

from __future__ import annotations

import json
from pathlib import Path

from small_pairs import pair_rows
from small_recipes import SMALL

SCORED = """
[verifiers.scores]
verifier = "reward_model"
args = { model = "run", low = -3.0, high = 3.0 }

[reward_model]
steps = 4
batch_size = 8
learning_rate = 3e-3

[reward_model.pairs.words]
source = "PAIRS"
validation_percent = 20
"""


def write_scored_recipe(folder: Path, *, stages: str = '["reward_model", "rlvr"]') -> Path:
    """The recipe and its pairs in `folder`; without sft among `stages`, it has no such section either."""
    pairs = folder / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in pair_rows()), encoding="utf-8")
    text = SMALL.replace('["sft", "rlvr"]', stages).replace("small_recipes:EvenLength", "scores")
    if "sft" not in stages:
        start, end = text.index("[sft]"), text.index("[rlvr]")
        text = text[:start] + text[end:]
    if "rlvr" not in stages:
        start, end = text.index("[rlvr]"), text.index("[eval]")
        text = text[:start] + text[end:]
    path = folder / "small.toml"
    path.write_text(text + SCORED.replace("PAIRS", str(pairs)), encoding="utf-8")
    return path
