"""Coding tasks from rows laid out like MBPP, APPS, LiveCodeBench, or in columns that a recipe names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import task_sources
from tahr.core.seeding import stream
from tahr.core.types import Task
from tahr.data.code_rows.cells import cell, text, text_or_texts
from tahr.data.code_rows.layout import CodeColumns, LayoutName, columns_of
from tahr.data.code_rows.statement import question_of, with_shown
from tahr.data.code_rows.tests import read_tests
from tahr.data.columns import MAX_FAULTS, RowError, plain_cell
from tahr.data.rows import Row, read_rows
from tahr.data.shards import find_shards

MAX_SOLUTIONS = 3
"""Solutions of one row that are tried until one passes."""


@dataclass(frozen=True, kw_only=True)
class CodeRows:
    """How rows become tasks for the "code" verifier.

    `solutions` decides about rows with a solution: "prove" leaves out those whose solutions all fail the row's own
    tests, "require" also rows that have none, "ignore" reads none, so that tasks can be tried but not imitated.
    `skipped` says after `generate` which rows could not be read.
    """

    layout: Annotated[LayoutName | None, Field(description="columns as in a well-known data set")] = None
    columns: Annotated[CodeColumns, Field(description="columns by what they hold, in place of the layout's")] = field(
        default_factory=CodeColumns
    )
    num_public: Annotated[
        int, Field(ge=0, le=10, description="tests shown in the question where the data set shows none itself")
    ] = 1
    tolerance: Annotated[float, Field(ge=0, lt=1, description="largest difference between floats")] = 0.0
    solutions: Annotated[
        Literal["prove", "require", "ignore"], Field(description="what is done with a row's own solutions")
    ] = "prove"
    faulty_rows: Annotated[
        Literal["refuse", "skip"], Field(description="what is done with rows that can't be read")
    ] = "refuse"
    skipped: list[str] = field(default_factory=list[str], init=False, compare=False)

    finite: ClassVar[bool] = True

    @property
    def evaluation_only(self) -> bool:
        """LiveCodeBench is a benchmark: nothing of it is trained on unless the task set says so."""
        return self.layout == "livecodebench"

    @property
    def drops_unproven(self) -> bool:
        """Whether a task whose own answer fails is left out and counted, instead of stopping the run."""
        return self.solutions != "ignore"

    def tasks(self, rows: Sequence[Row], count: int, seed: int) -> list[Task]:
        """`count` tasks in an order shuffled by `seed`; fewer where there are fewer rows. All rows are read.

        Raises InputError that names each faulty row and its column (up to `MAX_FAULTS`), unless those are skipped.
        """
        columns = columns_of(self.layout, self.columns)
        columns.check(rows[0])
        self.skipped.clear()
        tasks: dict[str, Task] = {}
        seen: dict[str, str] = {}
        for row in rows:
            try:
                self._check_id(row, columns, seen)
                task = self._task(row, columns)
            except RowError as fault:
                self.skipped.append(f"{row.place}: {fault}")
            else:
                if self.solutions != "require" or "example" in task.meta:
                    tasks.setdefault(task.id, task)
        if self.skipped and self.faulty_rows == "refuse":
            more = f"\n  and {len(self.skipped) - MAX_FAULTS} more" if len(self.skipped) > MAX_FAULTS else ""
            raise InputError(
                f"{len(self.skipped)} of {len(rows)} rows can't be tasks",
                received="\n  ".join(["", *self.skipped[:MAX_FAULTS]]) + more,
                instead='mended rows, or faulty_rows = "skip"',
            )
        distinct = list(tasks.values())
        stream(seed, "tasks.code_rows").shuffle(distinct)
        return distinct[:count]

    def _check_id(self, row: Row, columns: CodeColumns, seen: dict[str, str]) -> None:
        if columns.id is None:
            return
        value = text(row, columns.id)
        if not value:
            raise RowError(f"no id in column {columns.id!r}")
        if value in seen:
            raise RowError(f"column {columns.id!r}: the id {value!r} stands already at {seen[value]}")
        seen[value] = row.place

    def _task(self, row: Row, columns: CodeColumns) -> Task:
        """One row's task. Raises RowError that names the column."""
        statement = text(row, columns.statement).strip()
        if not statement:
            raise RowError(f"no statement in column {columns.statement!r}")
        given = read_tests(row, columns)
        tests, shown = with_shown(given, self.num_public)
        answer: dict[str, Any] = {"kind": tests.kind, "public": tests.public, "hidden": tests.hidden}
        answer |= {"entry_point": tests.entry_point} if tests.entry_point else {}
        answer |= {"setup": tests.setup} if tests.setup.strip() else {}
        answer |= {"tolerance": self.tolerance} if self.tolerance else {}
        return Task(
            prompt=question_of(statement, tests, shown, text(row, columns.starter)),
            answer=answer,
            verifier="code",
            domain=text(row, columns.domain) or "default",
            meta=self._meta(row, columns),
        )

    def _meta(self, row: Row, columns: CodeColumns) -> dict[str, Any]:
        meta: dict[str, Any] = {"row": row.place}
        if columns.id is not None:
            meta["id"] = text(row, columns.id)
        for name in columns.kept:
            meta[name] = plain_cell(cell(row, name))
        solutions = [] if self.solutions == "ignore" else text_or_texts(row, columns.solution)
        texts = [f"```python\n{one.strip()}\n```" for one in solutions[:MAX_SOLUTIONS] if one.strip()]
        meta |= {"example": texts[0]} if texts else {}
        return meta | ({"more_examples": texts[1:]} if texts[1:] else {})


@task_sources.register("code_file")
@dataclass(frozen=True, kw_only=True)
class CodeFile(CodeRows):
    """Coding tasks with their tests from a local file, in the layout of a known data set or in named columns."""

    path: Annotated[str, Field(min_length=1, description="a JSONL, JSON, CSV, TSV or Parquet file")]

    def generate(self, count: int, seed: int) -> list[Task]:
        """`count` tasks; fewer where the file has fewer rows. Raises InputError that names the faulty rows."""
        return self.tasks(read_rows(Path(self.path).expanduser()), count, seed)


@task_sources.register("code_hub")
@dataclass(frozen=True, kw_only=True)
class CodeHub(CodeRows):
    """Coding tasks with their tests from a hub dataset or a local folder, in a known layout or in named columns."""

    name: Annotated[str, Field(min_length=1, description="owner/name on the hub, or a local folder")]
    split: Annotated[str, Field(min_length=1, description="the dataset's own split to read")] = "train"
    config: Annotated[str | None, Field(description="the dataset's configuration: a folder in it, such as main")] = None
    revision: Annotated[str | None, Field(description="branch, tag or commit")] = None
    endpoint: Annotated[str | None, Field(description="address of another hub")] = None

    def generate(self, count: int, seed: int) -> list[Task]:
        """`count` tasks; fewer where there are fewer rows. Raises InputError, also where the hub is out of reach."""
        paths = find_shards(
            self.name, split=self.split, config=self.config, revision=self.revision, endpoint=self.endpoint
        )
        return self.tasks([row for path in paths for row in read_rows(path)], count, seed)
