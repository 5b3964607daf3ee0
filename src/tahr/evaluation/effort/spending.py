"""What answers cost: tokens by how hard a question is, and how many are right within a budget of tokens.

A question's difficulty is the share of wrong attempts among its *other* attempts, so that an attempt's own luck, which
its length goes with, is not part of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from tahr.core.errors import InputError
from tahr.evaluation.clustered import ClusteredMean, clustered_mean
from tahr.evaluation.counting import sampled_tokens
from tahr.evaluation.effort.bootstrap import bootstrap
from tahr.evaluation.paired import Score, side_score
from tahr.evaluation.resampling import LEVEL, Estimate
from tahr.store.records import Evaluation, EvaluationRow

Numbers = NDArray[np.float64]

_CUT = "length"  # the finish reason of an attempt that ran out of tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Attempts at questions of one range of difficulty (the share of wrong ones among the others, from `low` to below
    `high`). `tokens_right` and `tokens_wrong` are means over the right and the wrong attempts, None where none are.

    Example: ``Level(low=0.0, high=0.25, num_attempts=120, num_tasks=40, accuracy=0.9, tokens=tokens,
    tokens_right=80.5, tokens_wrong=160.0, cut=0.01)``
    """

    low: float
    high: float
    num_attempts: int
    num_tasks: int
    accuracy: float
    tokens: ClusteredMean
    tokens_right: float | None
    tokens_wrong: float | None
    cut: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a budget of `limit` sampled tokens an attempt would have given. `tokens` are spent, on average.

    `finished` are right attempts that ended within it. `answered` are right ones whose answer stood by then: what
    somebody who stops at the answer's first standing could have had at best; None where that isn't known.

    Example: ``Budget(limit=128, tokens=97.1, finished=score, answered=other)``
    """

    limit: int
    tokens: float
    finished: Score
    answered: Score | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Tokens sampled and read (None: unknown) by an attempt, over tasks; `slope` is the rank correlation (Spearman) of
    a task's difficulty and its mean tokens, over tasks with two attempts. `cut` is the share that ran out of tokens.

    Example: ``Spending(tokens=tokens, prompt_tokens=41.0, tokens_right=90.0, tokens_wrong=150.0, cut=0.02,
    longer_when_wrong=difference, slope=slope, levels=(easy, hard), budgets=(one, other))``
    """

    tokens: ClusteredMean
    prompt_tokens: float | None
    tokens_right: float | None
    tokens_wrong: float | None
    cut: float
    longer_when_wrong: ClusteredMean | None
    slope: Estimate | None
    levels: tuple[Level, ...]
    budgets: tuple[Budget, ...]


def spending(
    evaluation: Evaluation, *, num_levels: int = 4, num_budgets: int = 8, level: float = LEVEL, seed: int = 0
) -> Spending:
    """What the attempts of an evaluation that were judged right or wrong cost.

    `longer_when_wrong` compares wrong and right attempts at one and the same task, where it has both: what is left
    once hard questions are not what makes them longer. Raises InputError where no attempt was right or wrong, and where
    nobody counted the tokens of one.
    """
    rows, most = judged_rows(evaluation), token_limit(evaluation)
    cuts = [float(row.finish_reason == _CUT) for row in rows]
    return Spending(
        tokens=task_mean(rows, [sampled_tokens(row) for row in rows], most=most, level=level),
        prompt_tokens=_prompt_tokens(rows),
        tokens_right=mean_tokens(rows, right=True),
        tokens_wrong=mean_tokens(rows, right=False),
        cut=fmean(cuts),
        longer_when_wrong=_longer_when_wrong(rows, level),
        slope=_slope(rows, level, seed),
        levels=_levels(rows, num_levels, most, level),
        budgets=tuple(_budget(rows, limit, level) for limit in budget_limits(rows, num_budgets)),
    )


def judged_rows(evaluation: Evaluation) -> list[EvaluationRow]:
    """The attempts that are right or wrong. Raises InputError where there are none."""
    rows = [row for row in evaluation.rows if row.score is not None and row.parts.get("correct") in (0.0, 1.0)]
    if not rows:
        raise InputError(
            f"the evaluation {evaluation.name!r} has no attempt that is right or wrong",
            received=f"{len(evaluation.rows)} attempts",
            instead="an evaluation whose verifier judges correctness",
        )
    return rows


def token_limit(evaluation: Evaluation) -> float:
    """The most tokens that an attempt could have: the limit, or more where attempts had more turns; infinite where the
    limit isn't known."""
    about = evaluation.conditions
    if about is None or not about.max_new_tokens:
        return math.inf
    return max(about.max_new_tokens, *(row.num_tokens or 0 for row in evaluation.rows))


def task_mean(
    rows: Sequence[EvaluationRow], values: Sequence[float], *, most: float = math.inf, level: float = LEVEL
) -> ClusteredMean:
    """The mean over tasks of their attempts' values (N,), which lie from 0 to `most`, clustered where rows say so."""
    by_task, clusters = _by_task(rows, values)
    return clustered_mean(list(by_task.values()), [clusters[task] for task in by_task], bounds=(0, most), level=level)


def mean_tokens(rows: Sequence[EvaluationRow], *, right: bool) -> float | None:
    """Mean sampled tokens of the right or the wrong attempts; None where there are none."""
    chosen = [sampled_tokens(row) for row in rows if (row.parts["correct"] == 1) == right]
    return fmean(chosen) if chosen else None


