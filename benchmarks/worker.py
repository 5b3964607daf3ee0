"""The worker's end of a side-by-side benchmark: answers commands that arrive on stdin, one JSON line each.

    hello     the side is ready -> {}
    step      train one step -> {"seconds", "tokens", "reward"}
    evaluate  held-out reward of the weights as they are -> {"seconds", "reward"}
    stop      end -> {"peak_bytes"}

Commands are obeyed between steps only, so two workers that are told "step" in turn never run at the same time.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What both sides are told to train: the same weights, tasks and hyper-parameters.

    `tasks` (`groups` a step, in order) and `held_out` are dicts with ``prompt`` (chat messages), ``answer``,
    ``verifier``, ``meta``. With `fixed_length` every completion has exactly `max_new_tokens` tokens: the end-of-turn
    token doesn't stop it. `micro_batch` is TRL's alone: completions in one of its passes. `max_resampled_groups` is
    tahr's alone: how many groups that teach nothing it may replace in a step.

    Example: ``Job(model="/tmp/m", tasks=[...], held_out=[...], groups=8, group_size=8, max_new_tokens=64,
    max_context=256, fixed_length=True, max_resampled_groups=0, learning_rate=3e-5, seed=0, threads=2,
    micro_batch=16)``
    """

    model: str
    tasks: list[dict[str, Any]]
    held_out: list[dict[str, Any]]
    groups: int
    group_size: int
    max_new_tokens: int
    max_context: int
    fixed_length: bool
    max_resampled_groups: int
    learning_rate: float
    seed: int
    threads: int
    micro_batch: int

    @property
    def steps(self) -> int:
        """Steps until the tasks have all been used."""
        return len(self.tasks) // self.groups

    @classmethod
    def read(cls, path: str) -> Job:
        """The job that the parent wrote to `path`."""
        return cls(**json.loads(Path(path).read_text(encoding="utf-8")))


class Channel:
    """Commands in, answers out. Whatever else the process prints goes to stderr, so that answers stay clean."""

    def __init__(self) -> None:
        self._answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)

    def next_command(self) -> str:
        """Wait for the next command; "stop" where the parent is gone."""
        return sys.stdin.readline().strip() or "stop"

    def answer(self, **values: float) -> None:
        """Send one answer."""
        self._answers.write(json.dumps(values) + "\n")
        self._answers.flush()

    def leave(self) -> NoReturn:
        """Answer with the peak of memory and end the process at once, whatever library is in the middle of a loop."""
        self.answer(peak_bytes=peak_bytes())
        os._exit(0)


def peak_bytes() -> int:
    """Most memory that this process has held at once (resident set, bytes), as Linux counts it since the start."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
