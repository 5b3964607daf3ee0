"""Tests for a problem, strong enough to tell its reference from every mutant of it that some input tells."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, cast

from tahr.data.code.family import Problem
from tahr.data.code.mutants import mutants
from tahr.data.code.stepped import Stepped

POOL = 240
"""Distinct inputs among which a test is searched that kills a mutant; what none of them tells counts as equivalent."""

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
    pool = _pool(problem, random)
    chosen: list[Example] = []
    num_equivalent = num_killed = 0
    name = problem.family.name
    trees = [ast.parse(wrong) for wrong in problem.wrong]
    for index, tree in enumerate([*trees, *(mutant.tree for mutant in mutants(problem.source))]):
        changed = Stepped(tree, name)
        killer = next((one for one in [*chosen, *pool] if kills(one, changed, problem.family.tolerance)), None)
        if killer is None and index < len(trees):
            raise WeakSuiteError(f"{name}: no input tells the mistake {problem.family.traps[index]}")
        num_equivalent += killer is None
        num_killed += killer is not None
        if killer is not None and killer not in chosen:
            chosen.append(killer)
    hidden = _filled(chosen, pool, num_hidden, random)
    public = [example for example in pool if example not in hidden][:num_public]
    most = max(Counter(repr(example.expected) for example in hidden).values()) / len(hidden)
    if len(public) < num_public or num_killed < MIN_KILLED or (most > MAX_CONSTANT and len(hidden) > 1):
        raise WeakSuiteError(f"{name}: {num_killed} mutants die; one constant answer passes {most:.0%} of the tests")
    return Tests(public=tuple(public), hidden=tuple(hidden), num_killed=num_killed, num_equivalent=num_equivalent)


def kills(example: Example, changed: Stepped, tolerance: float = 0.0) -> bool:
    """Whether a changed program answers otherwise than expected, raises, or does not end."""
    try:
        value = changed(*example.args)
    except Exception:  # noqa: BLE001 - whatever a mutant raises tells it from the reference
        return True
    return not _equal(value, example.expected, tolerance)


def _equal(value: Any, expected: Any, tolerance: float) -> bool:
    """Equal with types; floats within `tolerance`, absolute or relative."""
    if type(value) is not type(expected):
        return False
    if isinstance(expected, float):
        return math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance)
    if isinstance(expected, list | tuple):
        ours, theirs = cast("list[Any]", value), cast("list[Any]", expected)
        return len(ours) == len(theirs) and all(map(_equal, ours, theirs, [tolerance] * len(theirs)))
    return value == expected


def _pool(problem: Problem, random: Random) -> list[Example]:
    """Distinct inputs with what the reference returns, answers mixed."""
    reference = Stepped(ast.parse(problem.source), problem.family.name)
    pool: dict[str, Example] = {}
    for _ in range(2 * POOL):
        args = problem.draw_input(random)
        if len(pool) < POOL and repr(args) not in pool:
            pool[repr(args)] = Example(args=args, expected=reference(*args))
    return _mixed(list(pool.values()))


def _mixed(examples: Sequence[Example]) -> list[Example]:
    """The same examples, so ordered that answers repeat as late as they can."""
    times: Counter[str] = Counter()
    ranked: list[tuple[int, int]] = []
    for place, example in enumerate(examples):
        key = repr(example.expected)
        ranked.append((times[key], place))
        times[key] += 1
    return [examples[place] for _, place in sorted(ranked)]


def _filled(chosen: list[Example], rest: Sequence[Example], size: int, random: Random) -> list[Example]:
    """`chosen`, filled up to `size` with the rarest answers among `rest`, in a random order."""
    hidden, left = list(chosen), [example for example in rest if example not in chosen]
    times = Counter(repr(example.expected) for example in hidden)
    while left and (len(hidden) < size or max(times.values()) > MAX_CONSTANT * len(hidden)):
        index = min(range(len(left)), key=lambda place: times[repr(left[place].expected)])
        example = left.pop(index)
        times[repr(example.expected)] += 1
        hidden.append(example)
        if len(hidden) >= 4 * size + len(chosen):
            break
    random.shuffle(hidden)
    return hidden
