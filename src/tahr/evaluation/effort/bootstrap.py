"""Percentile intervals over resampled clusters, for statistics that are no means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tahr.core.seeding import derive_seed
from tahr.evaluation.resampling import LEVEL, Estimate, bears_interval

Numbers = NDArray[np.float64]

NUM_RESAMPLES = 1000
_MAX_CELLS = 4_000_000  # weights of one block of resamples, to bound the memory


def bootstrap(
    statistic: Callable[[Numbers], Numbers],
    clusters: Sequence[str],
    *,
    level: float = LEVEL,
    seed: int = 0,
    num_resamples: int = NUM_RESAMPLES,
) -> Estimate:
    """The statistic with its interval; whole clusters are drawn (Field and Welsh, J. R. Stat. Soc. B 69, 2007).

    `statistic` maps how often each of N items counts, (B, N), to its values (B,), nan where it isn't defined. With
    fewer than six clusters (at 95%) the interval is unknown: from minus to plus infinity.
    """
    value = float(statistic(np.ones((1, len(clusters))))[0])
    if np.isnan(value):
        return Estimate(value=None, low=None, high=None)
    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    if not bears_interval(len(places), level):
        return Estimate(value=value, low=-np.inf, high=np.inf)
    owners = np.array([places[name] for name in clusters])
    generator = np.random.default_rng(derive_seed(seed, "effort"))
    at_once = max(1, min(num_resamples, _MAX_CELLS // len(clusters)))
    chances = np.full(len(places), 1 / len(places))
    found: list[Numbers] = []
    for start in range(0, num_resamples, at_once):
        drawn = generator.multinomial(len(places), chances, size=min(at_once, num_resamples - start))
        found.append(statistic(drawn[:, owners].astype(np.float64)))
    values = np.concatenate(found)
    values = values[~np.isnan(values)]
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]) if values.size else (value, value)
    return Estimate(value=value, low=min(float(low), value), high=max(float(high), value))