def _prompt_tokens(rows: Sequence[EvaluationRow]) -> float | None:
    known = [row.num_prompt_tokens for row in rows if row.num_prompt_tokens is not None]
    return fmean(known) if len(known) == len(rows) else None


def budget_limits(rows: Sequence[EvaluationRow], count: int) -> list[int]:
    """Up to `count` budgets, evenly apart in their logarithm, the last the longest attempt, the first what a tenth of
    the attempts keeps (or 1)."""
    lengths = sorted(sampled_tokens(row) for row in rows)
    last, first = max(1, lengths[-1]), max(1, lengths[len(lengths) // 10])
    steps = np.geomspace(first, last, count)
    return sorted({max(1, round(step)) for step in steps.tolist()} | {last})


def _budget(rows: Sequence[EvaluationRow], limit: int, level: float) -> Budget:
    def within(place: Callable[[EvaluationRow], int | None]) -> Score:
        by_task, clusters = _by_task(
            rows, [float(row.parts["correct"] == 1 and (place(row) or math.inf) <= limit) for row in rows]
        )
        return side_score(list(by_task.values()), [clusters[task] for task in by_task], len(rows), level=level)

    right = [row for row in rows if row.parts["correct"] == 1]
    known = bool(right) and all(row.num_tokens_to_answer is not None for row in right)
    return Budget(
        limit=limit,
        tokens=fmean(min(sampled_tokens(row), limit) for row in rows),
        finished=within(lambda row: row.num_tokens),
        answered=within(lambda row: row.num_tokens_to_answer) if known else None,
    )


def _levels(rows: Sequence[EvaluationRow], count: int, most: float, level: float) -> tuple[Level, ...]:
    members: defaultdict[int, list[EvaluationRow]] = defaultdict(list)
    for row, hardness in _difficulties(rows):
        members[min(count - 1, int(hardness * count + 1e-9))].append(row)
    return tuple(
        Level(
            low=place / count,
            high=(place + 1) / count,
            num_attempts=len(inside),
            num_tasks=len({row.task_id for row in inside}),
            accuracy=fmean(row.parts["correct"] for row in inside),
            tokens=task_mean(inside, [sampled_tokens(row) for row in inside], most=most, level=level),
            tokens_right=mean_tokens(inside, right=True),
            tokens_wrong=mean_tokens(inside, right=False),
            cut=fmean(float(row.finish_reason == _CUT) for row in inside),
        )
        for place, inside in sorted(members.items())
    )


def _difficulties(rows: Sequence[EvaluationRow]) -> list[tuple[EvaluationRow, float]]:
    """Each attempt with the share of wrong ones among the others at its task; tasks of one attempt have none."""
    by_task: defaultdict[str, list[EvaluationRow]] = defaultdict(list)
    for row in rows:
        by_task[row.task_id].append(row)
    wrong = {task: sum(1 - row.parts["correct"] for row in tried) for task, tried in by_task.items()}
    return [
        (row, (wrong[row.task_id] - (1 - row.parts["correct"])) / (len(by_task[row.task_id]) - 1))
        for row in rows
        if len(by_task[row.task_id]) > 1
    ]


def _longer_when_wrong(rows: Sequence[EvaluationRow], level: float) -> ClusteredMean | None:
    sides: defaultdict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for row in rows:
        sides[row.task_id][int(row.parts["correct"])].append(sampled_tokens(row))
    gaps = {task: fmean(wrong) - fmean(right) for task, (wrong, right) in sides.items() if wrong and right}
    clusters = {row.task_id: row.cluster for row in rows}
    return clustered_mean(list(gaps.values()), [clusters[task] for task in gaps], level=level) if gaps else None


def _slope(rows: Sequence[EvaluationRow], level: float, seed: int) -> Estimate | None:
    tried: defaultdict[str, list[EvaluationRow]] = defaultdict(list)
    for row in rows:
        tried[row.task_id].append(row)
    tasks = {task: attempts for task, attempts in tried.items() if len(attempts) > 1}
    if len(tasks) < 3:
        return None
    hard = _ranks([fmean(1 - row.parts["correct"] for row in attempts) for attempts in tasks.values()])
    long = _ranks([fmean(sampled_tokens(row) for row in attempts) for attempts in tasks.values()])

    def correlation(counts: Numbers) -> Numbers:
        weights = counts / counts.sum(axis=1, keepdims=True)
        one, other = (ranks - (weights @ ranks)[:, None] for ranks in (hard, long))
        spread = (weights * one**2).sum(axis=1) * (weights * other**2).sum(axis=1)
        shared = (weights * one * other).sum(axis=1)
        return np.where(spread > 1e-12, shared / np.sqrt(np.where(spread > 1e-12, spread, 1.0)), np.nan)

    found = bootstrap(
        correlation, [attempts[0].cluster or task for task, attempts in tasks.items()], level=level, seed=seed
    )
    return None if found.value is None else found


def _ranks(values: Sequence[float]) -> Numbers:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), dtype=np.float64)


def _by_task(rows: Sequence[EvaluationRow], values: Sequence[float]) -> tuple[dict[str, float], dict[str, str]]:
    """Each task's mean value, and its cluster."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for row, value in zip(rows, values, strict=True):
        found[row.task_id].append(value)
    return {task: fmean(inside) for task, inside in found.items()}, {row.task_id: row.cluster for row in rows}
