"""An evaluation under way: its rows are written as they come, and put in order when all are there.

Rows come in the order in which questions end, which says more of their length than of anything else. They are kept as
lines of JSON in ``evaluations/STAGE-STEP-NAME.partial.jsonl``; of those already written only their places in the file
are in memory. `finish` makes the evaluation's Parquet file of them, in the order of the questions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Self

from tahr.core.errors import InputError
from tahr.store.evaluations import (
    EVALUATIONS_FOLDER,
    evaluation_path,
    read_row,
    row_values,
    schema_about,
)
from tahr.store.files import disk_errors
from tahr.store.records import Conditions, Evaluation, EvaluationRow
from tahr.store.tables import write_batches

ENDING = ".partial.jsonl"

BATCH = 500
"""Rows that are in memory at once while the Parquet file is written."""


class EvaluationJournal:
    """The rows of one evaluation of the run `folder`; one that was left there by an interrupted call is begun anew.

    What `add` was given is with the operating system when it returns: a killed process loses nothing. Raises
    ResourceError on a full disk.

    Example: ``EvaluationJournal(run.folder, name="bare", stage="eval", step=0, split="all")``
    """

    def __init__(self, folder: Path, *, name: str, stage: str, step: int, split: str) -> None:
        self._head = Evaluation(name=name, stage=stage, step=step, split=split, rows=())
        self._target = evaluation_path(folder, self._head)
        self.path = self._target.with_name(self._target.stem + ENDING)
        self._offsets: dict[int, int] = {}
        self._end = 0
        with disk_errors(folder):
            self.path.parent.mkdir(exist_ok=True)
            self._file: BinaryIO = self.path.open("w+b")
        self._append({"name": name, "stage": stage, "step": step, "split": split})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, place: int, rows: Sequence[EvaluationRow]) -> None:
        """Keep the rows of the question that stands at `place`."""
        self._offsets[place] = self._end
        self._append({"place": place, "rows": [row_values(row) for row in rows]})

    def finish(self, conditions: Conditions | None) -> Path:
        """Write all rows as the evaluation's file, in the order of their places, and delete the journal."""
        head = replace(self._head, conditions=conditions)
        write_batches(self._target, self._batches(), schema_about(head))
        self._file.close()
        self.path.unlink(missing_ok=True)
        return self._target

    def _append(self, values: dict[str, Any]) -> None:
        line = json.dumps(values).encode() + b"\n"
        with disk_errors(self.path.parent):
            self._file.seek(self._end)
            self._file.write(line)
            self._file.flush()
        self._end += len(line)

    def _batches(self) -> Iterator[list[dict[str, Any]]]:
        one = self._head
        head = {"name": one.name, "stage": one.stage, "step": one.step, "split": one.split}
        batch: list[dict[str, Any]] = []
        for place in sorted(self._offsets):
            self._file.seek(self._offsets[place])
            batch += [
                {**head, **values, "parts": [tuple(part) for part in values["parts"]]}
                for values in json.loads(self._file.readline())["rows"]
            ]
            if len(batch) >= BATCH:
                yield batch
                batch = []
        if batch:
            yield batch


def unfinished_evaluations(folder: Path) -> list[Evaluation]:
    """What evaluations of the run `folder` that have not ended have so far, in the order in which questions ended."""
    return [read_journal(path) for path in sorted((folder / EVALUATIONS_FOLDER).glob(f"*{ENDING}"))]


def read_journal(path: Path) -> Evaluation:
    """The evaluation as far as it came; a last line that is cut is left out. Raises InputError for another file."""
    rows: list[EvaluationRow] = []
    try:
        with path.open("rb") as file:
            head = json.loads(file.readline())
            for line in file:
                if line.endswith(b"\n"):
                    rows += [read_row(values) for values in json.loads(line)["rows"]]
        return Evaluation(
            name=head["name"], stage=head["stage"], step=head["step"], split=head["split"], rows=tuple(rows)
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} can't be read as an evaluation under way",
            received=f"{type(error).__name__}: {error}",
            instead="delete the file; the rest stays usable",
        ) from error
