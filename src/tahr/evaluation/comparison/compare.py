"""Runs against one another, suite by suite and setting by setting, with corrected p-values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from tahr.core.errors import InputError
from tahr.evaluation.comparison.conditions import Thing, check_comparable, remarks
from tahr.evaluation.comparison.sides import Side, matched
from tahr.evaluation.corrections import CORRECTIONS, Correction
from tahr.evaluation.paired import PairedDifference, attempts, by_domain, paired_difference
from tahr.evaluation.same_questions import nothing_shared
from tahr.evaluation.statistics import LEVEL, part_names
from tahr.evaluation.variance import VarianceParts, paired_variance_parts
from tahr.store.records import Evaluation

Against = Literal["all", "first"]
"""Whether every two runs are compared, or every later one with the first."""

Marks = Callable[[Evaluation], frozenset[str]]
"""The ids of an evaluation's tasks that carry a mark."""

FOUND = "found in training data"
NOT_FOUND = "not found in it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One paired difference; `p_adjusted` is corrected for all rows of all comparisons made together.

    Example: ``Row(difference=difference, p_adjusted=0.04)``
    """

    difference: PairedDifference
    p_adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One suite and setting of a run (`second`) against the first run's. `compared` is what differs, `remarks` what
    else a reader must know. `headline` is the part of the reward that `rows` begin with, over all tasks.

    `variance` splits that difference's variance, where questions were attempted more than once.

    Example: ``Comparison(first=first, second=second, compared=("weights",), remarks=("weights differs: a and b",),
    headline="correct", rows=(row,), variance=None)``
    """

    first: Side
    second: Side
    compared: tuple[Thing, ...]
    remarks: tuple[str, ...]
    headline: str
    rows: tuple[Row, ...]
    variance: VarianceParts | None


def compare_runs(
    runs: Sequence[Sequence[Side]],
    *,
    parts: Sequence[str] = (),
    allowed: Collection[str] = (),
    against: Against = "all",
    correction: Correction = "holm",
    marks: Marks | None = None,
    on_refused: Callable[[InputError], None] | None = None,
    level: float = LEVEL,
) -> list[Comparison]:
    """Every two runs, or every later one `against` the first, on the questions that both were asked.

    Two later runs may differ in more than one thing though each differs from the first in one: `on_refused` is told,
    and the pair is left out.
    `parts` are looked at besides the headline ("correct", or the reward where there is none); by default all that both
    have. Domains are told apart for the headline. `marks` splits it again, into tasks with a mark and those without.
    Raises InputError for fewer than two runs, for what can't be compared, and where no question is in common.
    """
    if len(runs) < 2:
        raise InputError("a comparison takes two runs or more", received=len(runs), instead="tahr compare RUN RUN")
    found: list[Comparison] = []
    for one, other in combinations(runs, 2):
        if one is not runs[0] and against == "first":
            break
        try:
            found += [_compared(*pair, parts, allowed, marks, level) for pair in matched(one, other)]
        except InputError as error:
            if one is runs[0]:
                raise
            if on_refused is not None:
                on_refused(error)
    rows = [row for one in found for row in one.rows]
    adjusted = iter(CORRECTIONS[correction]([row.difference.p for row in rows]))
    return [replace(one, rows=tuple(replace(row, p_adjusted=next(adjusted)) for row in one.rows)) for one in found]


def _compared(
    first: Side, second: Side, parts: Sequence[str], allowed: Collection[str], marks: Marks | None, level: float
) -> Comparison:
    compared = check_comparable(first, second, allowed=allowed)
    one, other = first.evaluation, second.evaluation
    shared = [
        name for name in ("reward", *part_names(one)) if attempts(one, name).keys() & attempts(other, name).keys()
    ]
    if not shared:
        raise nothing_shared((first.name, second.name), one, other)
    headline = "correct" if "correct" in shared else "reward"
    unknown = [name for name in parts if name not in shared]
    if unknown:
        raise InputError(
            f"not both evaluations have the part {unknown[0]!r}", received=unknown[0], instead=", ".join(shared)
        )
    overall, *domains = by_domain(one, other, part=headline, level=level)
    wanted = [name for name in parts or shared if name != headline]
    several = [paired_difference(one, other, part=name, level=level) for name in wanted]
    split = _by_mark(one, other, headline, marks(one) | marks(other), level) if marks else []
    every = [overall, *(more for more in several if parts or _tells_more(more, overall)), *domains, *split]
    return Comparison(
        first=first,
        second=second,
        compared=compared,
        remarks=tuple(remarks(first, second)),
        headline=headline,
        rows=tuple(Row(difference=row, p_adjusted=row.p) for row in every),
        variance=paired_variance_parts(one, other, part=headline),
    )


def _tells_more(row: PairedDifference, headline: PairedDifference) -> bool:
    """Whether a part that nobody asked for is a measure of all tasks, and not the headline over again."""
    same = (row.difference, row.low, row.first.mean) == (headline.difference, headline.low, headline.first.mean)
    return row.num_tasks == headline.num_tasks and not same


def _by_mark(
    first: Evaluation, second: Evaluation, part: str, marked: frozenset[str], level: float
) -> list[PairedDifference]:
    """The difference over tasks with a mark, and over those without, where there are both."""
    paired = attempts(first, part).keys() & attempts(second, part).keys()
    groups = ((FOUND, marked & paired), (NOT_FOUND, paired - marked))
    return [
        replace(paired_difference(first, second, part=part, tasks=frozenset(tasks), level=level), domain=name)
        for name, tasks in groups
        if all(members for _, members in groups)
    ]
