"""Statistics of evaluations: means with intervals, and the difference of two evaluations paired by task.

The unit is the task: a task's score is the mean over its attempts, and tasks are the independent draws. This is the
paired, clustered analysis of Miller, "Adding Error Bars to Evals" (arXiv 2411.00640), sections 2.2 and 4.2: attempts
at one task are not independent, and pairing removes what makes tasks easy or hard.

A mean lies in the range of its values, and so do its intervals. Where all tasks agree, their spread says nothing about
how often one would not, and the interval is the exact one for that share (`mean_interval`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev
from typing import Literal

from tahr.core.errors import InputError
from tahr.core.seeding import derive_seed
from tahr.store.records import Evaluation, EvaluationRow

Method = Literal["t", "bootstrap"]

LEVEL = 0.95
POWER = 0.8
NUM_RESAMPLES = 10_000
_SAME = 1e-12  # values closer than this, relative to their size, are equal
_MAX_DRAWS = 2_000_000  # of one block of resamples, to bound the memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean over tasks with its interval. `num_excluded` counts attempts without a reward.

    With one task the standard error is unknown (infinite).

    Example: ``Mean(num_tasks=100, num_excluded=0, mean=0.42, standard_error=0.03, low=0.36, high=0.48)``
    """

    num_tasks: int
    num_excluded: int
    mean: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """After minus before, over the tasks that both evaluations scored.

    `domain` is empty for all tasks together; `part` is "reward" or a reward part. `low` and `high` bound the
    difference; `minimum_detectable` is the true difference that an evaluation of this size finds with 80% power.
    `num_unpaired` counts tasks that only one side scored, `num_excluded` attempts without a reward.

    Example: ``Difference(part="reward", domain="", num_tasks=100, num_unpaired=0, num_excluded=0, before=before,
    after=after, difference=0.21, standard_error=0.03, low=0.15, high=0.27, minimum_detectable=0.084)``
    """

    part: str
    domain: str
    num_tasks: int
    num_unpaired: int
    num_excluded: int
    before: Mean
    after: Mean
    difference: float
    standard_error: float
    low: float
    high: float
    minimum_detectable: float

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


def compare(
    before: Evaluation,
    after: Evaluation,
    *,
    part: str = "reward",
    level: float = LEVEL,
    method: Method = "t",
    seed: int = 0,
) -> list[Difference]:
    """The difference over all tasks, then one per domain by name.

    `part` is "reward" (what is trained on) or a named reward part such as "correct". `method` "t" is the t interval
    on the per-task differences; "bootstrap" resamples tasks (percentiles of 10,000 means, drawn from `seed`).
    Raises InputError where no task was scored in both evaluations.
    """
    scores_before, scores_after = task_scores(before, part), task_scores(after, part)
    domains = {row.task_id: row.domain for row in (*before.rows, *after.rows)}
    paired = [task for task in scores_before if task in scores_after]
    if not paired:
        raise InputError(
            f"the evaluations {before.name!r} and {after.name!r} have no task in common with a value of {part!r}",
            received=f"{len(scores_before)} and {len(scores_after)} scored tasks",
            instead="two evaluations of the same task sets and split, and a reward part that both have",
        )

    def one(domain: str) -> Difference:
        def inside(task: str) -> bool:
            return not domain or domains[task] == domain

        tasks = [task for task in paired if inside(task)]
        either = {task for task in (*scores_before, *scores_after) if inside(task)}
        rows = [row for row in (*before.rows, *after.rows) if inside(row.task_id)]
        differences = [scores_after[task] - scores_before[task] for task in tasks]
        bounds = _range([*scores_before.values(), *scores_after.values()])
        span = bounds[1] - bounds[0]
        interval = partial(mean_interval, level=level, method=method, seed=seed)
        spread = interval(differences, bounds=(-span, span))
        return Difference(
            part=part,
            domain=domain,
            num_tasks=len(tasks),
            num_unpaired=len(either) - len(tasks),
            num_excluded=sum(row.score is None for row in rows),
            before=interval([scores_before[task] for task in tasks], bounds=bounds),
            after=interval([scores_after[task] for task in tasks], bounds=bounds),
            difference=spread.mean,
            standard_error=spread.standard_error,
            low=spread.low,
            high=spread.high,
            minimum_detectable=minimum_detectable(spread.standard_error, level=level),
        )

    return [one(""), *(one(domain) for domain in sorted({domains[task] for task in paired}))]


def mean_score(
    evaluation: Evaluation,
    *,
    part: str = "reward",
    domain: str = "",
    level: float = LEVEL,
    method: Method = "t",
    seed: int = 0,
) -> Mean:
    """Mean over tasks of one evaluation (of one domain where given). Raises InputError where nothing was scored."""
    scores, num_excluded = _of_domain(evaluation, part, domain)
    return mean_interval(list(scores.values()), num_excluded=num_excluded, level=level, method=method, seed=seed)


