"""Whether confidence means what it says: of attempts that are 80% sure, are 80% right?

The Brier score needs no bins and neither does its decomposition here (Dimitriadis, Gneiting and Jordan, "Stable
reliability diagrams for probabilistic classifiers", PNAS 118, 2021): the monotone regression of correctness on
confidence says what each confidence is really worth. The expected calibration error (Naeini et al., AAAI 2015; Guo et
al., arXiv 1706.04599) depends on its bins, and is above 0 for a perfectly calibrated model too, since the few attempts
of a bin never come out at its rate. It is therefore shown beside what such a model would have (Bröcker and Smith,
"Increasing the reliability of reliability diagrams", Weather and Forecasting 22, 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tahr.core.errors import InputError
from tahr.core.seeding import derive_seed
from tahr.evaluation.effort.bootstrap import bootstrap
from tahr.evaluation.effort.confidence import Judged
from tahr.evaluation.paired import Score, side_score
from tahr.evaluation.resampling import LEVEL, Estimate

Numbers = NDArray[np.float64]

NUM_BINS = 10
NUM_SIMULATIONS = 1000
_CHUNK = 100  # simulations at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Attempts of similar confidence: their number, mean confidence, and share of right ones with its interval.

    `low` and `high` of `expected` bound that share where confidence means what it says.

    Example: ``Bin(num_attempts=50, confidence=0.81, correct=score, expected=(0.7, 0.92))``
    """

    num_attempts: int
    confidence: float
    correct: Score
    expected: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brier:
    """The mean squared distance of confidence from correctness: ``miscalibration - discrimination + uncertainty``.

    `miscalibration` would vanish if each confidence were replaced by the rate that it stands for, `discrimination` is
    what telling right from wrong attempts gains, `uncertainty` the score of who always says the mean rate.

    Example: ``Brier(score=0.19, low=0.16, high=0.22, miscalibration=0.03, discrimination=0.08, uncertainty=0.24)``
    """

    score: float
    low: float
    high: float
    miscalibration: float
    discrimination: float
    uncertainty: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What confidence of one origin is worth. `error` is the expected calibration error over `bins`; `error_if_true`
    the mean that it would have if every confidence were true, `p` how often it would then be at least as large.

    `ranking` is the chance that a right attempt is surer than a wrong one, a tie counting half (AUROC); its value is
    None where all attempts are right, or all wrong.

    Example: ``Calibration(num_attempts=400, num_clusters=100, confidence=0.8, accuracy=0.6, error=0.2,
    error_if_true=0.04, p=0.001, brier=brier, ranking=ranking, bins=(one, other))``
    """

    num_attempts: int
    num_clusters: int
    confidence: float
    accuracy: float
    error: float
    error_if_true: float
    p: float
    brier: Brier
    ranking: Estimate
    bins: tuple[Bin, ...]


def calibration(
    items: Sequence[Judged], *, num_bins: int = NUM_BINS, level: float = LEVEL, seed: int = 0
) -> Calibration:
    """Calibration of `items`, in bins of about equal numbers of attempts; equal confidences are never split.

    The attempts of a cluster are not independent. In the simulation of true confidences they fall out together as far
    as they can (one random number a cluster), so that what is called more than chance is more than that. Raises
    InputError without items.
    """
    if not items:
        raise InputError("calibration needs attempts with a confidence", received="none")
    items = sorted(items, key=lambda item: item.confidence)
    sure, right = (np.array([getattr(item, name) for item in items]) for name in ("confidence", "correct"))
    clusters = [item.cluster for item in items]
    edges = _edges(sure, num_bins)
    outcomes = _simulated(sure, clusters, seed)
    error = _error(right[None], sure, edges)[0]
    others = _error(outcomes, sure, edges)
    return Calibration(
        num_attempts=len(items),
        num_clusters=len(set(clusters)),
        confidence=float(sure.mean()),
        accuracy=float(right.mean()),
        error=float(error),
        error_if_true=float(others.mean()),
        # the observed one counts as one of the draws: a p-value of 0 can't be had from a simulation
        p=float((1 + (others >= error - 1e-12).sum()) / (1 + len(others))),
        brier=_brier(sure, right, clusters, level),
        ranking=ranking(items, level=level, seed=seed),
        bins=_bins(sure, right, clusters, edges, outcomes, level),
    )


def ranking(items: Sequence[Judged], *, level: float = LEVEL, seed: int = 0) -> Estimate:
    """The chance that a right attempt is surer than a wrong one, a tie counting half (AUROC), over clusters.

    >>> ranking([Judged(confidence=c, correct=r, cluster=str(c)) for c, r in ((0.9, 1), (0.5, 0), (0.2, 1))]).value
    0.5
    """
    items = sorted(items, key=lambda item: item.confidence)
    sure, right = (np.array([getattr(item, name) for item in items]) for name in ("confidence", "correct"))
    starts = np.flatnonzero(np.diff(sure, prepend=-1.0))

    def chance(counts: Numbers) -> Numbers:
        good, bad = (np.add.reduceat(counts * one, starts, axis=1) for one in (right, 1 - right))
        below = np.cumsum(bad, axis=1) - bad
        pairs = good.sum(axis=1) * bad.sum(axis=1)
        won = (good * (below + bad / 2)).sum(axis=1)
        return np.where(pairs > 0, won / np.where(pairs > 0, pairs, 1.0), np.nan)

    return bootstrap(chance, [item.cluster for item in items], level=level, seed=seed)


def _edges(sure: Numbers, num_bins: int) -> NDArray[np.int64]:
    """Where each bin of the sorted confidences begins."""
    wanted = sure[(np.arange(min(num_bins, len(sure))) * len(sure)) // min(num_bins, len(sure))]
    return np.unique(np.searchsorted(sure, wanted, side="left"))


def _error(outcomes: NDArray[Any], sure: Numbers, edges: NDArray[np.int64]) -> Numbers:
    """Expected calibration error of outcomes (B, N): the bins' gaps, weighted by attempts."""
    return np.abs(np.add.reduceat(outcomes - sure, edges, axis=1)).sum(axis=1) / len(sure)


