"""A recipe that builds its pairs from an untrained policy and learns from them, in seconds."""

from __future__ import annotations

from pathlib import Path

from small_pairs import SMALL_DPO

SMALL_BUILD = (
    SMALL_DPO.split("[dpo.pairs.words]")[0]
    + """
[dpo.build]
tasks = { reverse = 1.0 }
num_prompts = 12
samples_per_prompt = 4
sampling = { max_new_tokens = 12 }
max_concurrency = 2
validation_percent = 20

[engine]
max_batch_size = 8

[tasks.reverse]
source = "reverse_text"
num_tasks = 40
verifier = "small_recipes:EvenLength"
"""
)


def write_build_recipe(folder: Path, text: str = SMALL_BUILD) -> Path:
    """The recipe in `folder`."""
    path = folder / "build.toml"
    path.write_text(text, encoding="utf-8")
    return path
