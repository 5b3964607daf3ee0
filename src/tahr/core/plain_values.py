"""Plain Python values in JSON: what JSON has no word for is a table with one key that begins with ``$``.

``{"$tuple": [1, 2]}``, ``{"$set": [1]}``, ``{"$frozenset": [1]}``, ``{"$bytes": "aGk="}``,
``{"$complex": [0.0, 1.0]}``, ``{"$float": "nan"}``, and ``{"$dict": [[key, value], ...]}`` for tables whose keys aren't
all text.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable
from typing import Any, cast

from tahr.core.errors import InputError


def to_json(value: Any) -> Any:
    """`value` as JSON values. Raises InputError for what is not plain.

    >>> to_json({(1, 2): "a"})
    {'$dict': [[{'$tuple': [1, 2]}, 'a']]}
    """
    if value is None or type(value) in {bool, int, str}:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"$float": repr(value)}
    if type(value) is list:
        return [to_json(item) for item in cast("list[Any]", value)]
    if type(value) is dict:
        return _table(cast("dict[Any, Any]", value))
    if type(value) in {tuple, set, frozenset}:
        items = [to_json(item) for item in value]
        return {f"${type(value).__name__}": items if type(value) is tuple else sorted(items, key=repr)}
    if type(value) is bytes:
        return {"$bytes": base64.b64encode(value).decode()}
    if type(value) is complex:
        return {"$complex": [value.real, value.imag]}
    raise InputError(
        "a test's value must be plain", received=type(value).__qualname__, instead="numbers, text, lists, ..."
    )


def from_json(value: Any) -> Any:
    """The value that `to_json` wrote. Raises InputError for a malformed table.

    >>> from_json({"$tuple": [1, {"$set": [2]}]})
    (1, {2})
    """
    if isinstance(value, list):
        return [from_json(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    table = cast("dict[str, Any]", value)
    if len(table) == 1 and (name := next(iter(table))) in _READERS:
        try:
            return _READERS[name](table[name])
        except (TypeError, ValueError, binascii.Error) as error:
            raise InputError(f"malformed {name} in a test's value: {error}", received=repr(value)[:200]) from error
    return {key: from_json(item) for key, item in table.items()}


def _table(value: dict[Any, Any]) -> Any:
    plain = all(type(key) is str for key in value) and not (len(value) == 1 and next(iter(value)) in _READERS)
    if plain:
        return {key: to_json(item) for key, item in value.items()}
    return {"$dict": [[to_json(key), to_json(item)] for key, item in value.items()]}


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("it needs a list")
    return [from_json(item) for item in cast("list[Any]", value)]


_READERS: dict[str, Callable[[Any], Any]] = {
    "$tuple": lambda value: tuple(_items(value)),
    "$set": lambda value: set(_items(value)),
    "$frozenset": lambda value: frozenset(_items(value)),
    "$bytes": lambda value: base64.b64decode(value, validate=True),
    "$complex": lambda value: complex(*_items(value)),
    "$float": lambda value: float(str(value)),
    "$dict": lambda value: dict(_items(value)),
}
