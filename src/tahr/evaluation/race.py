"""The compression race: the cheapest model or setting that is not worse than the best one by more than a margin.

"Not worse by more than" is a claim of its own (non-inferiority), decided by the paired interval and not by a difference
that happens to be small: the interval's lower end must lie above minus the margin. The intervals of all entries hold
together (Bonferroni: each at ``1 - (1 - level) / comparisons``), since the cheapest of many is picked. The best one is
picked on the same questions, which flatters it: what is within the margin of it is within that of the truly best one
at least as often as the level says. Source: Wellek, "Testing Statistical Hypotheses of Equivalence and Noninferiority"
(2010), chapter 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from tahr.core.errors import InputError
from tahr.evaluation.paired import PairedDifference, Score, attempts, paired_difference, side_score
from tahr.evaluation.resampling import LEVEL
from tahr.evaluation.same_questions import nothing_shared, num_judged_otherwise
from tahr.store.records import Evaluation

Cost = Literal["size", "tokens", "time"]
COSTS: tuple[Cost, ...] = ("size", "tokens", "time")
Standing = Literal["best", "within", "undecided", "worse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Who takes part: a model in a setting, and its evaluation.

    Example: ``Entry(name="smollm2-135m bare", evaluation=evaluation)``
    """

    name: str
    evaluation: Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """How an entry came out. `costs` are bytes of weights, and sampled tokens and seconds an attempt; None if unknown.

    `difference` is its score less the best one's (None for the best itself), with the interval that decides `standing`.
    `num_to_settle` is how many such questions would decide it if the difference stays as it is, where it is undecided.
    `frontier` holds the costs by which nothing that costs no more scores higher, or as high for less.

    Example: ``Place(name="smollm2-135m bare", score=score, costs={"size": 5.4e8, "tokens": 120.0, "time": 2.1},
    difference=difference, standing="within", num_to_settle=None, frontier=frozenset({"size"}))``
    """

    name: str
    score: Score
    costs: Mapping[Cost, float | None]
    difference: PairedDifference | None
    standing: Standing
    num_to_settle: int | None
    frontier: frozenset[Cost]


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """All places, the highest score first, over the `num_tasks` questions that every entry has a score for.

    `num_left_out` questions have one for some entries only. `cheapest` names, by cost, the entry within the margin (the
    best one counts) that costs least; costs that some such entry hides are absent.

    Example: ``Race(part="correct", margin=0.02, level=0.95, num_tasks=500, num_left_out=0, places=(first, second),
    cheapest={"size": "smollm2-135m bare"})``
    """

    part: str
    margin: float
    level: float
    num_tasks: int
    num_left_out: int
    places: tuple[Place, ...]
    cheapest: Mapping[Cost, str]


def race(entries: Sequence[Entry], *, margin: float, part: str = "correct", level: float = LEVEL) -> Race:
    """Run the race of evaluations of one suite on one split. `margin` is in units of `part`, above 0.

    Raises InputError for fewer than two entries, a margin that isn't above 0, equal names, different suites or splits,
    and where no question has a score for all.
    """
    _check(entries, margin)
    scored = {entry.name: attempts(entry.evaluation, part) for entry in entries}
    everywhere = frozenset.intersection(*(frozenset(one) for one in scored.values()))
    anywhere = frozenset[str]().union(*scored.values())
    if not everywhere:
        for one, other in combinations(entries, 2):
            if num_judged_otherwise(one.evaluation, other.evaluation):
                raise nothing_shared((one.name, other.name), one.evaluation, other.evaluation)
        raise InputError(
            f"no question has a value of {part!r} for every entry",
            received=", ".join(f"{name}: {len(one)}" for name, one in scored.items()),
            instead="evaluations of the same questions",
        )
    costs = {entry.name: _costs(entry.evaluation, everywhere) for entry in entries}
    scores = {entry.name: _score(entry.evaluation, part, everywhere, level) for entry in entries}
    ranked = sorted(entries, key=lambda entry: (-scores[entry.name].mean, _known(costs[entry.name]["tokens"])))
    best = ranked[0]
    strict = 1 - (1 - level) / (len(entries) - 1)
    places: list[Place] = []
    for entry in ranked:
        found = None
        if entry is not best:
            found = paired_difference(best.evaluation, entry.evaluation, part=part, tasks=everywhere, level=strict)
        standing = "best" if found is None else standing_of(found.low, found.high, margin)
        places.append(
            Place(
                name=entry.name,
                score=scores[entry.name],
                costs=costs[entry.name],
                difference=found,
                standing=standing,
                num_to_settle=_to_settle(found, margin) if found and standing == "undecided" else None,
                frontier=frozenset(cost for cost in COSTS if _on_frontier(entry.name, cost, scores, costs)),
            )
        )
    return Race(
        part=part,
        margin=margin,
        level=level,
        num_tasks=len(everywhere),
        num_left_out=len(anywhere - everywhere),
        places=tuple(places),
        cheapest=_cheapest(places),
    )


