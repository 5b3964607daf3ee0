"""What both sides of `preference.py` are told to train."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJob:
    """One stage on pairs of answers as token ids, `batch_size` pairs a step, in order.

    `kind` is "dpo", or "sft" on the chosen answers. `precompute` is TRL's alone: whether it asks the reference once
    beforehand, as tahr always does, or in each step, as is its default.

    Example: ``PairJob(model="/tmp/m", kind="dpo", prompts=[[1, 2]], chosen=[[3]], rejected=[[4, 5]], batch_size=8,
    max_context=512, learning_rate=1e-6, threads=2, precompute=True)``
    """

    model: str
    kind: str
    prompts: list[list[int]]
    chosen: list[list[int]]
    rejected: list[list[int]]
    batch_size: int
    max_context: int
    learning_rate: float
    threads: int
    precompute: bool

    @property
    def steps(self) -> int:
        """Steps until the pairs have all been used."""
        return len(self.prompts) // self.batch_size

    @classmethod
    def read(cls, path: str) -> PairJob:
        """The job that the parent wrote to `path`."""
        return cls(**json.loads(Path(path).read_text(encoding="utf-8")))
