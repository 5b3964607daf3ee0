"""Two evaluations of the same questions: the difference, its interval and p-value, what it could have found, and how
many questions would settle it; with clusters where the tasks have them.

Each task's score is the mean over its attempts; its difference is one draw. Interval and test are those of
`tahr.evaluation.clustered`, and agree: p is below 0.05 where the 95% interval leaves zero out.

Where attempts are right or wrong, all that is known lies in the tasks that changed, often few of them, and the usual
interval is then too short: the spread is that of two tasks more, on which one side or the other got one attempt right
that the other didn't (Bonett and Price, J. Educ. Behav. Stat. 37, 2012, who have one attempt a task).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pvariance

from tahr.core.errors import InputError
from tahr.evaluation.clustered import LEVEL, ClusteredMean, clustered_mean, t_quantile
from tahr.evaluation.shares import share_interval
from tahr.evaluation.statistics import POWER, row_value
from tahr.store.records import Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One side's mean over tasks with its interval.

    Example: ``Score(mean=0.42, standard_error=0.05, low=0.33, high=0.52)``
    """

    mean: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """The second evaluation less the first, over the tasks that both scored.

    `part` is "reward" or a part of it, `domain` empty for all tasks. `minimum_detectable` is the true difference that
    so many such tasks find with 80% power. `num_to_settle` is how many such tasks would find a true difference of the
    observed size as often; None where nothing differs. `correlation` is that of the two sides over tasks (None where
    one doesn't vary): what pairing gains. `num_unpaired` counts tasks that only one side scored, `num_excluded`
    attempts without a value.

    Example: ``PairedDifference(part="correct", domain="", num_tasks=164, num_clusters=164, num_unpaired=0,
    num_excluded=0, first=first, second=second, difference=0.05, standard_error=0.02, freedom=163.0, low=0.01,
    high=0.09, p=0.013, minimum_detectable=0.056, num_to_settle=206, correlation=0.7, design_effect=1.0)``
    """

    part: str
    domain: str
    num_tasks: int
    num_clusters: int
    num_unpaired: int
    num_excluded: int
    first: Score
    second: Score
    difference: float
    standard_error: float
    freedom: float
    low: float
    high: float
    p: float
    minimum_detectable: float
    num_to_settle: int | None
    correlation: float | None
    design_effect: float

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


def paired_difference(
    first: Evaluation,
    second: Evaluation,
    *,
    part: str = "correct",
    domain: str = "",
    tasks: frozenset[str] | None = None,
    level: float = LEVEL,
) -> PairedDifference:
    """`second` less `first`, paired by task, over all tasks or those of one `domain`, or only those in `tasks` (ids).

    Raises InputError where no task has a value on both sides.
    """
    one, other = attempts(first, part), attempts(second, part)
    about = {row.task_id: row for row in (*first.rows, *second.rows)}
    inside = {
        name for name, row in about.items() if (not domain or row.domain == domain) and (tasks is None or name in tasks)
    }
    paired = [name for name in one if name in other and name in inside]
    if not paired:
        raise InputError(
            f"the evaluations {first.name!r} and {second.name!r} have no task in common with a value of {part!r}"
            + (f" in {domain!r}" if domain else ""),
            received=f"{len(one)} and {len(other)} scored tasks",
            instead="two evaluations of the same questions, and a part that both have",
        )
    clusters = [about[name].cluster for name in paired]
    sides = [[fmean(side[name]) for name in paired] for side in (one, other)]
    found = spread_of_differences(sides, clusters, step=_step((one, other), paired), level=level)
    least = least_detectable(found.standard_error, found.freedom, level=level)
    if least > 1 and all(0 <= value <= 1 for side in sides for value in side):
        least = math.inf  # no two shares differ by more than 1
    return PairedDifference(
        part=part,
        domain=domain,
        num_tasks=found.num_tasks,
        num_clusters=found.num_clusters,
        num_unpaired=sum((name in one) != (name in other) for name in inside),
        num_excluded=sum(row_value(row, part) is None for row in (*first.rows, *second.rows) if row.task_id in inside),
        first=side_score(sides[0], clusters, sum(len(one[name]) for name in paired), level=level),
        second=side_score(sides[1], clusters, sum(len(other[name]) for name in paired), level=level),
        difference=found.mean,
        standard_error=found.standard_error,
        freedom=found.freedom,
        low=found.low,
        high=found.high,
        p=found.p,
        minimum_detectable=least,
        num_to_settle=tasks_to_settle(found.mean, least, found.num_tasks),
        correlation=_correlation(*sides),
        design_effect=found.design_effect,
    )


