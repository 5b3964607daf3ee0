"""Preference tuning of a model of some ten thousand parameters in seconds: the answer shall be the word in capitals."""

from __future__ import annotations

import json
import random
from pathlib import Path

from tahr.training.pairs import EncodedPair

SMALL_DPO = """
name = "small"
seed = 3
threads = 1
stages = ["dpo"]

[model]
source = "scratch"
max_context = 64

[model.architecture]
hidden_size = 32
num_layers = 2
num_heads = 4
num_kv_heads = 2
intermediate_size = 48

[dpo]
steps = 6
batch_size = 8
learning_rate = 1e-3
checkpoint_every = 2
micro_batch_tokens = 200
loss = { name = "dpo" }

[dpo.pairs.words]
source = "PAIRS"
validation_percent = 20
"""


def pair_rows(count: int = 120, seed: int = 0) -> list[dict[str, str]]:
    """Rows of prompts with two answers, the chosen one backwards and the rejected one forwards."""
    draw = random.Random(seed)
    words = sorted({"".join(draw.choice("abcdef") for _ in range(draw.randint(3, 6))) for _ in range(count)})
    return [{"prompt": f"say {word}", "chosen": word[::-1], "rejected": word + "x"} for word in words]


def write_dpo_recipe(folder: Path, rows: list[dict[str, str]] | None = None) -> Path:
    """The recipe and its pairs in `folder`."""
    pairs = folder / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows or pair_rows()), encoding="utf-8")
    path = folder / "small.toml"
    path.write_text(SMALL_DPO.replace("PAIRS", str(pairs)), encoding="utf-8")
    return path


def encoded_pairs(count: int = 7, seed: int = 0) -> list[EncodedPair]:
    """Ragged pairs of random ids below 96, two of which share each prompt."""
    draw = random.Random(seed)

    def ids(least: int, most: int) -> tuple[int, ...]:
        return tuple(draw.randrange(3, 96) for _ in range(draw.randint(least, most)))

    prompts = [ids(2, 9) for _ in range(-(-count // 2))]
    return [
        EncodedPair(id=str(number), prompt=prompts[number // 2], chosen=ids(1, 9), rejected=ids(1, 9))
        for number in range(count)
    ]
