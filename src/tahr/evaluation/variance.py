"""Where the variance of a mean comes from: which questions were asked, and how the attempts at them fell out.

With K attempts at each of n questions the variance of the mean is ``(question + sampling / K) / n``: more attempts
wear down the second part alone, more questions both. Source: Miller, "Adding Error Bars to Evals" (arXiv 2411.00640),
section 3.1; the parts are estimated by one-way analysis of variance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from tahr.core.errors import InputError
from tahr.evaluation.paired import attempts
from tahr.store.records import Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceParts:
    """The variance of a mean over `num_tasks` questions, in two parts.

    `question` is the variance of the questions' true scores (or differences), `sampling` that of the mean of a
    question's attempts, as they were made. `per_attempt` is the sampling variance that one attempt at each (on each
    side) would have. `num_attempts` is the fewest at any question.

    Example: ``VarianceParts(num_tasks=100, num_attempts=4, question=0.09, sampling=0.04, per_attempt=0.16)``
    """

    num_tasks: int
    num_attempts: int
    question: float
    sampling: float
    per_attempt: float

    @property
    def standard_error(self) -> float:
        """That of the mean as it was measured, tasks taken as independent."""
        return math.sqrt((self.question + self.sampling) / self.num_tasks)

    @property
    def sampling_share(self) -> float:
        """How much of the variance more attempts would take away, 0 to 1; 0 where nothing varies."""
        total = self.question + self.sampling
        return self.sampling / total if total else 0.0

    def standard_error_with(self, num_attempts: float) -> float:
        """That of the mean with so many attempts at each question; ``math.inf`` attempts leave the questions' part."""
        return math.sqrt((self.question + self.per_attempt / num_attempts) / self.num_tasks)

    def attempts_for(self, share: float = 0.1) -> int | None:
        """The fewest attempts at a question that bring sampling down to `share` of the variance; None where it never
        comes down to that, since the questions themselves do not differ."""
        if self.per_attempt == 0:
            return 1
        wanted = self.question * share / (1 - share)
        return math.ceil(self.per_attempt / wanted) if wanted else None


def variance_parts(evaluation: Evaluation, *, part: str = "correct") -> VarianceParts | None:
    """The parts of one mean's variance; None where no question has two attempts, or there is but one question.

    Raises InputError where nothing has a value of `part`.
    """
    values = attempts(evaluation, part)
    if not values:
        raise InputError(f"the evaluation {evaluation.name!r} has no value of {part!r}", instead="another part")
    return _parts([values], list(values))


def paired_variance_parts(first: Evaluation, second: Evaluation, *, part: str = "correct") -> VarianceParts | None:
    """The parts of the variance of a paired difference; None where a side has no question with two attempts.

    `question` is then how much the true difference varies from question to question.
    """
    sides = [attempts(first, part), attempts(second, part)]
    return _parts(sides, [task for task in sides[0] if task in sides[1]])


def _parts(sides: Sequence[Mapping[str, Sequence[float]]], tasks: Sequence[str]) -> VarianceParts | None:
    """Of the last side's mean less the first's (or the only side's mean), task by task."""
    if len(tasks) < 2:
        return None
    sampling = per_attempt = 0.0
    for side in sides:
        spreads = [variance(side[task]) for task in tasks if len(side[task]) > 1]
        if not spreads:
            return None
        usual = fmean(spreads)  # stands in where a question has one attempt
        per_attempt += usual
        sampling += fmean((variance(side[task]) if len(side[task]) > 1 else usual) / len(side[task]) for task in tasks)
    means = [fmean(sides[-1][task]) - (fmean(sides[0][task]) if len(sides) > 1 else 0.0) for task in tasks]
    return VarianceParts(
        num_tasks=len(tasks),
        num_attempts=min(len(side[task]) for side in sides for task in tasks),
        question=max(0.0, variance(means) - sampling),
        sampling=sampling,
        per_attempt=per_attempt,
    )
