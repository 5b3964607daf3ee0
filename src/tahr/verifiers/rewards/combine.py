"""How parts' rewards become one, and what the whole can be worth: one rule for both, so that they can't disagree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, Literal

from pydantic import Field

from tahr.core.config import Config
from tahr.core.ranges import Interval, RewardRange, hull
from tahr.core.types import Outcome, Reward

Mode = Literal["sum", "product", "min", "gate", "first_failing"]
ABSENT = (Outcome.TIMEOUT, Outcome.ERROR)
"""Outcomes without a reward."""


class Part(Config):
    """One verifier of a combination."""

    verifier: str = Field(description="a configured or registered verifier, or package.module:Name")
    args: dict[str, Any] = Field(default_factory=dict, description="its arguments, where it is not configured")
    name: str | None = Field(default=None, min_length=1, description="name in the logs; the verifier's by default")
    weight: float = Field(default=1.0, description="times the part's reward; below 0 is a penalty, 0 only logs")
    answer: str | None = Field(default=None, description="the key of the task's answer that this part judges")
    needed: bool = Field(default=True, description="without this part's reward there is none at all")
    decides: bool = Field(default=True, description="the whole is correct only where this part is")
    partial: bool = Field(default=True, description="partial credit counts; else the part is worth 1 or 0")
    when: Literal["always", "correct", "wrong"] = Field(
        default="always", description="counts only where the whole is correct, or only where it is not"
    )

    @property
    def label(self) -> str:
        """The name of the part in logs."""
        return self.name or self.verifier

    def worth(self, outcome: Outcome, reward: Reward) -> float:
        """What the part adds: its weight times its reward, or times its correctness without partial credit."""
        return self.weight * (reward.value if self.partial else float(outcome is Outcome.PASS))

    def worth_between(self, outcome: Outcome, known: RewardRange) -> Interval:
        """The lowest and the highest that `worth` can be."""
        low, high = known.passing if outcome is Outcome.PASS else known.failing
        if not self.partial:
            low = high = float(outcome is Outcome.PASS)
        return min(self.weight * low, self.weight * high), max(self.weight * low, self.weight * high)


def is_correct(parts: Sequence[Part], outcomes: Sequence[Outcome]) -> bool:
    """Whether every part that decides passed, and none found cheating."""
    passed = all(out is Outcome.PASS for part, out in zip(parts, outcomes, strict=True) if part.decides)
    return passed and Outcome.CHEAT not in outcomes


def counted(parts: Sequence[Part], outcomes: Sequence[Outcome], mode: Mode) -> list[int] | None:
    """Indices of the parts whose rewards make the whole; None where no part has one that applies.

    A part without a reward is left out, and so is one that `when` rules out. A shut gate leaves none: the whole is 0.
    """
    correct = is_correct(parts, outcomes)
    ruled_out = "wrong" if correct else "correct"
    present = [i for i, part in enumerate(parts) if outcomes[i] not in ABSENT and part.when != ruled_out]
    if not present:
        return None
    if mode == "gate" and outcomes[0] is not Outcome.PASS:
        return []
    if mode == "first_failing":
        failing = (place for place, i in enumerate(present) if outcomes[i] is not Outcome.PASS)
        return present[: next(failing, len(present)) + 1]
    return present


def combine(values: Sequence[float], mode: Mode) -> float:
    """The counted parts' worths as one number; 0 where none counts.

    >>> combine([0.5, 2.0], "product"), combine([0.5, 2.0], "min"), combine([0.5, 2.0], "gate")
    (1.0, 0.5, 2.5)
    """
    if mode == "min":
        return min(values, default=0.0)
    return math.prod(values) if mode == "product" else math.fsum(values)


def combined_range(parts: Sequence[Part], ranges: Sequence[RewardRange], mode: Mode) -> RewardRange:
    """What the whole can be worth, over every way in which the parts can come out (at most 3 each)."""
    passing: list[Interval] = []
    failing: list[Interval] = []
    ways = [(Outcome.PASS, Outcome.FAIL) + (() if part.needed else (Outcome.ERROR,)) for part in parts]
    for outcomes in product(*ways):
        chosen = counted(parts, outcomes, mode)
        if chosen is not None:
            worths = [parts[i].worth_between(outcomes[i], ranges[i]) for i in chosen]
            (passing if is_correct(parts, outcomes) else failing).append(_combined(worths, mode))
    return RewardRange(passing=hull(passing), failing=hull(failing))


def _combined(worths: Sequence[Interval], mode: Mode) -> Interval:
    """As `combine`, of intervals. A product's factors may be below 0, so all its corners count."""
    if mode == "product":
        low = high = 1.0
        for factor in worths:
            corners = [end * other for end in (low, high) for other in factor]
            low, high = min(corners), max(corners)
        return low, high
    return combine([low for low, _ in worths], mode), combine([high for _, high in worths], mode)