def _simulated(sure: Numbers, clusters: Sequence[str], seed: int) -> NDArray[np.int8]:
    """Outcomes (B, N) of attempts whose confidences are true, one random number a cluster."""
    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    owners = np.array([places[name] for name in clusters])
    generator = np.random.default_rng(derive_seed(seed, "calibration"))
    blocks = [
        (generator.random((_CHUNK, len(places)))[:, owners] < sure).astype(np.int8)
        for _ in range(NUM_SIMULATIONS // _CHUNK)
    ]
    return np.concatenate(blocks)


def _brier(sure: Numbers, right: Numbers, clusters: Sequence[str], level: float) -> Brier:
    squares = (sure - right) ** 2
    found = side_score(squares.tolist(), clusters, len(squares), level=level)
    worth = ((_monotone(sure, right) - right) ** 2).mean()
    uncertainty = ((right.mean() - right) ** 2).mean()
    return Brier(
        score=found.mean,
        low=found.low,
        high=found.high,
        miscalibration=float(squares.mean() - worth),
        discrimination=float(uncertainty - worth),
        uncertainty=float(uncertainty),
    )


def _monotone(sure: Numbers, right: Numbers) -> Numbers:
    """The rate that each of the sorted confidences stands for: isotonic regression, equal confidences taken as one."""
    from scipy.optimize import isotonic_regression

    _, inverse, counts = np.unique(sure, return_inverse=True, return_counts=True)
    rates = np.bincount(inverse, weights=right) / counts
    return np.asarray(isotonic_regression(rates, weights=counts).x)[inverse]


def _bins(
    sure: Numbers,
    right: Numbers,
    clusters: Sequence[str],
    edges: NDArray[np.int64],
    outcomes: NDArray[Any],
    level: float,
) -> tuple[Bin, ...]:
    ends = [*edges[1:].tolist(), len(sure)]
    found: list[Bin] = []
    for start, end in zip(edges.tolist(), ends, strict=True):
        low, high = np.quantile(outcomes[:, start:end].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
        found.append(
            Bin(
                num_attempts=end - start,
                confidence=float(sure[start:end].mean()),
                correct=side_score(right[start:end].tolist(), clusters[start:end], end - start, level=level),
                expected=(float(low), float(high)),
            )
        )
    return tuple(found)
