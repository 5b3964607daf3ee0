"""Evaluations as one flat table, a row an attempt: CSV for people's tools, Parquet for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from tahr.evaluation.exports.result import Result
from tahr.store.files import write_file
from tahr.store.records import Conditions, EvaluationRow
from tahr.store.tables import write_table

ABOUT = ("run", "evaluation", "stage", "step", "split")
CONDITIONS = ("suite", "setting", "model", "training", "weights", "seed", "temperature", "max_new_tokens")
ATTEMPT = tuple(field.name for field in fields(EvaluationRow) if field.name != "parts")
PART = "part."
"""Before the name of a component of the reward; its column is empty for attempts that don't have it."""


def write_csv(results: Sequence[Result], folder: Path) -> list[Path]:
    """Write ``RUN.csv``: UTF-8 with a header; an absent value is an empty field, a number is written in full."""
    names = columns(results)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names)
    writer.writeheader()
    for result in results:
        writer.writerows(rows(result))
    path = folder / f"{results[0].run_name}.csv"
    write_file(path, text.getvalue().encode("utf-8", "replace"))
    return [path]


def write_parquet(results: Sequence[Result], folder: Path) -> list[Path]:
    """Write ``RUN.parquet`` with the same columns, typed; an absent value is null."""
    import pyarrow as pa

    schema = pa.schema([(name, _type(name, pa)) for name in columns(results)])
    path = folder / f"{results[0].run_name}.parquet"
    write_table(path, [row for result in results for row in rows(result)], schema)
    return [path]


def columns(results: Sequence[Result]) -> list[str]:
    """The table's columns: the evaluation, its conditions, the attempt, and every part that occurs."""
    parts = {name for result in results for row in result.evaluation.rows for name in row.parts}
    ordered = sorted(parts, key=lambda name: (name != "correct", name))
    return [*ABOUT, *CONDITIONS, *ATTEMPT, *(PART + name for name in ordered)]


def rows(result: Result) -> list[dict[str, Any]]:
    """The table's rows of one evaluation; a part that an attempt lacks is no key of its row."""
    evaluation, conditions = result.evaluation, asdict(result.conditions)
    about = (result.run_name, evaluation.name, evaluation.stage, evaluation.step, evaluation.split)
    head = {**dict(zip(ABOUT, about, strict=True)), **{name: conditions[name] for name in CONDITIONS}}
    return [
        {
            **head,
            **{name: getattr(row, name) for name in ATTEMPT},
            **{PART + name: value for name, value in row.parts.items()},
        }
        for row in evaluation.rows
    ]


def _type(name: str, pa: Any) -> Any:
    """Whole numbers and numbers as the records declare them, text otherwise."""
    if name.startswith(PART):
        return pa.float64()
    declared = {one.name: str(one.type) for kind in (Conditions, EvaluationRow) for one in fields(kind)}
    declared["step"] = "int"
    kind = declared.get(name, "str").split(" | ")[0]
    return {"int": pa.int64(), "float": pa.float64()}.get(kind, pa.string())
