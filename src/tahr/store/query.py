"""Questions over one run or many, answered by DuckDB.

Four views: ``runs`` (one row per run), ``metrics`` (run, stage, step, time, name, value), ``rollouts`` and
``evaluations`` (one row per attempt, as their files hold them, with the run's name). Damaged files are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tahr.core.errors import InputError
from tahr.store import evaluations, rollouts
from tahr.store.summary import RunSummary, summarise
from tahr.store.tables import is_table

Order = Literal["stored", "best", "worst"]

_SIGNS_OF_A_RUN = ("manifest.json", "recipe.toml", "metrics.jsonl", ".lock")
_ORDER_BY = {
    "stored": "filename, file_row_number",
    "best": "reward DESC NULLS LAST, filename, file_row_number",
    "worst": "reward ASC NULLS LAST, filename, file_row_number",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a query.

    Example: ``Answer(columns=("run", "reward"), rows=(("tiny-20260105-100000", 0.93),))``
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def find_runs(where: Path | Sequence[Path]) -> list[Path]:
    """Run folders, broken ones too: `where` itself if it is one, else those in it; by name.

    Raises InputError where a path does not exist.
    """
    paths = [where] if isinstance(where, Path) else list(where)
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            raise InputError(f"there is no folder {path}", received=str(path), instead="a run folder, or one of runs")
        found += [path] if _looks_like_run(path) else sorted(filter(_looks_like_run, path.iterdir()))
    return [path.resolve() for path in found]


def list_runs(root: Path) -> list[RunSummary]:
    """What `tahr runs` shows: one summary per run under `root`, newest first; broken folders last.

    An absent `root` has no runs.
    """
    if not root.is_dir():
        return []
    summaries = [summarise(folder) for folder in find_runs(root)]
    return sorted(summaries, key=lambda one: (one.created, one.name), reverse=True)


def find_rollouts(
    where: Path | Sequence[Path],
    *,
    stage: str | None = None,
    step: int | None = None,
    task: str | None = None,
    order: Order = "stored",
    limit: int | None = 20,
) -> list[dict[str, Any]]:
    """Attempts as dictionaries of `tahr.store.rollouts.schema`'s columns and ``run``; `parts` is a dictionary.

    `step` -1 is the last step that has rollouts. `task` is the beginning of a task id, or a domain. Attempts without
    a reward come last among best and worst.
    """
    tests = {
        "stage = ?": stage,
        "step = ?": step if step is None or step >= 0 else _last_step(where, stage),
        "(starts_with(task_id, ?) OR domain = ?)": task,
    }
    chosen = {test: value for test, value in tests.items() if value is not None}
    condition = " AND ".join(chosen) or "true"
    values = [value for test, value in chosen.items() for _ in range(test.count("?"))]
    query = f"SELECT * FROM rollouts WHERE {condition} ORDER BY {_ORDER_BY[order]}"
    answer = sql(where, query + (f" LIMIT {int(limit)}" if limit is not None else ""), values)
    rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    return [{name: value for name, value in row.items() if name not in ("filename", "file_row_number")} for row in rows]


def sql(where: Path | Sequence[Path], query: str, values: Sequence[object] = ()) -> Answer:
    """Ask anything; `values` fill the query's ``?``. Raises InputError with DuckDB's message on a bad query."""
    import duckdb

    with _database(find_runs(where)) as connection:
        try:
            result = connection.execute(query, list(values))
            columns = tuple(column[0] for column in result.description or ())
            return Answer(columns=columns, rows=tuple(result.fetchall()))
        except duckdb.Error as error:
            raise InputError(
                f"the query failed: {error}", instead="SQL over the views runs, metrics, rollouts and evaluations"
            ) from error


def _looks_like_run(path: Path) -> bool:
    return path.is_dir() and any((path / name).exists() for name in _SIGNS_OF_A_RUN)


def _last_step(where: Path | Sequence[Path], stage: str | None) -> int:
    paths = [path for folder in find_runs(where) for path in rollouts.list_rollouts(folder)]
    steps = [rollouts.stage_and_step(path) for path in paths]
    return max((step for name, step in steps if stage in (None, name)), default=0)


def _database(folders: Sequence[Path]) -> Any:
    """An in-memory database with the four views."""
    import duckdb
    import pyarrow as pa

    connection: Any = duckdb.connect()
    summaries = [summarise(folder) for folder in folders]
    connection.register("runs", pa.Table.from_pylist([one.as_row() for one in summaries], schema=_runs_schema()))
    connection.register("metrics", pa.Table.from_pylist(list(_metrics_rows(summaries)), schema=_metrics_schema()))
    files = [path for folder in folders for path in rollouts.list_rollouts(folder)]
    _register_files(connection, "rollouts", files, rollouts.schema())
    files = [path for folder in folders for path in evaluations.evaluation_paths(folder)]
    _register_files(connection, "evaluations", files, evaluations.schema())
    return connection


def _register_files(connection: Any, view: str, paths: Iterable[Path], schema: Any) -> None:
    """A view over Parquet files, each of which lies in ``RUN/folder/``; over an empty table where there are none."""
    readable = [str(path) for path in paths if is_table(path)]
    if not readable:
        connection.register(f"no_{view}", schema.empty_table())
        source = f"(SELECT *, '' AS filename, 0 AS file_row_number FROM no_{view})"
    else:
        names = ", ".join(map(_quote, readable))
        source = f"read_parquet([{names}], filename = true, file_row_number = true, union_by_name = true)"
    connection.execute(f"CREATE VIEW {view} AS SELECT parse_path(filename)[-3] AS run, * FROM {source}")


def _quote(path: str) -> str:
    """A path as an SQL text in which DuckDB finds no pattern."""
    literal = re.sub(r"([*?\[])", r"[\1]", path)
    return "'" + literal.replace("'", "''") + "'"


def _metrics_rows(summaries: Iterable[RunSummary]) -> Iterable[dict[str, Any]]:
    for summary in summaries:
        for row in summary.metrics:
            for name, value in row.metrics.items():
                yield {
                    "run": summary.name,
                    "stage": row.stage,
                    "step": row.step,
                    "time": row.time,
                    "name": name,
                    "value": value,
                }


def _metrics_schema() -> Any:
    import pyarrow as pa

    return pa.schema(
        [
            ("run", pa.string()),
            ("stage", pa.string()),
            ("step", pa.int32()),
            ("time", pa.float64()),
            ("name", pa.string()),
            ("value", pa.float64()),
        ]
    )


def _runs_schema() -> Any:
    import pyarrow as pa

    texts = ("run", "folder", "name", "description", "status", "created", "stage", "recipe_hash", "git_revision")
    numbers = ("reward", "seconds", "difference")
    return pa.schema(
        [
            *((name, pa.string()) for name in texts),
            *((name, pa.int64()) for name in ("step", "seed")),
            *((name, pa.float64()) for name in numbers),
            ("problem", pa.string()),
        ]
    )
