"""Intervals of statistics of sums, with whole clusters (prompts) as the independent draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tahr.core.seeding import derive_seed

Numbers = NDArray[np.float64]

LEVEL = 0.95
NUM_RESAMPLES = 4000
_MAX_DRAWS = 4_000_000  # of one block of resamples, to bound the memory
_EXACT = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with its interval; all three None where the statistic is not defined, the ends where nothing is known of
    them: few clusters show no spread.

    Example: ``Estimate(value=0.4, low=0.15, high=0.63)``
    """

    value: float | None
    low: float | None
    high: float | None


def bears_interval(num_clusters: int, level: float) -> bool:
    """Whether so many independent draws can bear an interval of a statistic that is no mean: one of n draws on either
    side of the truth is wrong as often as n coins all fall alike, ``2 ** (1 - n)``.

    >>> bears_interval(5, 0.95), bears_interval(6, 0.95)
    (False, True)
    """
    return 2.0 ** (1 - num_clusters) <= 1 - level


Disagreement = Callable[[Numbers], tuple[Numbers, Numbers]]
"""Sums (B, M) to the disagreement observed and the one expected by chance, (B,) each, both shares of 1."""


def beyond_chance(
    rows: Numbers, clusters: Sequence[str], disagreement: Disagreement, *, level: float = LEVEL, seed: int = 0
) -> Estimate:
    """``1 - observed / expected`` of the summed `rows` (N, M), and its percentile interval over resampled clusters.

    Rows of one cluster are kept together (the cluster bootstrap of Field and Welsh, J. R. Stat. Soc. B 69, 2007).
    Where all agree, no resample can differ, and the lower end is that of the share of clusters in which somebody might
    not: ``1 - ((1 - level) / 2) ** (1 / clusters)`` (Clopper and Pearson, Biometrika 26, 1934). So it is where all
    clusters are alike in another way: that share of them might agree, or disagree, altogether.
    """
    if not len(rows):
        return Estimate(value=None, low=None, high=None)
    sums = _per_cluster(rows, clusters)
    observed, expected = (float(one[0]) for one in disagreement(sums.sum(axis=0, keepdims=True)))
    if expected <= _EXACT:
        return Estimate(value=None, low=None, high=None)
    value = 1 - observed / expected
    other = 1 - ((1 - level) / 2) ** (1 / len(sums))
    if observed <= _EXACT:
        return Estimate(value=1.0, low=max(-1.0, 1 - other / expected), high=1.0)
    if not bears_interval(len(sums), level):
        return Estimate(value=value, low=None, high=None)
    found = _resampled(sums, disagreement, seed)
    if not found.size or np.ptp(found) <= _EXACT:
        low, high = 1 - (observed + other * (1 - observed)) / expected, 1 - observed * (1 - other) / expected
        return Estimate(value=value, low=max(-1.0, low), high=min(1.0, high))
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value=value, low=min(float(low), value), high=max(float(high), value))


def _per_cluster(rows: Numbers, clusters: Sequence[str]) -> Numbers:
    """Row sums by cluster, (C, M), in the order of first appearance."""
    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros((len(places), rows.shape[1]))
    np.add.at(sums, [places[name] for name in clusters], rows)
    return sums


def _resampled(sums: Numbers, disagreement: Disagreement, seed: int) -> Numbers:
    """The statistic of each resample in which it is defined."""
    generator = np.random.default_rng(derive_seed(seed, "agreement"))
    num_clusters = len(sums)
    at_once = max(1, min(NUM_RESAMPLES, _MAX_DRAWS // num_clusters))
    chances = np.full(num_clusters, 1 / num_clusters)
    found: list[Numbers] = []
    for start in range(0, NUM_RESAMPLES, at_once):
        weights = generator.multinomial(num_clusters, chances, size=min(at_once, NUM_RESAMPLES - start))
        observed, expected = disagreement(weights @ sums)
        defined = expected > _EXACT
        found.append(1 - observed[defined] / expected[defined])
    return np.concatenate(found)
