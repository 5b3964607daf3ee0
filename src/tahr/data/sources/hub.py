"""Tasks from a dataset on the hub, or from a local folder in the same layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.columns import Columns
from tahr.data.rows import Row, read_rows
from tahr.data.shards import find_shards


@task_sources.register("hub")
@dataclass(frozen=True, slots=True, kw_only=True)
class Hub(Columns):
    """Tasks from the Parquet, JSONL or CSV files of a hub dataset (owner/name), or of a local folder laid out so.

    Files are found by the dataset's own split in their name or folder: ``main/train-00000-of-00001.parquet``,
    ``data/train.jsonl``. The splits of the task set are tahr's own, by content.
    """

    name: Annotated[str, Field(min_length=1, description="owner/name on the hub, or a local folder")]
    split: Annotated[str, Field(min_length=1, description="the dataset's own split to read")] = "train"
    config: Annotated[str | None, Field(description="the dataset's configuration: a folder in it, such as main")] = None
    revision: Annotated[str | None, Field(description="branch, tag or commit")] = None
    endpoint: Annotated[str | None, Field(description="address of another hub")] = None

    def generate(self, count: int, seed: int) -> list[Task]:
        """`count` tasks; fewer where there are fewer rows. Raises InputError, also where the hub is out of reach."""
        rows: list[Row] = []
        for path in find_shards(
            self.name, split=self.split, config=self.config, revision=self.revision, endpoint=self.endpoint
        ):
            rows.extend(read_rows(path))
        return self.tasks(rows, count, seed)
