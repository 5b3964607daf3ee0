"""What a verifier's reward can be worth, so that a recipe's incentives are known before anything is trained."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from tahr.core.types import Outcome, Reward

Interval = tuple[float, float]
"""Lowest and highest value, both included."""

TOLERANCE = 1e-9
"""Relative rounding that a reward may lie beyond its range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardRange:
    """Lowest and highest reward of answers that pass and of those that fail, and what an answer that cheats is worth.

    Example: ``RewardRange(passing=(1.0, 1.0), failing=(0.0, 0.5))`` gives partial credit up to a half.
    """

    passing: Interval
    failing: Interval
    cheating: float = 0.0

    @property
    def low(self) -> float:
        """The lowest reward of all."""
        return min(self.passing[0], self.failing[0], self.cheating)

    @property
    def high(self) -> float:
        """The highest reward of all."""
        return max(self.passing[1], self.failing[1])

    def with_cheating(self, worth: float) -> RewardRange:
        """The same range in which cheating is worth `worth`, or the lowest reward where that is lower still."""
        return replace(self, cheating=min(worth, self.passing[0], self.failing[0]))

    def holds(self, outcome: Outcome, reward: Reward) -> bool:
        """Whether a verdict's reward lies inside, but for rounding. What cheating is worth is not the verifier's say.

        >>> BINARY.holds(Outcome.FAIL, Reward(value=1.0, parts={}))
        False
        """
        if outcome not in {Outcome.PASS, Outcome.FAIL}:
            return True
        low, high = self.passing if outcome is Outcome.PASS else self.failing
        slack = TOLERANCE * max(1.0, abs(low), abs(high))
        return low - slack <= reward.value <= high + slack


BINARY = RewardRange(passing=(1.0, 1.0), failing=(0.0, 0.0))
"""Right is worth 1, wrong is worth 0."""

PARTIAL = RewardRange(passing=(1.0, 1.0), failing=(0.0, 1.0))
"""Right is worth 1, wrong is worth 0 to 1."""


@runtime_checkable
class Ranged(Protocol):
    """A verifier that knows what it can give. The attribute is optional: without it the range is unknown."""

    @property
    def reward_range(self) -> RewardRange:
        """What its rewards lie in; a reward outside makes the verdict an error."""
        ...


def hull(intervals: Iterable[Interval]) -> Interval:
    """The smallest interval around all. Raises ValueError where there is none.

    >>> hull([(0.0, 1.0), (-1.0, 0.5)])
    (-1.0, 1.0)
    """
    listed = list(intervals)
    return min(low for low, _ in listed), max(high for _, high in listed)
