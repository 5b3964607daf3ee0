"""Tasks from a local file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.columns import Columns
from tahr.data.rows import read_rows


@task_sources.register("file")
@dataclass(frozen=True, slots=True, kw_only=True)
class File(Columns):
    """Tasks from a local JSONL, JSON, CSV, TSV or Parquet file, a row each, in an order shuffled by the seed."""

    path: Annotated[str, Field(min_length=1, description="the file, from the working folder")]

    def generate(self, count: int, seed: int) -> list[Task]:
        """`count` tasks; fewer where the file has fewer rows. Raises InputError that names the faulty rows."""
        return self.tasks(read_rows(Path(self.path).expanduser()), count, seed)
