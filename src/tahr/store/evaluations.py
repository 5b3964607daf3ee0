"""The evaluations of a run: one Parquet file each, one row per attempt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from tahr.store.records import Conditions, Evaluation, EvaluationRow
from tahr.store.tables import clean_text, read_table, write_table

EVALUATIONS_FOLDER = "evaluations"

TEXTS = ("prompt", "answer", "text", "note")
"""Columns that hold what models and people wrote."""

LONG = ("prompt", "answer", "text")
"""Those of them that hold most of a file's bytes."""


def schema() -> Any:
    """The file's `pyarrow.Schema`."""
    import pyarrow as pa

    return pa.schema(
        [
            ("name", pa.string()),
            ("stage", pa.string()),
            ("step", pa.int32()),
            ("split", pa.string()),
            ("task_id", pa.string()),
            ("domain", pa.string()),
            ("index", pa.int32()),
            ("prompt", pa.string()),
            ("answer", pa.string()),
            ("text", pa.string()),
            ("score", pa.float64()),
            ("parts", pa.map_(pa.string(), pa.float64())),
            ("outcome", pa.string()),
            ("note", pa.string()),
            ("num_tokens", pa.int32()),
            ("finish_reason", pa.string()),
            ("num_prompt_tokens", pa.int32()),
            ("extracted", pa.string()),
            ("logprob", pa.float64()),
            ("num_tokens_to_answer", pa.int32()),
            ("cluster", pa.string()),
        ]
    )


def write_evaluation(folder: Path, evaluation: Evaluation) -> Path:
    """Write one evaluation of the run `folder`; the same stage, step and name replaces the earlier file."""
    path = evaluation_path(folder, evaluation)
    path.parent.mkdir(exist_ok=True)
    head = _head(evaluation)
    write_table(path, [{**head, **row_values(row)} for row in evaluation.rows], schema_about(evaluation))
    return path


def evaluation_path(folder: Path, evaluation: Evaluation) -> Path:
    """Where an evaluation of the run `folder` is kept."""
    safe_name = re.sub(r"[^A-Za-z0-9._-]", "_", evaluation.name)
    return folder / EVALUATIONS_FOLDER / f"{evaluation.stage}-{evaluation.step:06d}-{safe_name}.parquet"


def schema_about(evaluation: Evaluation) -> Any:
    """The file's schema with what it says of the whole: an evaluation without rows must still say which one it is."""
    about = {f"tahr.{key}": str(value) for key, value in _head(evaluation).items()}
    if evaluation.conditions is not None:
        about["tahr.conditions"] = json.dumps(asdict(evaluation.conditions), ensure_ascii=False)
    return schema().with_metadata(about)


def read_evaluation(path: Path, *, texts: bool = True) -> Evaluation:
    """One evaluation; without `texts`, prompts and answers, right ones and the model's, are empty, which thousands of
    rows are read quicker for. Raises InputError where the file is damaged."""
    table = read_table(path, leaving=() if texts else LONG)
    about = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    conditions = json.loads(about.get("tahr.conditions", "null"))
    return Evaluation(
        name=about["tahr.name"],
        stage=about["tahr.stage"],
        step=int(about["tahr.step"]),
        split=about["tahr.split"],
        rows=tuple(read_row(values) for values in table.to_pylist()),
        conditions=None if conditions is None else Conditions(**conditions),
    )


def evaluation_paths(folder: Path) -> list[Path]:
    """Files of the run `folder`, in no meaningful order."""
    return sorted((folder / EVALUATIONS_FOLDER).glob("[!.]*.parquet"))


def in_order(evaluations: Iterable[Evaluation], stages: tuple[str, ...]) -> list[Evaluation]:
    """By stage, step, and at one step what was evaluated "before" first and "after" (the stage, or all) last."""
    place = {stage: index for index, stage in enumerate(stages)}

    def rank(name: str) -> int:
        return 0 if name == "before" else 2 if name.startswith("after") else 1

    return sorted(evaluations, key=lambda e: (place.get(e.stage, len(place)), e.step, rank(e.name), e.name))


def row_values(row: EvaluationRow) -> dict[str, Any]:
    """A row as its columns hold it: texts that UTF-8 can hold, parts as pairs."""
    values = {field.name: getattr(row, field.name) for field in fields(row)}
    texts = {name: clean_text(values[name]) for name in TEXTS}
    extracted = None if row.extracted is None else clean_text(row.extracted)
    return {**values, **texts, "extracted": extracted, "parts": list(row.parts.items())}


def read_row(values: dict[str, Any]) -> EvaluationRow:
    """The row that `row_values` wrote, of this version or an earlier one."""
    # a file from before a column existed lacks it: the field's default says so
    columns: dict[str, Any] = {
        field.name: values[field.name] for field in fields(EvaluationRow) if field.name in values
    }
    columns["parts"] = dict(values["parts"])
    if values.get("num_prompt_tokens") == 0 and values["finish_reason"] != "out_of_budget":
        columns |= {"num_tokens": None, "num_prompt_tokens": None}  # earlier versions wrote 0 for what nobody counted
    columns |= {name: "" for name in LONG if name not in columns}
    return EvaluationRow(**columns)


def _head(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "name": evaluation.name,
        "stage": evaluation.stage,
        "step": evaluation.step,
        "split": evaluation.split,
    }
