"""JSON from outside: rows of files, replies of servers, answers of models."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_DEPTH = 200
"""Deepest nesting that is read. The parser recurses, and its own bound is the interpreter's recursion limit, which some
libraries raise so far that a text of brackets alone would overflow the stack and end the process."""

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


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
