"""JSON as the standard has it, read within bounds: no NaN, no key twice, no number that a float can't hold."""

from __future__ import annotations

import json
import math
from typing import Any

from tahr.core.json_text import depth_of

MAX_JSON_CHARS = 100_000
MAX_DIGITS = 300  # of one number; a longer one is beyond what a float holds


class NotJsonError(Exception):
    """The text is no JSON that is read here; the message says why."""


def read_json(text: str, *, max_depth: int) -> Any:
    """The value of a JSON text. Raises NotJsonError, whatever the text is."""
    if len(text) > MAX_JSON_CHARS:
        raise NotJsonError(f"JSON is not read where it is longer than {MAX_JSON_CHARS} characters")
    if depth_of(text) > max_depth:
        raise NotJsonError(f"JSON is not read where it is nested more than {max_depth} levels deep")
    try:
        return json.loads(
            text,
            object_pairs_hook=_distinct_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_bounded,
        )
    except ValueError as error:
        raise NotJsonError(f"not JSON: {str(error)[:200]}") from None


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise NotJsonError("not JSON: a key stands twice in one object")
    return table


def _bounded(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise NotJsonError(f"JSON is not read where it has a number of more than {MAX_DIGITS} digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotJsonError(f"JSON is not read where a number such as {digits[:40]} is beyond what a float holds")
    return number


def _refuse_constant(name: str) -> Any:
    raise NotJsonError(f"not JSON: {name} is not JSON")
