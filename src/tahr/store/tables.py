"""Parquet files of a run, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError
from tahr.store.files import write_file, written_whole


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], schema: Any) -> None:
    """Write `rows` as Parquet with the `pyarrow.Schema` given (its metadata is kept)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    write_file(path, buffer.getvalue().to_pybytes())


def write_batches(path: Path, batches: Iterable[Sequence[Mapping[str, Any]]], schema: Any) -> None:
    """Write rows as `write_table` does, a batch at a time: no more than one of them is in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with written_whole(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        for rows in batches:
            writer.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=schema))


def read_table(path: Path, *, leaving: Sequence[str] = ()) -> Any:
    """The `pyarrow.Table` of one file, without the columns in `leaving`. Raises InputError where it is missing or
    damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        return file.read([name for name in file.schema_arrow.names if name not in leaving] if leaving else None)
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{path} can't be read as Parquet", received=str(error), instead="delete the file; the rest stays usable"
        ) from error


def is_table(path: Path) -> bool:
    """Whether a file has a readable Parquet footer."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        pq.read_metadata(path)
    except (OSError, pa.ArrowException):
        return False
    return True


def clean_text(text: str) -> str:
    """Text that UTF-8 can hold: lone surrogates, which a model's bytes may decode to, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
