"""Counts of verdicts."""

from __future__ import annotations

from collections import Counter

from tahr.core.types import Outcome


class Tally:
    """How many verdicts of each outcome, and the mean reward of those that have one."""

    def __init__(self) -> None:
        self._outcomes: Counter[Outcome] = Counter()
        self._sum = 0.0
        self._num_rewards = 0

    def add(self, outcome: str, value: float | None) -> None:
        """Count one verdict. Raises ValueError where there is no such outcome."""
        self._outcomes[Outcome(outcome)] += 1
        if value is not None:
            self._sum += value
            self._num_rewards += 1

    def count(self, outcome: Outcome) -> int:
        """Verdicts of one outcome."""
        return self._outcomes[outcome]

    @property
    def num_rows(self) -> int:
        """All verdicts."""
        return self._outcomes.total()

    @property
    def num_without_reward(self) -> int:
        """Verdicts that carry no reward: timeouts and errors."""
        return self.num_rows - self._num_rewards

    @property
    def mean_reward(self) -> float | None:
        """Over the verdicts that have one; None without any."""
        return self._sum / self._num_rewards if self._num_rewards else None
