"""From the evaluations of one study to its curves; what was not made by one model is refused."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from tahr.core.errors import InputError
from tahr.evaluation.counting import read_tokens, sampled_tokens
from tahr.evaluation.scaling.curves import (
    Curve,
    Knob,
    Point,
    Repeated,
    knob_values,
    make_point,
    repeat_difference,
    rule_curve,
    slope_of,
)
from tahr.evaluation.scaling.rules import rules_for
from tahr.evaluation.scaling.samples import Question, read_questions
from tahr.evaluation.statistics import row_value
from tahr.store.records import Conditions, Evaluation, EvaluationRow

ATTEMPTS, AGAIN, REVISION, THINKING = "attempts", "attempts-again", "revision", "thinking"
"""Names of a study's evaluations; the last two with the knob's value behind."""

SAME = ("weights", "training", "suite", "setting", "wording", "temperature", "filters", "request", "max_new_tokens")
"""Conditions that all points of a study share."""

_CHAINED: tuple[tuple[str, str, Knob], ...] = (
    (REVISION, "revision", "rounds of revision"),
    (THINKING, "forced budget", "thinking tokens"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The curves of one model in one setting of a suite.

    `num_samples` attempts at each question are behind the curves of attempts, `num_chains` behind the others;
    `num_dropped` questions had too few with a score. `repeated` says of each rule what other seeds changed, empty
    without a placebo. `pointless` names the knobs that could not be turned: no room for a second point.

    Example: ``Study(conditions=conditions, questions=(question,), num_samples=64, num_chains=4, num_dropped=0,
    curves=(curve,), repeated=(), pointless=())``
    """

    conditions: Conditions | None
    questions: tuple[Question, ...]
    num_samples: int
    num_chains: int
    num_dropped: int
    curves: tuple[Curve, ...]
    repeated: tuple[Repeated, ...]
    pointless: tuple[Knob, ...]


def chained_name(prefix: str, knob: int) -> str:
    """``revision-002``: the evaluation of a chain's answers at one value of its knob."""
    return f"{prefix}-{knob:03d}"


def study_of(evaluations: Sequence[Evaluation]) -> Study:
    """Every curve that these evaluations allow; attempts of several runs of a study are taken together.

    Raises InputError: other weights, training or conditions among them, attempts sampled twice with one seed, too few.
    """
    refuse_mixture(evaluations)
    first = _pooled([one for one in evaluations if one.name == ATTEMPTS])
    num_samples = _num_samples(first)
    ks = knob_values(num_samples)
    questions, num_dropped = read_questions(first, fewest=ks[-1])
    curves = [rule_curve(rule, questions, ks) for rule in rules_for(questions)]
    chained = [one for one in evaluations if any(_is(prefix, one) for prefix, _, _ in _CHAINED)]
    pointless: list[Knob] = []
    for prefix, name, knob in _CHAINED:
        points = [(int(one.name.rpartition("-")[2]), one) for one in chained if _is(prefix, one)]
        curve = _chained_curve(name, knob, sorted(points, key=lambda point: point[0]))
        if curve and len(curve.points) > 1:
            curves.append(curve)
        elif points:
            pointless.append(knob)
    again = [one for one in evaluations if one.name == AGAIN]
    return Study(
        conditions=first.conditions,
        questions=tuple(questions),
        num_samples=num_samples,
        num_chains=max(map(_num_samples, chained), default=0),
        num_dropped=num_dropped,
        curves=tuple(curves),
        repeated=tuple(_repeated(curves, questions, ks, _pooled(again))) if again else (),
        pointless=tuple(pointless),
    )


def refuse_mixture(evaluations: Sequence[Evaluation]) -> None:
    """Raise InputError where not all were made by the same weights under the same conditions: one curve has one knob.

    Points of different training steps would show training and test-time computing as one.
    """
    conditions = [one.conditions for one in evaluations if one.conditions is not None]
    if len(conditions) < len(evaluations):
        raise InputError(
            "an evaluation doesn't say which weights it is of",
            received=", ".join(one.name for one in evaluations if one.conditions is None),
            instead="evaluations made by tahr scale",
        )
    for what in SAME:
        values = list(dict.fromkeys(str(getattr(one, what)) for one in conditions))
        if len(values) > 1:
            raise InputError(
                f"points of different {what} can't be on one curve: it shows one knob, all else equal",
                received=", ".join(values[:4]),
                instead="one study for each, and tahr compare to set them side by side",
            )


def _pooled(found: Sequence[Evaluation]) -> Evaluation:
    """One evaluation with all their attempts, numbered through."""
    if not found:
        raise InputError(
            "there are no attempts to make a curve of", received="no evaluation 'attempts'", instead="tahr scale MODEL"
        )
    seeds = [one.conditions.seed for one in found if one.conditions]
    if len(set(seeds)) < len(seeds):
        raise InputError(
            "the same attempts come twice", received=f"seed {seeds[0]}", instead="studies with different --seed"
        )
    rows: list[EvaluationRow] = []
    offset = 0
    for one in found:
        rows += [replace(row, index=row.index + offset) for row in one.rows]
        offset += _num_samples(one)
    return replace(found[0], rows=tuple(rows))


def _num_samples(evaluation: Evaluation) -> int:
    return 1 + max((row.index for row in evaluation.rows), default=-1)


def _is(prefix: str, evaluation: Evaluation) -> bool:
    return re.fullmatch(rf"{prefix}-\d+", evaluation.name) is not None


def _chained_curve(name: str, knob: Knob, points: Sequence[tuple[int, Evaluation]]) -> Curve | None:
    """The curve of answers that follow from one another, over the questions that every point has; None without."""
    by_point: list[tuple[int, dict[str, list[EvaluationRow]]]] = []
    for value, evaluation in points:
        rows: defaultdict[str, list[EvaluationRow]] = defaultdict(list)
        for row in evaluation.rows:
            if _worth(row) is not None:
                rows[row.task_id].append(row)
        by_point.append((value, rows))
    tasks = [task for task in by_point[0][1] if all(task in rows for _, rows in by_point)] if by_point else []
    if not tasks:
        return None
    clusters = [by_point[0][1][task][0].cluster for task in tasks]
    made = [_chained_point(value, [rows[task] for task in tasks], clusters) for value, rows in by_point]
    return Curve(name=name, knob=knob, is_bound=False, points=tuple(made), slope=slope_of(made, clusters))


def _chained_point(knob: int, rows: Sequence[Sequence[EvaluationRow]], clusters: Sequence[str]) -> Point:
    return make_point(
        knob,
        [fmean(sampled_tokens(row) + read_tokens(row) for row in of_task) for of_task in rows],
        [fmean(_worth(row) or 0.0 for row in of_task) for of_task in rows],
        fmean(row.finish_reason != "stop" for of_task in rows for row in of_task),
        clusters,
    )


def _worth(row: EvaluationRow) -> float | None:
    return row_value(row, "correct" if "correct" in row.parts else "reward")


def _repeated(
    curves: Sequence[Curve], questions: Sequence[Question], ks: Sequence[int], again: Evaluation
) -> list[Repeated]:
    later, _ = read_questions(again, fewest=ks[-1])
    ids = ([one.task_id for one in questions], [one.task_id for one in later])
    clusters = {one.task_id: one.cluster for one in questions}
    rules = {rule.name: rule for rule in rules_for(later)}
    return [
        repeat_difference(curve, rule_curve(rules[curve.name], later, ks[-1:]), clusters, ids)
        for curve in curves
        if curve.knob == "attempts" and curve.name in rules
    ]
