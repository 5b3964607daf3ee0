"""How a run tells whoever watches it what it is doing; the terminal view in `tahr.cli.progress` is one listener."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Progress(Protocol):
    """Listens to a run. Calls come in this order; none of them may raise or change the run.

    Example of one stage::

        progress.stage("rlvr", total_steps=12, first_step=1)
        progress.phase("sampling", total=64)  # 64 attempts
        progress.advance()  # one attempt scored
        progress.phase("training", total=5000)  # 5000 tokens
        progress.advance(400)
        progress.step(1, {"reward": 0.32, "sampled_tokens": 1900.0})
        progress.evaluation("step-000001", 0.41)
        progress.close()
    """

    def stage(self, name: str, *, total_steps: int, first_step: int = 1) -> None:
        """Stage `name` begins at `first_step` (above 1 after a resume) and ends after step `total_steps`."""
        ...

    def phase(self, name: str, *, total: int) -> None:
        """A part of a step begins (sampling, training, evaluating); `total` units of it are ahead."""
        ...

    def advance(self, count: int = 1) -> None:
        """`count` more units of the phase are done."""
        ...

    def step(self, step: int, metrics: Mapping[str, float]) -> None:
        """Step `step` (counted from 1) has ended with the metrics that the run logs."""
        ...

    def evaluation(self, name: str, score: float | None) -> None:
        """An evaluation has ended; `score` is its mean reward, None where no attempt could be scored."""
        ...

    def message(self, text: str) -> None:
        """One line for people, such as where a checkpoint was written."""
        ...

    def close(self) -> None:
        """Nothing more will come; the listener gives the terminal back."""
        ...


class SilentProgress:
    """Hears everything and says nothing: the listener of tests and of runs inside another program."""

    def stage(self, name: str, *, total_steps: int, first_step: int = 1) -> None:
        """Ignored."""

    def phase(self, name: str, *, total: int) -> None:
        """Ignored."""

    def advance(self, count: int = 1) -> None:
        """Ignored."""

    def step(self, step: int, metrics: Mapping[str, float]) -> None:
        """Ignored."""

    def evaluation(self, name: str, score: float | None) -> None:
        """Ignored."""

    def message(self, text: str) -> None:
        """Ignored."""

    def close(self) -> None:
        """Ignored."""
