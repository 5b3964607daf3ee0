"""Comparison of what a candidate returned with what was expected: exact plain types, in the parent."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Set
from typing import Any, cast

MAX_NEIGHBOURS = 64
"""Elements of a set, in order, among which the partner of one is looked for where a tolerance is stated."""


def same(value: Any, expected: Any, tolerance: float = 0.0) -> bool:
    """Whether two plain values are equal, types included: True is not 1, a tuple no list.

    Floats, also as parts of complex numbers, elements and keys, may differ by `tolerance`, absolute or relative to the
    expected one; NaN equals NaN. An int stands for a float of equal value where a tolerance is stated.
    """
    if isinstance(expected, float):
        return _close(value, expected, tolerance)
    if type(value) is not type(expected):
        return False
    if isinstance(expected, list | tuple):
        ours, theirs = cast("list[Any]", value), cast("list[Any]", expected)
        return len(ours) == len(theirs) and all(
            same(one, other, tolerance) for one, other in zip(ours, theirs, strict=True)
        )
    if isinstance(expected, dict):
        return _same_tables(cast("dict[Any, Any]", value), cast("dict[Any, Any]", expected), tolerance)
    if isinstance(expected, set | frozenset):
        return _same_items(cast("set[Any]", value), cast("set[Any]", expected), tolerance)
    if isinstance(expected, complex):
        return _close(value.real, expected.real, tolerance) and _close(value.imag, expected.imag, tolerance)
    return value == expected


def _close(value: Any, expected: float, tolerance: float) -> bool:
    if type(value) is int and tolerance:
        try:
            value = float(value)
        except OverflowError:
            return False
    if type(value) is not float:
        return False
    if math.isnan(expected) or math.isnan(value):
        return math.isnan(expected) and math.isnan(value)
    if value == expected:
        return True
    if math.isinf(expected) or math.isinf(value):
        return False
    return abs(value - expected) <= tolerance * max(1.0, abs(expected))


def form(value: Any) -> Any:
    """A form that can be a key, equal for two plain values where they are the same without a tolerance."""
    kind = type(value).__name__
    if isinstance(value, float):
        return kind, "nan" if math.isnan(value) else value
    if isinstance(value, complex):
        return kind, form(value.real), form(value.imag)
    if isinstance(value, list | tuple):
        return kind, tuple(map(form, cast("list[Any]", value)))
    if isinstance(value, set | frozenset):
        return kind, frozenset(Counter(map(form, cast("set[Any]", value))).items())
    if isinstance(value, dict):
        table = cast("dict[Any, Any]", value)
        return kind, frozenset(Counter((form(key), form(one)) for key, one in table.items()).items())
    return kind, value


def _same_tables(value: dict[Any, Any], expected: dict[Any, Any], tolerance: float) -> bool:
    """Equal keys, types included, and equal values; the order of keys doesn't matter."""
    if len(value) != len(expected):
        return False
    ours = {form(key): key for key in value}
    theirs = {form(key): key for key in expected}
    if len(ours) < len(value) or len(theirs) < len(expected):  # several NaN
        return form(value) == form(expected)
    if not all(same(value[ours[one]], expected[theirs[one]], tolerance) for one in ours.keys() & theirs.keys()):
        return False
    return _matched(
        [(key, value[key]) for one, key in ours.items() if one not in theirs],
        [(key, expected[key]) for one, key in theirs.items() if one not in ours],
        tolerance,
    )


def _same_items(value: Set[Any], expected: Set[Any], tolerance: float) -> bool:
    """Equal elements, types included."""
    if len(value) != len(expected):
        return False
    ours, theirs = ([(form(one), one) for one in elements] for elements in (value, expected))
    left, right = Counter(key for key, _ in ours), Counter(key for key, _ in theirs)
    return _matched(
        [one for key, one in ours if left[key] > right[key]],
        [one for key, one in theirs if right[key] > left[key]],
        tolerance,
    )


def _matched(ours: list[Any], theirs: list[Any], tolerance: float) -> bool:
    """Whether each has a partner of its own within the tolerance, both being in the order of their text or number."""
    if not ours and not theirs:
        return True
    if not tolerance or len(ours) != len(theirs):
        return False
    waiting = sorted(ours, key=_rank)
    for expected in sorted(theirs, key=_rank):
        near = range(min(len(waiting), MAX_NEIGHBOURS))
        found = next((place for place in near if same(waiting[place], expected, tolerance)), None)
        if found is None:
            return False
        del waiting[found]
    return True


def _rank(value: Any) -> tuple[int, float, str]:
    """Numbers by their size, tuples by their first number, all others by their text."""
    while isinstance(value, tuple) and value:
        value = cast("tuple[Any, ...]", value)[0]
    if isinstance(value, complex):
        value = value.real
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        number = math.nan
    if math.isfinite(number):
        return 0, number, ""
    return 1, 0.0, value if isinstance(value, str) else type(value).__name__


def same_output(printed: str, expected: str, tolerance: float = 0.0) -> bool:
    """Whether two outputs are equal line by line; white space at line ends, and blank lines at the end, aside.

    With a tolerance, words that are numbers may differ by it.
    """
    ours, theirs = output_form(printed), output_form(expected)
    if ours == theirs:
        return True
    if not tolerance or len(ours) != len(theirs):
        return False
    return all(_same_words(one.split(), other.split(), tolerance) for one, other in zip(ours, theirs, strict=True))


def output_form(text: str) -> tuple[str, ...]:
    """The lines that count, equal for two outputs where they are the same without a tolerance."""
    lines = [line.rstrip(" \t") for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def _same_words(ours: list[str], theirs: list[str], tolerance: float) -> bool:
    return len(ours) == len(theirs) and all(
        one == other or _same_numbers(one, other, tolerance) for one, other in zip(ours, theirs, strict=True)
    )


def _same_numbers(one: str, other: str, tolerance: float) -> bool:
    try:
        return _close(float(one), float(other), tolerance)
    except ValueError:
        return False
