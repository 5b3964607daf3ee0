"""JSON Schema keywords whose usual check a hostile value makes slow, or that floats make wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime, time
from fractions import Fraction
from typing import Any, cast

import regex
from jsonschema import FormatChecker
from jsonschema.exceptions import ValidationError

PATTERN_SECONDS = 0.5
MAX_REFERENCES = 20_000
"""References followed for one value. Where alternatives refer to their own kind, the ways double with every level."""

Errors = Iterator[ValidationError]


class _Budget(threading.local):
    """References that the check under way in this thread may still follow."""

    left = 0


_budget = _Budget()


@contextmanager
def bounded_references() -> Generator[None]:
    """Inside the block, following more than `MAX_REFERENCES` references raises TimeoutError."""
    _budget.left = MAX_REFERENCES
    yield


def counting(follow: Callable[..., Errors]) -> Callable[..., Errors]:
    """jsonschema's own check of a reference, counted."""

    def check(validator: Any, reference: str, instance: Any, schema: Any) -> Errors:
        _budget.left -= 1
        if _budget.left < 0:
            raise TimeoutError(f"the schema's references were followed more than {MAX_REFERENCES} times")
        yield from follow(validator, reference, instance, schema)

    return check


def _match(pattern: str, text: str) -> bool:
    try:
        return regex.search(pattern, text, timeout=PATTERN_SECONDS) is not None
    except TimeoutError:
        raise TimeoutError(f"a pattern of the schema took longer than {PATTERN_SECONDS} s to match") from None


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Errors:
    """As jsonschema's own, with a time limit; TimeoutError passes through to `verify`."""
    if isinstance(instance, str) and not _match(pattern, instance):
        yield ValidationError(f"{instance[:80]!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: Any, __: Any) -> Errors:
    """As jsonschema's own, with a time limit."""
    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        for key, value in cast("dict[str, Any]", instance).items():
            if _match(pattern, key):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _unique_items(_: Any, wanted: bool, instance: Any, __: Any) -> Errors:
    """As jsonschema's own, in linear time."""
    if wanted and isinstance(instance, list):
        items = cast("list[Any]", instance)
        if len({canonical(item) for item in items}) < len(items):
            yield ValidationError("an item stands twice in a list of unique items")


def _multiple_of(_: Any, unit: float, instance: Any, __: Any) -> Errors:
    """Of the numbers as they are written: 19.99 is a multiple of 0.01, which floats deny."""
    if isinstance(instance, int | float) and not isinstance(instance, bool):
        quotient = Fraction(repr(instance)) / Fraction(repr(unit))
        if quotient.denominator != 1:
            yield ValidationError(f"{instance!r} is not a multiple of {unit!r}")


def canonical(value: Any) -> str:
    """One text for all JSON values that are equal."""
    if isinstance(value, dict):
        pairs = sorted((json.dumps(key), canonical(inner)) for key, inner in cast("dict[str, Any]", value).items())
        return "{" + ",".join(f"{key}:{inner}" for key, inner in pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, cast("list[Any]", value))) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


BOUNDED_KEYWORDS: dict[str, Any] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
    "multipleOf": _multiple_of,
}

FORMATS = FormatChecker(formats=("date", "email", "ipv4", "ipv6", "uuid"))
"""The values of ``format`` that are checked; others say something to people only."""


@FORMATS.checks("date-time", raises=ValueError)
def _is_date_time(text: object) -> bool:
    """A date, a T and a time with its offset (RFC 3339)."""
    return not isinstance(text, str) or ("T" in text.upper() and datetime.fromisoformat(text).tzinfo is not None)


@FORMATS.checks("time", raises=ValueError)
def _is_time(text: object) -> bool:
    """A time with its offset."""
    return not isinstance(text, str) or time.fromisoformat(text).tzinfo is not None
