"""Curves: accuracy against the tokens that it took, with intervals over questions, and its slope."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np

from tahr.core.errors import InputError
from tahr.evaluation.clustered import ClusteredMean, clustered_mean
from tahr.evaluation.scaling.rules import Rule
from tahr.evaluation.scaling.samples import Question

SHARE_OF_SAMPLES = 4
"""A curve ends at the n-th part of the samples: beyond, subsets overlap so much that one draw of n decides it."""

Knob = Literal["attempts", "rounds of revision", "thinking tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One setting of the knob.

    `tokens` is the mean over questions of all tokens that models wrote or read for one answer, those of a selector
    included; what attempts share is read once. `values` (Q,) is each question's expected accuracy, `truncated` the
    share of chosen answers that were cut off.

    Example: ``Point(knob=4, tokens=310.0, values=(1.0, 0.25), mean=mean, truncated=0.1)``
    """

    knob: int
    tokens: float
    values: tuple[float, ...]
    mean: ClusteredMean
    truncated: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Points of one knob turned, all else equal.

    `slope` is what a doubling of the tokens adds, over all points, with the interval over questions; None for a
    single point and for what is flat by construction. `ceilings` (Q,) is where each question ends with attempts
    without end, as far as these show; empty for other knobs than attempts.

    Example: ``Curve(name="majority", knob="attempts", is_bound=False, points=(point,), slope=None,
    ceilings=(1.0, 0.0))``
    """

    name: str
    knob: Knob
    is_bound: bool
    points: tuple[Point, ...]
    slope: ClusteredMean | None
    ceilings: tuple[float, ...] = ()


def knob_values(num_samples: int) -> list[int]:
    """1, 2, 4, ... up to a quarter of the samples. Raises InputError below 4 samples, which give no curve."""
    most = num_samples // SHARE_OF_SAMPLES
    if most < 1:
        raise InputError(
            "a curve ends at a quarter of its samples", received=f"{num_samples} samples", instead="at least 8"
        )
    return [2**power for power in range(most.bit_length())]


def rule_curve(rule: Rule, questions: Sequence[Question], ks: Sequence[int]) -> Curve:
    """The curve of a rule over all questions: at each k the mean over subsets of k of every question's attempts."""
    clusters = [question.cluster for question in questions]
    correct = [[attempt.correct for attempt in question.attempts] for question in questions]
    cut = [[float(attempt.is_truncated) for attempt in question.attempts] for question in questions]
    points = [
        make_point(
            k,
            [_price(question, rule.selector, k) for question in questions],
            [rule.at(question, values, k) for question, values in zip(questions, correct, strict=True)],
            _share_cut(rule, questions, cut, k),
            clusters,
        )
        for k in ks
    ]
    ceilings = tuple(rule.limit(question, values) for question, values in zip(questions, correct, strict=True))
    slope = None if rule.name == "random verifier" else slope_of(points, clusters)
    return Curve(
        name=rule.name, knob="attempts", is_bound=rule.is_bound, points=tuple(points), slope=slope, ceilings=ceilings
    )


def make_point(
    knob: int, tokens: Sequence[float], values: Sequence[float], truncated: float, clusters: Sequence[str]
) -> Point:
    """A point of per-question figures, (Q,) each, and the share of its answers that were cut off."""
    values = [min(1.0, max(0.0, value)) if -1e-9 < value < 1 + 1e-9 else value for value in values]
    return Point(
        knob=knob,
        tokens=fmean(tokens),
        values=tuple(values),
        mean=clustered_mean(values, clusters, bounds=(min(0.0, *values), max(1.0, *values))),
        truncated=truncated,
    )


def slope_of(points: Sequence[Point], clusters: Sequence[str]) -> ClusteredMean | None:
    """What a doubling of the tokens adds: each question's least-squares slope on log2 of the points' tokens, averaged.

    None with fewer than two points of different price.
    """
    doublings = np.log2([max(1.0, point.tokens) for point in points])
    spread = doublings - doublings.mean()
    if len(points) < 2 or float(np.abs(spread).max()) < 1e-9:
        return None
    weights = spread / (spread**2).sum()
    steepest = float(np.maximum(weights, 0).sum())
    slopes = [float(weights @ np.array(values)) for values in zip(*(point.values for point in points), strict=True)]
    return clustered_mean(slopes, clusters, bounds=(-steepest, steepest))


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """The same setting once more with other seeds, less the first time: what chance alone does to a point.

    Example: ``Repeated(name="majority", knob=16, difference=difference)``
    """

    name: str
    knob: int
    difference: ClusteredMean


def repeat_difference(
    first: Curve, again: Curve, clusters: Mapping[str, str], ids: Sequence[Sequence[str]]
) -> Repeated:
    """The last point's difference, paired by question; `ids` are the two curves' questions in their order.

    Raises InputError where no question is in both.
    """
    later = dict(zip(ids[1], again.points[-1].values, strict=True))
    before = dict(zip(ids[0], first.points[-1].values, strict=True))
    both = [task for task in before if task in later]
    if not both:
        raise InputError("the repetition has no question in common with what it repeats", received=first.name)
    differences = [later[task] - before[task] for task in both]
    mean = clustered_mean(differences, [clusters.get(task, "") for task in both], bounds=(-1.0, 1.0))
    return Repeated(name=first.name, knob=first.points[-1].knob, difference=mean)


def _share_cut(rule: Rule, questions: Sequence[Question], cut: Sequence[Sequence[float]], k: int) -> float:
    """Of the answers that the rule chooses (where no attempt has a vote it chooses none), the share cut off."""
    chosen = sum(rule.at(question, [1.0] * len(question.attempts), k) for question in questions)
    cut_off = sum(rule.at(question, values, k) for question, values in zip(questions, cut, strict=True))
    return cut_off / chosen if chosen else 0.0


def _price(question: Question, selector: str, k: int) -> float:
    """Tokens of k attempts at a question: the prompt once, and for each its own and what the selector reads. One
    attempt needs no selector."""
    own = fmean(attempt.num_tokens for attempt in question.attempts)
    judged = fmean(attempt.judge_tokens.get(selector, 0.0) for attempt in question.attempts) if k > 1 else 0.0
    return question.num_prompt_tokens + k * (own + judged)


def is_rising(slope: ClusteredMean | None) -> bool:
    """Whether more tokens help, beyond what the choice of questions explains."""
    return slope is not None and math.isfinite(slope.low) and slope.low > 0