def by_domain(
    first: Evaluation, second: Evaluation, *, part: str = "correct", level: float = LEVEL
) -> list[PairedDifference]:
    """The difference over all tasks, then one per domain by name where there are several. Raises InputError where no
    task has a value on both sides."""
    one, other = attempts(first, part), attempts(second, part)
    domains = sorted({row.domain for row in first.rows if row.task_id in one and row.task_id in other})
    several = domains if len(domains) > 1 else []
    return [paired_difference(first, second, part=part, domain=domain, level=level) for domain in ("", *several)]


def least_detectable(standard_error: float, freedom: float, *, level: float = LEVEL, power: float = POWER) -> float:
    """The true difference that is found with chance `power` at this standard error; infinite without one.

    Source: Miller (arXiv 2411.00640), section 5, with Student's quantiles in place of the normal ones.
    """
    if not freedom or math.isinf(standard_error) or standard_error == 0:
        return math.inf  # differences that are all alike tell nothing of their spread
    return (t_quantile((1 + level) / 2, freedom) + t_quantile(power, freedom)) * standard_error


def tasks_to_settle(difference: float, minimum_detectable: float, num_tasks: int) -> int | None:
    """How many tasks of the same kind find a true difference of this size as often as `num_tasks` find
    `minimum_detectable`; None where there is no difference, or nothing is known of its spread.

    The spread of a mean falls with the root of the tasks, clusters growing in number and not in size.
    """
    if not difference or math.isinf(minimum_detectable):
        return None
    return max(2, math.ceil(num_tasks * (minimum_detectable / difference) ** 2))


def side_score(values: Sequence[float], clusters: Sequence[str], num_attempts: int, *, level: float = LEVEL) -> Score:
    """A mean of task scores (N,): a share's interval where all lie within 0 and 1, a clustered t interval otherwise."""
    if all(0 <= value <= 1 for value in values):
        share = share_interval(values, clusters, num_attempts=num_attempts, level=level)
        return Score(mean=share.mean, standard_error=share.standard_error, low=share.low, high=share.high)
    mean = clustered_mean(values, clusters, bounds=_range(values), level=level)
    return Score(mean=mean.mean, standard_error=mean.standard_error, low=mean.low, high=mean.high)


def attempts(evaluation: Evaluation, part: str) -> Mapping[str, Sequence[float]]:
    """Each task's values of `part`, attempt by attempt; tasks without one are absent."""
    found: dict[str, list[float]] = {}
    for row in evaluation.rows:
        value = row_value(row, part)
        if value is not None:
            found.setdefault(row.task_id, []).append(value)
    return found


def spread_of_differences(
    sides: Sequence[Sequence[float]], clusters: Sequence[str], *, step: float = 0.0, level: float = LEVEL
) -> ClusteredMean:
    """The mean of the second of `sides` (N,) less the first, whose scores one attempt moves by `step`: how far from the
    mean two imagined tasks lie that enter the spread. 0 where attempts are worth more than right or wrong."""
    differences = [after - before for before, after in zip(*sides, strict=True)]
    low, high = _range([value for side in sides for value in side])
    span = high - low
    imagined = step if len(set(differences)) > 1 else 0.0
    return clustered_mean(differences, clusters, bounds=(-span, span), imagined=imagined, level=level)


def _step(attempted: Sequence[Mapping[str, Sequence[float]]], tasks: Sequence[str]) -> float:
    """How far one attempt moves a task's score, at most; 0 where attempts are worth other than 0 or 1."""
    values = [side[task] for side in attempted for task in tasks]
    binary = all(value in (0, 1) for many in values for value in many)
    return 1 / min(map(len, values)) if binary else 0.0


def _range(values: Sequence[float]) -> tuple[float, float]:
    """What scores can reach, as far as is known: 0 to 1, and whatever was seen beyond."""
    return min(0.0, *values), max(1.0, *values)


def _correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    spread = math.sqrt(pvariance(one) * pvariance(other))
    if spread == 0:
        return None
    means = fmean(one), fmean(other)
    return fmean((a - means[0]) * (b - means[1]) for a, b in zip(one, other, strict=True)) / spread
