"""Comparison of what a candidate returned with what was expected: exact plain types, in the parent."""

from __future__ import annotations

import math
from typing import Any, cast


def same(value: Any, expected: Any, tolerance: float = 0.0) -> bool:
    """Whether two plain values are equal, types included: True is not 1, a tuple no list.

    Floats may differ by `tolerance`, absolute or relative to the expected one; NaN equals NaN. An int stands for a
    float of equal value where a tolerance is stated.
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
        ours, theirs = cast("set[Any]", value), cast("set[Any]", expected)
        return ours == theirs and {(type(one).__name__, repr(one)) for one in ours} == {
            (type(one).__name__, repr(one)) for one in theirs
        }
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


def _same_tables(value: dict[Any, Any], expected: dict[Any, Any], tolerance: float) -> bool:
    """Equal keys, types included, and equal values; the order of keys doesn't matter."""
    ours = {(type(key).__name__, key): one for key, one in value.items()}
    theirs = {(type(key).__name__, key): one for key, one in expected.items()}
    return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key], tolerance) for key in theirs)


def same_output(printed: str, expected: str, tolerance: float = 0.0) -> bool:
    """Whether two outputs are equal line by line; white space at line ends, and blank lines at the end, aside.

    With a tolerance, words that are numbers may differ by it.
    """
    ours, theirs = _lines(printed), _lines(expected)
    if ours == theirs:
        return True
    if not tolerance or len(ours) != len(theirs):
        return False
    return all(_same_words(one.split(), other.split(), tolerance) for one, other in zip(ours, theirs, strict=True))


def _lines(text: str) -> list[str]:
    lines = [line.rstrip(" \t") for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _same_words(ours: list[str], theirs: list[str], tolerance: float) -> bool:
    return len(ours) == len(theirs) and all(
        one == other or _same_numbers(one, other, tolerance) for one, other in zip(ours, theirs, strict=True)
    )


def _same_numbers(one: str, other: str, tolerance: float) -> bool:
    try:
        return _close(float(one), float(other), tolerance)
    except ValueError:
        return False
