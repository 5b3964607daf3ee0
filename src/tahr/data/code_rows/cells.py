"""Reading one row's cells as what a mapping says they are."""

from __future__ import annotations

from typing import Any, cast

from tahr.core.json_text import parse_json
from tahr.data.code_rows.packed import read_json
from tahr.data.columns import RowError
from tahr.data.rows import Row


def cell(row: Row, column: str | None) -> Any:
    """A cell, or what a dotted name finds in a table or JSON text; None where there is nothing. Raises RowError."""
    if column is None:
        return None
    if column in row.values:
        return row.values[column]
    name, *path = column.split(".")
    value: Any = row.values.get(name)
    for key in path:
        value = read_json(value or None, name)
        value = cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
    return value


def text(row: Row, column: str | None) -> str:
    """A cell's text with plain line ends; "" where it is empty. Raises RowError for anything but text or a number."""
    value = cell(row, column)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowError(f"column {column!r} holds no text but {type(value).__name__}: {repr(value)[:80]}")
    return str(value).replace("\r\n", "\n")


def texts(row: Row, column: str | None) -> list[str]:
    """A cell that is a list of texts, as such or as JSON; [] where it is empty. Raises RowError."""
    value = cell(row, column)
    found = read_json(value or [], str(column))
    if not isinstance(found, list) or not all(isinstance(one, str) for one in cast("list[Any]", found)):
        raise RowError(f"column {column!r} holds no list of texts: {repr(found)[:80]}")
    return [one.replace("\r\n", "\n") for one in cast("list[str]", found)]


def text_or_texts(row: Row, column: str | None) -> list[str]:
    """A cell that is a text, a list of texts, or a JSON list of texts; [] where it is empty. Raises RowError."""
    value = cell(row, column)
    if not isinstance(value, str):
        return texts(row, column)
    try:
        listed = isinstance(parse_json(value), list)
    except ValueError:
        listed = False  # a program, not JSON
    return texts(row, column) if listed else [value.replace("\r\n", "\n")] if value.strip() else []
