"""Tests for a problem, strong enough to tell its reference from every mutant of it that some input tells."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from random import Random
from typing import Any, cast

from tahr.data.code.family import Problem
from tahr.data.code.stepped import MAX_STEPS, Stepped

POOL = 240
"""Distinct inputs among which a test is searched that kills a mutant; what none of them tells counts as equivalent."""

PATIENCE, LEAST_STEPS = 20, 500
"""A mutant that takes this many times the steps of the reference, and these, does not end."""

MIN_KILLED = 3  # mutants; a problem with fewer has too little in it to be tested
MAX_CONSTANT = 0.6  # share of the hidden tests that one constant answer may pass


class WeakSuiteError(ValueError):
    """The tests let a mistake pass, or a constant answer passes most of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One call and what the reference returns.

    Example: ``Example(args=([1, 2, 3],), expected=2)``
    """

    args: tuple[Any, ...]
    expected: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """What was chosen. The hidden tests alone kill `num_killed` mutants; `num_equivalent` were told by no input.

    Example: ``Tests(public=(example,), hidden=(other,), num_killed=31, num_equivalent=2)``
    """

    public: tuple[Example, ...]
    hidden: tuple[Example, ...]
    num_killed: int
    num_equivalent: int


def make_tests(problem: Problem, random: Random, *, num_public: int, num_hidden: int) -> Tests:
    """Public tests, and hidden ones (at least `num_hidden`) that kill every mutant which one of `POOL` inputs kills.

    Raises WeakSuiteError where a hand-made mistake survives, few mutants die, or a constant answer does too well.
    """
    pool, max_steps = _pool(problem, random)
    chosen: list[int] = []
    num_equivalent = num_killed = 0
    name, tolerance, num_wrong = problem.family.name, problem.family.tolerance, len(problem.wrong)
    for index, changed in enumerate(_changed(problem, max_steps)):
        places = chain(chosen, range(len(pool)))
        killer = next((place for place in places if kills(pool[place], changed, tolerance)), None)
        if killer is None and index < num_wrong:
            raise WeakSuiteError(f"{name}: no input tells the mistake {problem.family.traps[index]}")
        num_equivalent += killer is None
        num_killed += killer is not None
        if killer is not None and killer not in chosen:
            chosen.append(killer)
    answers = [repr(example.expected) for example in pool]
    hidden = _filled(chosen, answers, num_hidden)
    public = [place for place in range(len(pool)) if place not in hidden][:num_public]
    most = max(Counter(answers[place] for place in hidden).values()) / len(hidden)
    if len(public) < num_public or num_killed < MIN_KILLED or (most > MAX_CONSTANT and len(hidden) > 1):
        raise WeakSuiteError(f"{name}: {num_killed} mutants die; one constant answer passes {most:.0%} of the tests")
    random.shuffle(hidden)
    return Tests(
        public=tuple(pool[place] for place in public),
        hidden=tuple(pool[place] for place in hidden),
        num_killed=num_killed,
        num_equivalent=num_equivalent,
    )


def _changed(problem: Problem, max_steps: int) -> Iterator[Stepped]:
    """The hand-made mistakes, and then the mutants."""
    name = problem.family.name
    yield from (Stepped(ast.parse(wrong), name, max_steps=max_steps) for wrong in problem.wrong)
    yield from Stepped.mutants(problem.source, name, max_steps=max_steps)


def kills(example: Example, changed: Stepped, tolerance: float = 0.0) -> bool:
    """Whether a changed program answers otherwise than expected, raises, or does not end."""
    try:
        value = changed(*example.args)
    except Exception:  # noqa: BLE001 - whatever a mutant raises tells it from the reference
        return True
    return not _equal(value, example.expected, tolerance)


def _equal(value: Any, expected: Any, tolerance: float) -> bool:
    """Equal as the verifier sees it: types count; floats within `tolerance`, absolute or relative to the expected one,
    where an int may stand for a float."""
    if isinstance(expected, float) and type(value) in {float, int} and (tolerance or type(value) is float):
        return abs(value - expected) <= tolerance * max(1.0, abs(expected))
    if type(value) is not type(expected):
        return False
    if isinstance(expected, list | tuple):
        ours, theirs = cast("list[Any]", value), cast("list[Any]", expected)
        return len(ours) == len(theirs) and all(map(_equal, ours, theirs, repeat(tolerance)))
    if isinstance(expected, dict):
        table, other = cast("dict[Any, Any]", value), cast("dict[Any, Any]", expected)
        return table.keys() == other.keys() and all(_equal(table[key], other[key], tolerance) for key in other)
    return value == expected


def _pool(problem: Problem, random: Random) -> tuple[list[Example], int]:
    """Distinct inputs with what the reference returns, answers mixed; and how many steps a mutant is given: some
    `PATIENCE` times what the reference took at most."""
    reference = Stepped(ast.parse(problem.source), problem.family.name)
    pool: dict[str, Example] = {}
    num_steps = 0
    for _ in range(2 * POOL):
        args = problem.draw_input(random)
        if (key := repr(args)) not in pool:
            pool[key] = Example(args=args, expected=reference(*args))
            num_steps = max(num_steps, reference.num_steps)
            if len(pool) == POOL:
                break
    return _mixed(list(pool.values())), min(MAX_STEPS, LEAST_STEPS + PATIENCE * num_steps)


def _mixed(examples: Sequence[Example]) -> list[Example]:
    """The same examples, so ordered that answers repeat as late as they can."""
    times: Counter[str] = Counter()
    ranked: list[tuple[int, int]] = []
    for place, example in enumerate(examples):
        key = repr(example.expected)
        ranked.append((times[key], place))
        times[key] += 1
    return [examples[place] for _, place in sorted(ranked)]


def _filled(chosen: Sequence[int], answers: Sequence[str], size: int) -> list[int]:
    """Places of examples: `chosen`, filled up to `size` with the rarest answers among the rest."""
    hidden, left = list(chosen), [place for place in range(len(answers)) if place not in chosen]
    times = Counter(answers[place] for place in hidden)
    while left and (len(hidden) < size or max(times.values()) > MAX_CONSTANT * len(hidden)):
        place = min(left, key=lambda one: times[answers[one]])
        left.remove(place)
        times[answers[place]] += 1
        hidden.append(place)
        if len(hidden) >= 4 * size + len(chosen):
            break
    return hidden
