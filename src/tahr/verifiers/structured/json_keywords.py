"""JSON Schema keywords whose usual check a hostile value can make slow, checked within bounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import regex
from jsonschema.exceptions import ValidationError

PATTERN_SECONDS = 0.5


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    """As jsonschema's own, with a time limit; TimeoutError passes through to `verify`."""
    if isinstance(instance, str) and not regex.search(pattern, instance, timeout=PATTERN_SECONDS):
        yield ValidationError(f"{instance[:80]!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: Any, __: Any) -> Iterator[ValidationError]:
    """As jsonschema's own, with a time limit."""
    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        for key, value in cast("dict[str, Any]", instance).items():
            if regex.search(pattern, key, timeout=PATTERN_SECONDS):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _unique_items(_: Any, wanted: bool, instance: Any, __: Any) -> Iterator[ValidationError]:
    """As jsonschema's own, in linear time."""
    if wanted and isinstance(instance, list):
        items = cast("list[Any]", instance)
        if len({canonical(item) for item in items}) < len(items):
            yield ValidationError("an item stands twice in a list of unique items")


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
}
