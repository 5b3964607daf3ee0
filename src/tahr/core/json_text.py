"""JSON from outside: rows of files, replies of servers, answers of models."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

MAX_DEPTH = 200
"""Deepest nesting that is read. The parser recurses, and its own bound is the interpreter's recursion limit, which some
libraries raise so far that a text of brackets alone would overflow the stack and end the process."""

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")

HALF = "half of a character (a lone surrogate)"
"""What a text is said to hold of which `has_half_character` is true."""


def parse_json(text: str | bytes, *, max_depth: int = MAX_DEPTH, **options: Any) -> Any:
    """`json.loads` with its `options`. Raises ValueError for what is no JSON, is no UTF-8, or is nested too deeply.

    >>> parse_json('{"a": [1]}'), parse_json(b"[1]")
    ({'a': [1]}, [1])
    """
    read = text if isinstance(text, str) else text.decode("utf-8-sig")
    # most texts have too few brackets to be deep
    if read.count("[") + read.count("{") > max_depth and depth_of(read) > max_depth:
        raise ValueError(f"nested more than {max_depth} levels deep")
    return json.loads(read, **options)


def depth_of(text: str) -> int:
    """Deepest nesting of brackets outside strings.

    >>> depth_of('[{"a": "[["}]')
    2
    """
    depth = deepest = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        if found[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in "]}":
            depth -= 1
    return deepest


def has_half_character(value: Any) -> bool:
    """Whether any text of a JSON value, keys among them, holds a surrogate without its other half.

    JSON can write one alone, UTF-8 can't: what holds one can neither be encoded by a tokenizer nor written to a file.

    >>> has_half_character({"a": ["b", "\\ud800"]}), has_half_character("\U0001f410")
    (True, False)
    """
    if isinstance(value, str):
        return not value.isascii() and _HALF.search(value) is not None
    if isinstance(value, Mapping):
        table = cast("Mapping[Any, Any]", value)
        return any(map(has_half_character, table)) or any(map(has_half_character, table.values()))
    return isinstance(value, list | tuple) and any(map(has_half_character, cast("list[Any]", value)))


def without_half_characters(text: str) -> str:
    """`text` with the sign for what can't be read (U+FFFD) where it holds half of a character.

    >>> without_half_characters("a\\ud800b") == "a\ufffdb"
    True
    """
    return _HALF.sub("\ufffd", text) if has_half_character(text) else text
