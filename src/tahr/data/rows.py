"""Rows of a local file: JSON lines, JSON, CSV, TSV or Parquet, one by one; a fault is an error that names the line."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tahr.core.errors import InputError
from tahr.core.json_text import parse_json

BATCH_ROWS = 1024
"""Rows of a Parquet file that are read at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row and where it stands: a line of a text file, a row (from 1) of a table.

    Example: ``Row(place="questions.jsonl, line 3", values={"prompt": "2 + 3?", "answer": "5"})``
    """

    place: str
    values: dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """Every row of `path`, in order. Raises InputError: no such file, unknown format, unreadable or malformed."""
    rows = list(stream_rows(path))
    if not rows:
        raise InputError(f"{path} holds no rows")
    return rows


def stream_rows(path: Path) -> Iterator[Row]:
    """The rows of `path` as they are read: no more than one batch of them is in memory, but for a JSON list.

    Raises InputError as `read_rows` does, where the fault is reached; a file without rows gives none.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"the format of {path} is unknown", received=path.suffix, instead=", ".join(sorted(READERS)))
    if not path.is_file():
        raise InputError(f"there is no file {path}", received=str(path), instead="a path from the working folder")
    try:
        yield from reader(path)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text", received=f"byte {error.start}: {error.reason}") from None
    except OSError as error:
        raise InputError(f"{path} can't be read: {error}") from error


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _object(_parsed(line, f"{path}, line {number}"), f"{path}, line {number}")


def _json(path: Path) -> Iterator[Row]:
    """A list of objects, or JSON lines under the name .json."""
    text = path.read_text(encoding="utf-8-sig")
    if not text.lstrip().startswith("["):
        yield from _json_lines(path)
        return
    for number, item in enumerate(_parsed(text, str(path)), start=1):
        yield _object(item, f"{path}, item {number}")


def _parsed(text: str, place: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise InputError(f"{place}: not JSON: {error}", received=text[:200].rstrip("\n")) from None


def _object(value: Any, place: str) -> Row:
    if not isinstance(value, dict):
        raise InputError(f"{place}: a row must be a JSON object", received=repr(value)[:200])
    return Row(place=place, values=cast("dict[str, Any]", value))


def _separated(delimiter: str) -> Callable[[Path], Iterator[Row]]:
    def read(path: Path) -> Iterator[Row]:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
            try:
                yield from _table(reader, path)
            except csv.Error as error:
                raise InputError(f"{path}, line {reader.line_num}: {error}") from None

    return read


def _table(reader: Any, path: Path) -> Iterator[Row]:
    """Rows of a CSV reader under the names of its first line."""
    header: list[str] = next(reader, [])
    if len(set(header)) < len(header):
        raise InputError(f"{path}, line 1: a column's name stands twice", received=", ".join(header))
    for cells in reader:
        place = f"{path}, line {reader.line_num}"
        if not cells:
            continue
        if len(cells) != len(header):
            raise InputError(f"{place}: {len(cells)} cells under {len(header)} columns", received=repr(cells)[:200])
        yield Row(place=place, values=dict(zip(header, cells, strict=True)))


def _parquet(path: Path) -> Iterator[Row]:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=BATCH_ROWS):
                table: list[dict[str, Any]] = batch.to_pylist()
                for values in table:
                    number += 1
                    yield Row(place=f"{path}, row {number}", values=values)
    except (arrow.ArrowException, ValueError) as error:
        raise InputError(f"{path} is not a readable Parquet file: {str(error)[:300]}") from None


READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
    ".csv": _separated(","),
    ".tsv": _separated("\t"),
    ".parquet": _parquet,
}
