"""The metrics of a run: one JSON line per step in ``metrics.jsonl``."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError
from tahr.store.files import append_line, write_file

METRICS_NAME = "metrics.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsRow:
    """One logged step. `time` is seconds since 1970; values may be nan or infinite where training went wrong.

    Example: ``MetricsRow(stage="rlvr", step=3, time=1767607200.0, metrics={"reward": 0.42, "loss": -0.01})``
    """

    stage: str
    step: int
    time: float
    metrics: Mapping[str, float]


def is_timing(name: str) -> bool:
    """Whether a metric measures the machine (time, speed, memory), so that equal runs may differ in it."""
    last = name.rpartition("/")[2]
    return last.startswith(("seconds", "memory", "peak_memory")) or last.endswith(("_per_second", "_seconds"))


def append_metrics(folder: Path, stage: str, step: int, metrics: Mapping[str, float]) -> MetricsRow:
    """Append one line and force it to the disk."""
    row = MetricsRow(stage=stage, step=step, time=time.time(), metrics={k: float(v) for k, v in metrics.items()})
    values = {name: value if math.isfinite(value) else str(value) for name, value in row.metrics.items()}
    line = {"stage": stage, "step": step, "time": round(row.time, 3), "metrics": values}
    append_line(folder / METRICS_NAME, json.dumps(line, ensure_ascii=False, allow_nan=False).encode())
    return row


def read_metrics(folder: Path) -> list[MetricsRow]:
    """All complete lines; a last line that a crash cut short is left out.

    Raises InputError where a line before the last one is damaged.
    """
    return [row for row, _ in read_lines(folder)]


def read_lines(folder: Path) -> list[tuple[MetricsRow, bytes]]:
    """As `read_metrics`, each row beside the line that it was read from."""
    return _read(folder / METRICS_NAME)


def cut_metrics(folder: Path, keep: Callable[[MetricsRow], bool] = lambda row: True) -> None:
    """Drop the lines that `keep` refuses, and a last line that a crash cut short."""
    path = folder / METRICS_NAME
    if not path.exists():
        return
    kept = b"".join(line + b"\n" for row, line in _read(path) if keep(row))
    if kept != path.read_bytes():
        write_file(path, kept)


def _read(path: Path) -> list[tuple[MetricsRow, bytes]]:
    """Rows beside the lines that they were read from."""
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    complete = lines[:-1]  # what follows the last newline is empty, or torn
    rows: list[tuple[MetricsRow, bytes]] = []
    for number, line in enumerate(complete, start=1):
        try:
            rows.append((_parse(json.loads(line)), line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if number == len(complete):
                break  # a file system may bring the newline back without the text before it
            raise InputError(
                f"line {number} of {path} is damaged",
                received=repr(line[:80]),
                instead=f"delete the line, or the file from there on ({error})",
            ) from error
    return rows


def _parse(values: Any) -> MetricsRow:
    metrics = {str(name): float(value) for name, value in values["metrics"].items()}
    return MetricsRow(stage=str(values["stage"]), step=int(values["step"]), time=float(values["time"]), metrics=metrics)
