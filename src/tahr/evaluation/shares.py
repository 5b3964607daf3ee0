"""Intervals of shares that hold for few tasks and near 0 and 1, where the usual interval is too short or empty.

Wilson's score interval and the Beta interval of Jeffreys cover at about their level from a handful of tasks on
(Brown, Cai and DasGupta, "Interval estimation for a binomial proportion", Stat. Sci. 16, 2001, sections 3 and 4).
Both take a number of trials that needn't be whole: tasks that belong together, or several attempts at a task, count as
the number of independent attempts that would vary as much (Korn and Graubard, "Confidence intervals for proportions
with small expected number of positive counts", Survey Methodology 24, 1998; compared by Dean and Pagano, J. Surv. Stat.
Methodol. 3, 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tahr.core.errors import InputError
from tahr.evaluation.clustered import LEVEL, clustered_mean, t_quantile
from tahr.evaluation.statistics import wilson_interval

Method = Literal["wilson", "jeffreys"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of right answers with its interval. `effective` is the number of independent attempts that it rests on.

    Example: ``Share(num_tasks=164, num_clusters=164, effective=164.0, mean=0.42, standard_error=0.039, low=0.35,
    high=0.5)``
    """

    num_tasks: int
    num_clusters: int
    effective: float
    mean: float
    standard_error: float
    low: float
    high: float


def share_interval(
    values: Sequence[float],
    clusters: Sequence[str] = (),
    *,
    num_attempts: int | None = None,
    method: Method = "wilson",
    level: float = LEVEL,
) -> Share:
    """The mean of `values` (N,), each task's share of right attempts, with an interval within 0 and 1.

    `clusters` (N,) names each task's cluster ("" for the task alone). `num_attempts` is the number of attempts at all
    tasks together, one each by default: as many as the interval can rest on. With one attempt at each of unrelated
    tasks the interval is Wilson's (or Jeffreys') own. Where all attempts are right, or all wrong, their spread is
    unknown, and clusters count as one attempt each. Raises InputError for values outside 0 and 1.
    """
    if any(not 0 <= value <= 1 for value in values):
        raise InputError("a share is of values within 0 and 1", received=f"{min(values):g} to {max(values):g}")
    found = clustered_mean(values, clusters, level=level)
    n, mean = found.num_tasks, found.mean
    effective: float = found.num_clusters
    if 0 < mean < 1 and found.freedom:
        # so many independent attempts would have this variance; n of them come out as n
        similar = mean * (1 - mean) / found.standard_error**2 * n / (n - 1) if found.standard_error else float("inf")
        shorter = t_quantile((1 + level) / 2, n - 1) / t_quantile((1 + level) / 2, found.freedom)
        effective = min(similar * shorter**2, float(num_attempts or n))
    low, high = (
        wilson_interval(mean, effective, level=level)
        if method == "wilson"
        else beta_interval(mean * effective, effective, level=level)
    )
    return Share(
        num_tasks=n,
        num_clusters=found.num_clusters,
        effective=effective,
        mean=mean,
        standard_error=found.standard_error,
        low=min(low, mean),
        high=max(high, mean),
    )


def beta_interval(
    num_right: float, num_trials: float, *, prior: tuple[float, float] = (0.5, 0.5), level: float = LEVEL
) -> tuple[float, float]:
    """The equal-tailed interval of the share, seen `num_right` of `num_trials` times, from a Beta prior.

    The default prior is Jeffreys'; (1, 1) is the uniform one. Where all or none are right the interval reaches 1 or 0
    (Brown, Cai and DasGupta, section 4.3). Raises InputError where `num_right` is not within 0 and `num_trials`, or the
    prior is not above 0.

    >>> [round(end, 4) for end in beta_interval(8, 10)]
    [0.4922, 0.9537]
    """
    from scipy.special import betaincinv

    if not 0 <= num_right <= num_trials or min(prior) <= 0:
        raise InputError(
            "a Beta interval needs right answers within the trials, and a prior above 0",
            received=f"{num_right:g} of {num_trials:g}, prior {prior}",
        )
    first, second = num_right + prior[0], num_trials - num_right + prior[1]
    low = 0.0 if num_right == 0 else float(betaincinv(first, second, (1 - level) / 2))
    high = 1.0 if num_right == num_trials else float(betaincinv(first, second, (1 + level) / 2))
    return low, high
