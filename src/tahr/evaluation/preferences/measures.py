"""Accuracy, calibration and length bias of scores on contests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from tahr.evaluation.preferences.scored import ScoredContest
from tahr.evaluation.statistics import LEVEL, wilson_interval
from tahr.losses.reward_metrics import length_correlation, top_credit

NUM_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The share of contests won, a tie at the top shared, with Wilson's interval.

    Example: ``Accuracy(mean=0.71, low=0.63, high=0.78, num_contests=150, num_ties=2)``
    """

    mean: float
    low: float
    high: float
    num_contests: int
    num_ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Pairs whose preferred answer has a probability in one range: its mean, and how often it was the better answer.

    Example: ``Bin(low=0.7, high=0.75, num_pairs=31, confidence=0.72, right=0.68)``
    """

    low: float
    high: float
    num_pairs: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Whether sigmoid(difference of scores) is the probability that it says.

    `brier` is the mean of (1 - probability of the better answer)^2: 0.25 for one that knows nothing. `error` is the
    expected calibration error over `bins` of the preferred answer's probability, 0.5 to 1 (Guo et al. 2017).

    Example: ``Calibration(brier=0.2, error=0.04, bins=(one,), num_pairs=150)``
    """

    brier: float
    error: float
    bins: tuple[Bin, ...]
    num_pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthBias:
    """Accuracy over pairs where the better answer is the longer one and where it is the shorter one; None without any.

    `correlation` is of score and length, within contests; None where nothing varies.

    Example: ``LengthBias(when_longer=longer, when_shorter=shorter, correlation=0.31)``
    """

    when_longer: Accuracy | None
    when_shorter: Accuracy | None
    correlation: float | None


def accuracy(contests: Sequence[ScoredContest], *, level: float = LEVEL) -> Accuracy:
    """Of at least one contest; see `tahr.losses.reward_metrics.top_credit`."""
    return _share([top_credit(one.chosen, one.rejected) for one in contests], level)


def calibration(contests: Sequence[ScoredContest], *, num_bins: int = NUM_BINS) -> Calibration:
    """Over every pair of a better and a worse answer, at least one."""
    better = [_sigmoid(good - bad) for one in contests for good, bad, _ in one.pairs]
    # of the answer that the scores prefer: how sure they are, and whether they are right
    judged = [(max(p, 1 - p), 0.5 if p == 0.5 else float(p > 0.5)) for p in better]
    bins: list[Bin] = []
    for number in range(num_bins):
        low, high = 0.5 + number * 0.5 / num_bins, 0.5 + (number + 1) * 0.5 / num_bins
        inside = [one for one in judged if low <= one[0] < high or (one[0] == high == 1.0)]
        if inside:
            sure, right = fmean(one[0] for one in inside), fmean(one[1] for one in inside)
            bins.append(Bin(low=low, high=high, num_pairs=len(inside), confidence=sure, right=right))
    error = sum(one.num_pairs * abs(one.confidence - one.right) for one in bins) / len(judged)
    brier = fmean((1 - p) ** 2 for p in better)
    return Calibration(brier=brier, error=error, bins=tuple(bins), num_pairs=len(better))


def length_bias(contests: Sequence[ScoredContest], *, level: float = LEVEL) -> LengthBias:
    """Lengths are counted in tokens; pairs of equal length are on neither side."""
    pairs = [pair for one in contests for pair in one.pairs]
    longer = [top_credit([good], [bad]) for good, bad, more in pairs if more > 0]
    shorter = [top_credit([good], [bad]) for good, bad, more in pairs if more < 0]
    return LengthBias(
        when_longer=_share(longer, level) if longer else None,
        when_shorter=_share(shorter, level) if shorter else None,
        correlation=length_correlation([one.scores for one in contests], [one.lengths for one in contests]),
    )


def _share(credits: Sequence[float], level: float) -> Accuracy:
    mean = fmean(credits)
    low, high = wilson_interval(mean, len(credits), level=level)
    num_ties = sum(0 < credit < 1 for credit in credits)
    return Accuracy(mean=mean, low=low, high=high, num_contests=len(credits), num_ties=num_ties)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else 1 - 1 / (1 + math.exp(x))
