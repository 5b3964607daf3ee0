"""Counts of verdicts."""

from __future__ import annotations

import re
from collections import Counter

from tahr.core.types import Outcome

MAX_REASONS = 1000
"""Different reasons that are told apart; further ones are counted together."""

_PARTICULAR = re.compile(r"[0-9a-f]{16}|\d+|'[^']*'|\"[^\"]*\"")
"""What differs between two errors of one reason: ids, numbers and what is quoted."""


class Tally:
    """How many verdicts of each outcome, the mean reward of those that have one, and why the others have none."""

    def __init__(self) -> None:
        self._outcomes: Counter[Outcome] = Counter()
        self._sum = 0.0
        self._num_rewards = 0
        self._reasons: Counter[str] = Counter()
        self._first: dict[str, str] = {}  # the first note of each reason

    def add(self, outcome: str, value: float | None, note: str = "") -> None:
        """Count one verdict. Raises ValueError where there is no such outcome."""
        self._outcomes[Outcome(outcome)] += 1
        if value is not None:
            self._sum += value
            self._num_rewards += 1
            return
        reason = _PARTICULAR.sub("#", note)
        if reason not in self._first and len(self._first) >= MAX_REASONS:
            reason, note = "", "other reasons"
        self._first.setdefault(reason, note)
        self._reasons[reason] += 1

    def count(self, outcome: Outcome) -> int:
        """Verdicts of one outcome."""
        return self._outcomes[outcome]

    def reasons(self, most: int) -> list[tuple[str, int]]:
        """The commonest reasons for verdicts without a reward, in the words of the first of each, with their counts."""
        return [(self._first[reason], count) for reason, count in self._reasons.most_common(most)]

    @property
    def num_rows(self) -> int:
        """All verdicts."""
        return self._outcomes.total()

    @property
    def num_without_reward(self) -> int:
        """Verdicts that carry no reward: timeouts and errors."""
        return self.num_rows - self._num_rewards

    @property
    def only_reason(self) -> str | None:
        """Why no verdict at all has a reward, where that is one and the same reason; else None."""
        return self._first[next(iter(self._reasons))] if len(self._reasons) == 1 and not self._num_rewards else None

    @property
    def mean_reward(self) -> float | None:
        """Over the verdicts that have one; None without any."""
        return self._sum / self._num_rewards if self._num_rewards else None
