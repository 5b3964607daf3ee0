"""Whether a file of rows has the columns that a job reads, found out before anything is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from tahr.core.errors import InputError, nearest_name, raise_all
from tahr.core.json_text import parse_json
from tahr.evaluation.bulk.judges import RowFormat

FIRST_ROWS, FIRST_BYTES = 100, 2**20

_OPTIONS = {"prompt": '--prompt {0}, or --prompt ""', "answer": "--answer {0}", "response": "--response {0}"}


def check_columns(path: Path, columns: RowFormat) -> None:
    """Raise InputError, all faults in one, for a column that none of the first rows has, with those that are there.

    Rows that are no JSON objects are passed over: they are errors of their own.
    """
    known = _first_columns(path)
    if not known:
        return
    wanted = {name: getattr(columns, name) for name in ("prompt", "answer", "response", "id", "example")}
    raise_all(
        InputError(
            f"no column {column!r} for the {name}, in the first rows of {path}",
            received=f"the columns {', '.join(known)}"[:500],
            instead=_instead(name, column, known),
        )
        for name, column in wanted.items()
        if column is not None and column not in known
    )


def _instead(name: str, column: str, known: list[str]) -> str:
    nearest = nearest_name(column, known)
    hint = f"did you mean {nearest!r}? " if nearest else ""
    return hint + _OPTIONS.get(name, f"--{name} {{0}}").format(nearest or "COLUMN")


def _first_columns(path: Path) -> list[str]:
    """Names of the columns of the first rows, in their order."""
    known: dict[str, None] = {}
    with path.open("rb") as file:
        for line in file.read(FIRST_BYTES).removeprefix(b"\xef\xbb\xbf").split(b"\n")[:FIRST_ROWS]:
            try:
                row: Any = parse_json(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                known |= dict.fromkeys(cast("dict[str, Any]", row))
    return list(known)
