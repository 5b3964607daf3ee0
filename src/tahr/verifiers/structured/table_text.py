"""Tables in text: Markdown's, and those of separated values."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from tahr.core.visible import without_blank_ends
from tahr.verifiers.text import outside_comments

MAX_TABLE_CHARS = 200_000
_DASHES = re.compile(r":?-+:?")
_BAR = re.compile(r"(?<!\\)\|")

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """One table: the header's cells and those of the rows, what no reader sees at their ends removed.

    Example: ``Grid(header=("name", "age"), rows=(("Ada", "36"),))``
    """

    header: Row
    rows: tuple[Row, ...]


class NoTableError(Exception):
    """There is no table, or not one; the message says why."""


def read_markdown(text: str) -> tuple[Grid, bool]:
    """The one table of a Markdown text, and whether there is text outside of it. Raises NoTableError.

    One within an HTML comment is none. A table is a header, a row of dashes with as many cells, and the rows that
    follow until a line without a bar.
    """
    if len(text) > MAX_TABLE_CHARS:
        raise NoTableError(f"longer than {MAX_TABLE_CHARS} characters")
    shown = outside_comments(text)
    lines = [line.strip() for line in shown.split("\n") if not line.lstrip().startswith(("```", "~~~"))]
    starts = [place for place in range(len(lines) - 1) if _is_header(lines[place], lines[place + 1])]
    if len(starts) != 1:
        raise NoTableError(f"{len(starts)} tables, not one")
    start = starts[0]
    end = next((place for place in range(start + 2, len(lines)) if "|" not in lines[place]), len(lines))
    rows = tuple(_cells(line) for line in lines[start + 2 : end])
    return Grid(header=_cells(lines[start]), rows=rows), shown != text or any([*lines[:start], *lines[end:]])


def _is_header(line: str, below: str) -> bool:
    if "|" not in line or "|" not in below or "-" not in below:
        return False
    dashes = _cells(below)
    return all(_DASHES.fullmatch(cell) for cell in dashes) and len(dashes) == len(_cells(line))


def _cells(line: str) -> Row:
    """The cells of a row; bars at its ends are optional, and ``\\|`` is a bar within a cell."""
    inner = line.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return tuple(without_blank_ends(cell).replace("\\|", "|") for cell in _BAR.split(inner))


def read_separated(text: str, separator: str) -> Grid:
    """A table of separated values, the first line its header. Raises NoTableError, whatever the text is."""
    if len(text) > MAX_TABLE_CHARS:
        raise NoTableError(f"longer than {MAX_TABLE_CHARS} characters")
    try:
        rows = [
            tuple(without_blank_ends(cell) for cell in row)
            for row in csv.reader(without_blank_ends(text).splitlines(keepends=True), delimiter=separator, strict=True)
        ]
    except csv.Error as error:
        raise NoTableError(f"not separated values: {error}") from None
    if not rows:
        raise NoTableError("no lines")
    return Grid(header=rows[0], rows=tuple(rows[1:]))
