"""One run in a line: how it stands, how far it got, what it gained."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from tahr.core.errors import InputError
from tahr.store.manifest import Manifest, Status
from tahr.store.metrics import MetricsRow
from tahr.store.records import Evaluation
from tahr.store.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """`reward` is the last step's; `difference` the mean over tasks of after minus before, None where not evaluated.

    A folder that can't be read has status "broken", its `problem` in words, and no `manifest`. `seconds` counts from
    the start to the end, or to the last step.

    Example: ``RunSummary(folder=Path("runs/tiny-20260105-100000"), name="tiny-20260105-100000", status="finished",
    problem="", manifest=manifest, metrics=(row,), stage="rlvr", step=40, reward=0.93, seconds=95.0, difference=0.4)``
    """

    folder: Path
    name: str
    status: Status | Literal["broken"]
    problem: str
    manifest: Manifest | None
    metrics: tuple[MetricsRow, ...]
    stage: str
    step: int
    reward: float | None
    seconds: float
    difference: float | None

    @property
    def created(self) -> str:
        """Start, ISO 8601 in UTC; empty where unknown."""
        return self.manifest.created if self.manifest else ""

    def as_row(self) -> dict[str, Any]:
        """Columns of the ``runs`` view."""
        about = self.manifest
        return {
            "run": self.name,
            "folder": str(self.folder),
            "name": about.name if about else None,
            "description": about.description if about else None,
            "status": self.status,
            "created": self.created,
            "stage": self.stage,
            "recipe_hash": about.recipe_hash if about else None,
            "git_revision": about.git_revision if about else None,
            "step": self.step,
            "seed": about.seed if about else None,
            "reward": self.reward,
            "seconds": self.seconds,
            "difference": self.difference,
            "problem": self.problem,
        }


def summarise(folder: Path) -> RunSummary:
    """Read a run folder's summary; whatever is damaged becomes its `problem`, never an exception."""
    try:
        run = Run.open(folder)
        metrics = run.metrics()
        status, difference = run.status, _gain(run.evaluations())
    except (InputError, OSError) as error:
        return RunSummary(
            folder=folder,
            name=folder.name,
            status="broken",
            problem=str(error),
            manifest=None,
            metrics=(),
            stage="",
            step=0,
            reward=None,
            seconds=0.0,
            difference=None,
        )
    rewards = [row.metrics["reward"] for row in metrics if "reward" in row.metrics]
    return RunSummary(
        folder=folder,
        name=folder.resolve().name,
        status=status,
        problem=run.manifest.error,
        manifest=run.manifest,
        metrics=tuple(metrics),
        stage=metrics[-1].stage if metrics else "",
        step=metrics[-1].step if metrics else 0,
        reward=rewards[-1] if rewards else None,
        seconds=_seconds(run.manifest, metrics),
        difference=difference,
    )


def _seconds(manifest: Manifest, metrics: list[MetricsRow]) -> float:
    start = datetime.fromisoformat(manifest.created).timestamp()
    if manifest.finished:
        return datetime.fromisoformat(manifest.finished).timestamp() - start
    return max(0.0, metrics[-1].time - start) if metrics else 0.0


def _gain(evaluations: list[Evaluation]) -> float | None:
    """Mean over the tasks that both "before" and "after" scored of the difference of their mean scores."""
    named = {evaluation.name: _task_means(evaluation) for evaluation in evaluations}
    before, after = named.get("before", {}), named.get("after", {})
    gains = [after[task] - before[task] for task in before if task in after]
    return fmean(gains) if gains else None


def _task_means(evaluation: Evaluation) -> Mapping[str, float]:
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for row in evaluation.rows:
        if row.score is not None:
            scores[row.task_id].append(row.score)
    return {task: fmean(values) for task, values in scores.items()}
