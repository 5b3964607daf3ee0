"""The formats that a run can be exported to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tahr.core.errors import UnknownNameError
from tahr.evaluation.exports.inspect_log import write_eval_logs, write_json_logs
from tahr.evaluation.exports.lm_eval import write_lm_eval
from tahr.evaluation.exports.result import Result, results_of
from tahr.evaluation.exports.tables import write_csv, write_parquet
from tahr.store.run import Run

EXPORTS_FOLDER = "exports"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format by what it is and what writes it into a folder, giving the files.

    Example: ``Format(description="one CSV file, a row an attempt", write=write_csv)``
    """

    description: str
    write: Callable[[Sequence[Result], Path], list[Path]]


FORMATS: Mapping[str, Format] = {
    "inspect": Format(description="logs for `inspect view` (.eval), one an evaluation", write=write_eval_logs),
    "inspect-json": Format(description="the same logs as .json", write=write_json_logs),
    "lm-eval": Format(description="lm-evaluation-harness: results JSON and samples JSONL", write=write_lm_eval),
    "csv": Format(description="one table, a row an attempt", write=write_csv),
    "parquet": Format(description="the same table, typed", write=write_parquet),
}


def export_run(run: Run, to: str, folder: Path | None = None, *, only: Sequence[str] = ()) -> list[Path]:
    """Write a run's evaluations in the format `to`, into `folder` or ``RUN/exports/FORMAT``; give the files written.

    `only` names evaluations (or settings); all otherwise. Files of those names are replaced. Raises InputError for an
    unknown format, a run without evaluations or a folder that can't be written, ResourceError on a full disk.
    """
    if to not in FORMATS:
        raise UnknownNameError("format", to, FORMATS)
    results = results_of(run, only)
    place = run.folder / EXPORTS_FOLDER / to if folder is None else folder
    place.mkdir(parents=True, exist_ok=True)
    return FORMATS[to].write(results, place)
