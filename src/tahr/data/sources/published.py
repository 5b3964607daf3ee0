"""Published test sets by hub name, or from a local file or folder in the very layout of the published one.

They are for evaluation: `evaluation_only` keeps them out of every training split unless a recipe says otherwise.
``meta["question"]`` is the question as published, without the wording and the order of choices that are ours: it is
what is looked for in training rows, and what decides a suite's split.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tahr.core.seeding import stream
from tahr.core.types import Task
from tahr.data.columns import Column, RowError, tasks_of
from tahr.data.rows import Row, read_rows
from tahr.data.shards import find_shards

ASK_ANSWER = 'End with a last line "Answer: ...", with nothing but the answer in the place of the dots.'


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The rows of a published test set, in an order shuffled by the seed."""

    evaluation_only: ClassVar[bool] = True
    finite: ClassVar[bool] = True
    dataset: ClassVar[str]
    split: ClassVar[str] = "test"
    config: ClassVar[str | None] = None

    name: Annotated[
        Column, Field(description="owner/name on the hub or a local file or folder, instead of the data set's own name")
    ] = None
    revision: Annotated[Column, Field(description="branch, tag or commit on the hub")] = None
    endpoint: Annotated[Column, Field(description="address of another hub")] = None

    def generate(self, count: int, seed: int) -> list[Task]:
        """`count` tasks; fewer where there are fewer rows.

        Raises InputError that names faulty rows, OutOfReachError where the hub is out of reach.
        """
        made = tasks_of(self.rows(), lambda row: self.task(row, seed))
        distinct = list({task.id: task for task in made}.values())
        stream(seed, f"tasks.{self.dataset}").shuffle(distinct)
        return distinct[:count]

    def rows(self) -> list[Row]:
        """The rows of the files that `paths` gives."""
        return [row for path in self.paths() for row in read_rows(path)]

    def paths(self) -> list[Path]:
        """The files that hold the rows."""
        return self.shards(self.config)

    def shards(self, config: str | None) -> list[Path]:
        """The files of one configuration."""
        return find_shards(
            self.name or self.dataset,
            split=self.split,
            config=config,
            revision=self.revision,
            endpoint=self.endpoint,
        )

    @abstractmethod
    def task(self, row: Row, seed: int) -> Task:
        """The task of one row; `seed` orders choices. Raises RowError."""


def text_in(row: Row, column: str) -> str:
    """A column's text without spaces at its ends. Raises RowError where there is none."""
    value: Any = row.values.get(column)
    if not isinstance(value, str | int | float) or not str(value).strip():
        raise RowError(f"no text in column {column!r}")
    return str(value).strip()


def order_of(question: str, seed: int) -> Random:
    """The random stream that orders the choices of one question, wherever its row stands."""
    return stream(seed, f"choices.{question}")
