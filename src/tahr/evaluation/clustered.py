"""The mean of tasks of which some belong together (questions on one passage, variants of one template), with an
interval that holds for few clusters too.

Every task counts alike; clusters are the independent draws. The variance is the bias-reduced clustered one (CR2) and
the interval's degrees of freedom are Satterthwaite's: Bell and McCaffrey, "Bias reduction in standard errors for linear
regression with multi-stage samples", Survey Methodology 28 (2002), with the working model of equally correlated tasks
within a cluster of Imbens and Kolesár, "Robust standard errors in small samples", Rev. Econ. Stat. 98 (2016), section
4. Where each task is its own cluster both are those of the usual t interval. Miller, "Adding Error Bars to Evals"
(arXiv 2411.00640), section 2.2, has the same variance without the corrections, which is too small for few clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tahr.core.errors import InputError

Numbers = NDArray[np.float64]

LEVEL = 0.95
_SAME = 1e-12  # values closer than this, relative to their size, are equal


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean:
    """A mean over tasks with its interval, and the p-value of its being zero.

    `freedom` are the interval's degrees of freedom, 0 for a single cluster, whose standard error is infinite.
    `design_effect` is the variance over that of as many independent tasks: 3 says that a third of the tasks, each a
    cluster of its own, would have told as much.

    Example: ``ClusteredMean(num_tasks=100, num_clusters=20, mean=0.42, standard_error=0.05, freedom=18.2, low=0.31,
    high=0.53, p=1e-7, design_effect=1.9)``
    """

    num_tasks: int
    num_clusters: int
    mean: float
    standard_error: float
    freedom: float
    low: float
    high: float
    p: float
    design_effect: float


def clustered_mean(
    values: Sequence[float],
    clusters: Sequence[str] = (),
    *,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    imagined: float = 0.0,
    level: float = LEVEL,
) -> ClusteredMean:
    """The mean of `values` (N,), one per task, with its interval, which stays inside `bounds`.

    `clusters` (N,) names each task's cluster; an empty name, and none at all, is a cluster of the task alone.
    `imagined` adds to the spread two imagined tasks that lie so far from the mean on either side (Agresti and Coull,
    Am. Stat. 52, 1998; Bonett and Price, "Adjusted Wald confidence interval for a difference of binomial proportions
    based on paired data", J. Educ. Behav. Stat. 37, 2012): what few rare values need; the mean itself stays, and the
    spread is never less than without them.

    Where all values are equal, the spread says nothing, and the interval reaches as far as if a share of
    ``1 - ((1 - level) / 2) ** (1 / clusters)`` of all tasks had one of the bounds (Clopper and Pearson, Biometrika 26,
    1934, at 0). Raises InputError without values, or where the lengths differ.
    """
    data = np.asarray(values, dtype=np.float64)
    sizes, sums = _per_cluster(data, clusters)
    n, mean = len(data), float(data.mean())
    residuals, squares = sums - mean * sizes, float(((data - mean) ** 2).sum())
    error, freedom = _error(sizes, residuals, squares, imagined)
    same = float(data.max() - data.min()) <= _SAME * max(1.0, abs(mean))
    if same and not imagined:
        low, high, p = _all_equal(mean, len(sizes), bounds, level)
    elif math.isinf(error):
        low, high, p = -math.inf, math.inf, 1.0
    else:
        half = t_quantile((1 + level) / 2, freedom) * error
        low, high, p = mean - half, mean + half, two_sided_p(mean, error, freedom)
    alone = squares / (n * (n - 1)) if n > 1 else 0.0
    return ClusteredMean(
        num_tasks=n,
        num_clusters=len(sizes),
        mean=mean,
        standard_error=error,
        freedom=freedom,
        low=min(mean, max(low, bounds[0])),
        high=max(mean, min(high, bounds[1])),
        p=p,
        design_effect=1.0 if same else _error(sizes, residuals, squares, 0.0)[0] ** 2 / alone,
    )


def two_sided_p(value: float, error: float, freedom: float) -> float:
    """The chance of a t statistic at least so far from zero, on either side, where the truth is zero."""
    from scipy.special import stdtr

    if error == 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * stdtr(freedom, -abs(value) / error))


def t_quantile(probability: float, freedom: float) -> float:
    """Student's quantile; `freedom` needn't be whole."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def _per_cluster(data: Numbers, clusters: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Tasks and their sum by cluster, (G,) each."""
    names = clusters or [""] * len(data)
    if not len(data) or len(names) != len(data):
        raise InputError(
            "a mean needs one value a task, and one cluster for each", received=f"{len(data)} and {len(names)}"
        )
    keys = [name or index for index, name in enumerate(names)]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    owners = np.array([places[key] for key in keys])
    return np.bincount(owners).astype(np.float64), np.bincount(owners, weights=data).astype(np.float64)


def _error(sizes: Numbers, residuals: Numbers, squares: float, imagined: float) -> tuple[float, float]:
    """CR2 standard error and degrees of freedom, from each cluster's size and sum of residuals, (G,) each."""
    n = float(sizes.sum())
    if len(sizes) == 1:
        return math.inf, 0.0
    factors = 1 / (1 - sizes / n)
    spread = float((factors * residuals**2).sum())
    error = max(math.sqrt(spread) / n, math.sqrt(spread + 2 * imagined**2) / (n + 2))
    freedom = _freedom(sizes, factors, _correlation(sizes, residuals, squares))
    return error, freedom


def _freedom(sizes: Numbers, factors: Numbers, correlation: float) -> float:
    """Satterthwaite's: ``trace(M)**2 / trace(M @ M)``, where the variance is a quadratic form in the data whose
    matrix, seen by clusters, is ``M = C (D - q a' - a q' + Q a a') C``.

    `q` are the variances of the clusters' sums in the working model (D their diagonal, Q their sum), `a` the clusters'
    shares of the tasks, and C the diagonal of the roots of `factors`. M is diagonal but for rank 2.
    """
    n = float(sizes.sum())
    q = sizes * (1 + (sizes - 1) * correlation)
    share, total, roots = sizes / n, float(q.sum()), np.sqrt(factors)
    diagonal = factors * q
    sides = np.stack([roots * q, roots * share], axis=1)
    middle = np.array([[0.0, -1.0], [-1.0, total]])
    inner = middle @ (sides.T @ sides)
    trace = diagonal.sum() + np.trace(inner)
    square = (diagonal**2).sum() + 2 * np.trace(middle @ (sides.T @ (diagonal[:, None] * sides)))
    return float(trace**2 / (square + np.trace(inner @ inner)))


def _correlation(sizes: Numbers, residuals: Numbers, squares: float) -> float:
    """How alike the tasks of a cluster are, 0 to 1: the intraclass correlation by analysis of variance.

    `squares` is the sum of the tasks' squared distances from the mean. Where no two tasks share a cluster, 0.
    """
    n, num_clusters = float(sizes.sum()), len(sizes)
    if num_clusters == n:
        return 0.0
    explained = float((residuals**2 / sizes).sum())
    between = explained / (num_clusters - 1)
    within = max(0.0, squares - explained) / (n - num_clusters)
    usual_size = (n - float((sizes**2).sum()) / n) / (num_clusters - 1)
    spread = between + (usual_size - 1) * within
    return min(1.0, max(0.0, (between - within) / spread)) if spread > 0 else 0.0


def _all_equal(mean: float, num_clusters: int, bounds: tuple[float, float], level: float) -> tuple[float, float, float]:
    """Interval and p-value where the spread is zero; the p-value is one less the level whose interval ends at zero."""
    other = 1 - ((1 - level) / 2) ** (1 / num_clusters)
    far = bounds[0] if mean > 0 else bounds[1]
    share = mean / (mean - far) if mean else 0.0
    p = min(1.0, 2 * (1 - share) ** num_clusters)
    return mean - other * (mean - bounds[0]), mean + other * (bounds[1] - mean), p
