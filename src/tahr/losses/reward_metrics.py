"""What scores of answers say, as plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import StatisticsError, correlation, fmean


def top_credit(chosen: Sequence[float], rejected: Sequence[float]) -> float:
    """1 where a chosen answer alone has the highest score, 0 where a rejected one has; a tie at the top is shared.

    So a pair's tie counts a half, and a chosen answer that ties with one of three rejected ones as well.

    >>> top_credit([2.0], [1.0, 0.0]), top_credit([2.0], [2.0]), top_credit([2.0], [2.0, 2.0, 1.0])
    (1.0, 0.5, 0.3333333333333333)
    """
    highest = max(*chosen, *rejected)
    right = sum(score == highest for score in chosen)
    return right / (right + sum(score == highest for score in rejected))


def length_correlation(scores: Sequence[Sequence[float]], lengths: Sequence[Sequence[int]]) -> float | None:
    """Pearson's correlation of score and length over answers, each less its mean over the answers to one prompt.

    So neither long prompts nor easy ones count, only whether the longer answer scores higher. None where all answers
    to each prompt have one length, or one score.

    >>> round(length_correlation([[1.0, 0.0], [0.0, 2.0]], [[10, 5], [5, 20]]), 4)
    0.9923
    """
    try:
        return correlation(_centred(scores), _centred(lengths))
    except StatisticsError:
        return None


def _centred(groups: Sequence[Sequence[float]]) -> list[float]:
    return [value - fmean(group) for group in groups for value in group]
