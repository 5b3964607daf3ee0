"""CSV as it is written: which fields of a table stand in double quotes."""

from __future__ import annotations

from dataclasses import dataclass

import regex

_FENCED = regex.compile(r"^```[^\n`]*\n(.*?)^```[ \t]*$", regex.MULTILINE | regex.DOTALL)
_FIELD = r'[ ]*(?:"(?P<quoted>(?:[^"\n]|"")*)"[ ]*|(?P<bare>[^"\n{separator}]*))(?P<end>{separator}|\n|\Z)'


@dataclass(frozen=True, slots=True)
class Cell:
    """A field without its quotes, and whether it had some. Example: ``Cell("a,b", True)``"""

    value: str
    quoted: bool


def read_table(text: str, separator: str) -> list[list[Cell]] | None:
    """The rows of the fenced block in `text`, or of `text` where it has none; None where that is no table.

    Blank lines are no rows. A quote inside a quoted field is doubled; one inside another field is a fault, and so is a
    line break in a field.
    """
    fenced = _FENCED.findall(text + "\n")
    if len(fenced) > 1:
        return None
    body = "\n".join(line for line in (fenced[0] if fenced else text).split("\n") if line.strip())
    pattern = regex.compile(_FIELD.format(separator=regex.escape(separator)))
    rows: list[list[Cell]] = [[]]
    position = 0
    while True:
        match = pattern.match(body, position)
        if match is None:
            return None
        quoted = match["quoted"]
        rows[-1].append(
            Cell(match["bare"].strip() if quoted is None else quoted.replace('""', '"'), quoted is not None)
        )
        position = match.end()
        if not match["end"]:
            return rows
        if match["end"] == "\n":
            rows.append([])
