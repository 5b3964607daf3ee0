"""IFBench, custom: three tables in CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import regex

from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.response import Response
from tahr.verifiers.instructions.tables import Cell, read_table

_NUMERIC = regex.compile(r"[$\u20ac\u00a3]?[\d.,\s]+%?")


def _table(response: Response, columns: Sequence[str], num_rows: int, separator: str) -> list[list[Cell]] | Finding:
    """The rows of a table with these columns and no empty field, its header first; or what is wrong with it."""
    rows = read_table(response.text, separator)
    if rows is None or [cell.value for cell in rows[0]] != list(columns):
        return Finding(False, f"no table that begins with the header {separator.join(columns)!r}")
    if len(rows) != num_rows + 1:
        return Finding(False, f"{len(rows) - 1} rows instead of {num_rows}")
    faulty = next((i for i, row in enumerate(rows) if len(row) != len(columns) or not all(c.value for c in row)), None)
    return rows if faulty is None else Finding(False, f"row {faulty} has not {len(columns)} filled fields")


@instructions.register("custom:csv_city")
@dataclass(frozen=True, slots=True, kw_only=True)
class CsvCity:
    """A CSV table (alone, or the only fenced block) of the columns ID, Country, City, Year and Count and 7 rows below.

    Quotes are read as CSV has them. The reference checker refuses a fenced table.
    """

    admits: ClassVar[frozenset[str]] = frozenset({"repetition"})
    columns: ClassVar[tuple[str, ...]] = ("ID", "Country", "City", "Year", "Count")

    def kept(self, response: Response) -> Finding:
        """Whether the table is there."""
        table = _table(response, self.columns, 7, ",")
        return table if isinstance(table, Finding) else Finding(True)

    def describe(self) -> str:
        """The task."""
        return f"Write a CSV table of cities with the header {','.join(self.columns)} and seven rows below it."


@instructions.register("custom:csv_special_character")
@dataclass(frozen=True, slots=True, kw_only=True)
class CsvSpecialCharacter:
    """A CSV table of the columns ProductID, Category, Brand, Price and Stock and 14 rows, in which at least one field
    that isn't a plain number holds a special character and stands in double quotes.

    A special character is one that is no ASCII letter, digit or space. The reference checker takes the point of a price
    for one.
    """

    admits: ClassVar[frozenset[str]] = frozenset({"repetition"})
    columns: ClassVar[tuple[str, ...]] = ("ProductID", "Category", "Brand", "Price", "Stock")

    def kept(self, response: Response) -> Finding:
        """Whether the table is there and has such a field."""
        table = _table(response, self.columns, 14, ",")
        if isinstance(table, Finding):
            return table
        special = any(cell.quoted and _is_special(cell.value) for row in table[1:] for cell in row)
        return Finding(special, "" if special else "no field in quotes with a special character")

    def describe(self) -> str:
        """The task."""
        return (
            f"Write a CSV table with the header {','.join(self.columns)} and 14 rows below it; let one field hold a "
            "special character and stand in double quotes."
        )


def _is_special(value: str) -> bool:
    marks = [mark for mark in value if not mark.isspace() and not (mark.isascii() and mark.isalnum())]
    return bool(marks) and not _NUMERIC.fullmatch(value)


@instructions.register("custom:csv_quotes")
@dataclass(frozen=True, slots=True, kw_only=True)
class CsvQuotes:
    """A table of the columns StudentID, Subject, Grade, Semester and Score and 3 rows, separated by tabs, every field
    of it (the header's too) in double quotes.

    The reference checker refuses a fenced table.
    """

    admits: ClassVar[frozenset[str]] = frozenset({"repetition"})
    columns: ClassVar[tuple[str, ...]] = ("StudentID", "Subject", "Grade", "Semester", "Score")

    def kept(self, response: Response) -> Finding:
        """Whether the table is there and all is in quotes."""
        table = _table(response, self.columns, 3, "\t")
        if isinstance(table, Finding):
            return table
        bare = next((cell.value for row in table for cell in row if not cell.quoted), None)
        return Finding(bare is None, f"{bare!r} has no quotes" if bare else "")

    def describe(self) -> str:
        """The task."""
        return (
            f"Write a table with the columns {', '.join(self.columns)} and three rows below the header, separated by "
            "tabs, with every field in double quotes."
        )