def correct_rate(evaluation: Evaluation, *, domain: str = "", level: float = LEVEL) -> Mean:
    """The share of right answers with Wilson's score interval, which stays inside [0, 1] and works at 0 and 1.

    The number of trials is the number of tasks: exact for one attempt a task, and on the wide side for more, whose
    mean rate varies less. Source: Wilson, "Probable Inference", JASA 22 (1927). Raises InputError where no attempt
    has the part "correct".
    """
    scores, num_excluded = _of_domain(evaluation, "correct", domain)
    n, rate = len(scores), fmean(scores.values())
    error = stdev(scores.values()) / math.sqrt(n) if n > 1 else math.inf
    low, high = wilson_interval(rate, n, level=level)
    return Mean(num_tasks=n, num_excluded=num_excluded, mean=rate, standard_error=error, low=low, high=high)


def wilson_interval(rate: float, num_trials: float, *, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's score interval of a share `rate` of `num_trials` independent trials; all of [0, 1] without trials.

    Source: Wilson, "Probable Inference", JASA 22 (1927).
    """
    if num_trials == 0:
        return 0.0, 1.0
    n, z = num_trials, _normal_quantile((1 + level) / 2)
    middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(
    values: Sequence[float],
    *,
    bounds: tuple[float, float] | None = None,
    num_excluded: int = 0,
    level: float = LEVEL,
    method: Method = "t",
    seed: int = 0,
) -> Mean:
    """Mean of independent values, one per task, with its interval, which stays inside `bounds`.

    `bounds` are the least and the greatest value possible; without them, 0 and 1 or what `values` reach beyond.
    Where all values are equal, up to a share of ``1 - ((1 - level) / 2) ** (1 / n)`` of all tasks may have another one
    (Clopper and Pearson, Biometrika 26, 1934, at 0 of n): the interval reaches as far as if those all had a bound.
    """
    n, mean = len(values), fmean(values)
    lowest, highest = bounds or _range(values)
    error = stdev(values) / math.sqrt(n) if n > 1 else math.inf
    if max(values) - min(values) <= _SAME * max(1.0, abs(mean)):
        other = 1 - ((1 - level) / 2) ** (1 / n)
        low, high = mean - other * (mean - lowest), mean + other * (highest - mean)
    elif method == "t":
        low, high = _t_interval(mean, error, n, level)
    else:
        low, high = _bootstrap_interval(values, level, seed)
    low, high = min(mean, max(low, lowest)), max(mean, min(high, highest))
    return Mean(num_tasks=n, num_excluded=num_excluded, mean=mean, standard_error=error, low=low, high=high)


def minimum_detectable(standard_error: float, *, level: float = LEVEL, power: float = POWER) -> float:
    """The true difference found with probability `power` at this standard error (Miller, section 5)."""
    return (_normal_quantile((1 + level) / 2) + _normal_quantile(power)) * standard_error


def task_scores(evaluation: Evaluation, part: str = "reward") -> dict[str, float]:
    """Each task's mean over its scored attempts; tasks without one are absent."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for row in evaluation.rows:
        value = row_value(row, part)
        if value is not None:
            values[row.task_id].append(value)
    return {task: fmean(scores) for task, scores in values.items()}


def row_value(row: EvaluationRow, part: str) -> float | None:
    """An attempt's reward, or one part of it; None where it is absent."""
    if row.score is None:
        return None
    return row.score if part == "reward" else row.parts.get(part)


def part_names(evaluation: Evaluation) -> list[str]:
    """The reward parts that occur, "correct" first, the others by name."""
    names = {name for row in evaluation.rows if row.score is not None for name in row.parts}
    return sorted(names, key=lambda name: (name != "correct", name))


def _range(values: Iterable[float]) -> tuple[float, float]:
    """What rewards can reach, as far as is known: 0 to 1, and whatever was seen beyond."""
    seen = list(values)
    return min(0.0, *seen), max(1.0, *seen)


def _of_domain(evaluation: Evaluation, part: str, domain: str) -> tuple[Mapping[str, float], int]:
    """Task scores of one domain ("" for all), and how many attempts have none."""
    rows = tuple(row for row in evaluation.rows if not domain or row.domain == domain)
    scores = task_scores(
        Evaluation(
            name=evaluation.name, stage=evaluation.stage, step=evaluation.step, split=evaluation.split, rows=rows
        ),
        part,
    )
    if not scores:
        raise InputError(
            f"the evaluation {evaluation.name!r} has no value of {part!r}" + (f" in {domain!r}" if domain else ""),
            received=f"{len(rows)} attempts",
            instead=f"one of: {', '.join(['reward', *part_names(evaluation)])}",
        )
    return scores, sum(row.score is None for row in rows)


def _t_interval(mean: float, error: float, n: int, level: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    return mean - half, mean + half


def _bootstrap_interval(values: Sequence[float], level: float, seed: int) -> tuple[float, float]:
    import numpy as np

    generator = np.random.default_rng(derive_seed(seed, "bootstrap"))
    data = np.asarray(values, dtype=np.float64)
    at_once = max(1, _MAX_DRAWS // data.size)
    counts = [min(at_once, NUM_RESAMPLES - start) for start in range(0, NUM_RESAMPLES, at_once)]
    means = np.concatenate([generator.choice(data, size=(count, data.size)).mean(axis=1) for count in counts])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _normal_quantile(probability: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)