def standing_of(low: float, high: float, margin: float) -> Standing:
    """What the interval of a difference from the best says: all above minus the margin, all below it, or neither.

    >>> standing_of(-0.01, 0.03, 0.02), standing_of(-0.05, 0.0, 0.02), standing_of(-0.09, -0.03, 0.02)
    ('within', 'undecided', 'worse')
    """
    return "within" if low > -margin else "worse" if high < -margin else "undecided"


def _check(entries: Sequence[Entry], margin: float) -> None:
    names = [entry.name for entry in entries]
    if len(entries) < 2 or len(set(names)) < len(names):
        raise InputError("a race takes two entries of different names", received=", ".join(names) or "none")
    if not margin > 0 or math.isinf(margin):
        raise InputError("the margin must be above 0", received=margin, instead="what may be lost, such as 0.02")
    kinds = {
        entry.name: (conditions.suite if (conditions := entry.evaluation.conditions) else "", entry.evaluation.split)
        for entry in entries
    }
    if len(set(kinds.values())) > 1:
        raise InputError(
            "the entries were not asked the same",
            received="; ".join(
                f"{name}: suite {suite or '?'}, split {split}" for name, (suite, split) in kinds.items()
            ),
            instead="evaluations of one suite on one split",
        )


def _score(evaluation: Evaluation, part: str, tasks: frozenset[str], level: float) -> Score:
    values = {task: one for task, one in attempts(evaluation, part).items() if task in tasks}
    clusters = {row.task_id: row.cluster for row in evaluation.rows}
    means = [fmean(one) for one in values.values()]
    return side_score(means, [clusters[task] for task in values], sum(map(len, values.values())), level=level)


def _costs(evaluation: Evaluation, tasks: frozenset[str]) -> dict[Cost, float | None]:
    """Bytes, and tokens and seconds an attempt; attempts from the cache took no time, and don't count for it.

    Tokens are unknown where nobody counted those of an attempt with a score; attempts that never came back don't count.
    """
    about = evaluation.conditions
    lengths: dict[str, list[int]] = {}
    for row in evaluation.rows:
        if row.task_id in tasks and row.num_tokens is not None:
            lengths.setdefault(row.task_id, []).append(row.num_tokens)
    scored = [row for row in evaluation.rows if row.task_id in tasks and row.score is not None]
    is_counted = all(row.num_tokens is not None for row in scored)
    num_back = sum(row.finish_reason != "infrastructure" for row in evaluation.rows)
    num_timed = num_back - about.num_cached if about else 0
    return {
        "size": float(about.num_bytes) if about and about.num_bytes else None,
        "tokens": fmean(fmean(one) for one in lengths.values()) if is_counted else None,
        "time": about.seconds / num_timed if about and num_timed > 0 and about.seconds > 0 else None,
    }


def _known(cost: float | None) -> float:
    return math.inf if cost is None else cost


def _on_frontier(
    name: str, cost: Cost, scores: Mapping[str, Score], costs: Mapping[str, Mapping[Cost, float | None]]
) -> bool:
    own = costs[name][cost]
    if own is None:
        return False
    points = [(scores[other].mean, known) for other, all_ in costs.items() if (known := all_[cost]) is not None]
    return not any(
        (score >= scores[name].mean and price < own) or (score > scores[name].mean and price <= own)
        for score, price in points
    )


def _to_settle(found: PairedDifference, margin: float) -> int | None:
    """Questions with which the observed difference's interval would end at minus the margin, its width falling with
    their root; None where the difference is minus the margin itself."""
    room = found.difference + margin
    half = found.difference - found.low if room > 0 else found.high - found.difference
    return math.ceil(found.num_tasks * (half / room) ** 2) if abs(room) > 1e-9 and math.isfinite(half) else None


def _cheapest(places: Sequence[Place]) -> dict[Cost, str]:
    """Among the best and those within the margin; the higher score where the cost is equal."""
    chosen = [place for place in places if place.standing in ("best", "within")]
    return {
        cost: min(chosen, key=lambda place: _known(place.costs[cost])).name
        for cost in COSTS
        if all(place.costs[cost] is not None for place in chosen)
    }
