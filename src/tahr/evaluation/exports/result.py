"""What is exported: one evaluation with its conditions, its measures, and the run that it comes from."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from tahr.core.errors import InputError
from tahr.evaluation.comparison.sides import implied_conditions
from tahr.evaluation.paired import side_score
from tahr.evaluation.statistics import part_names, row_value
from tahr.store.manifest import Manifest
from tahr.store.records import Conditions, Evaluation, EvaluationRow
from tahr.store.run import Run


@dataclass(frozen=True, kw_only=True)
class Result:
    """One evaluation to export. `name` is unique within the run and fit for a file's name.

    Example: ``Result(name="ifeval-bare", run_name="eval-ifeval-smollm2-135m-20260105-100000", manifest=manifest,
    evaluation=evaluation, conditions=conditions)``
    """

    name: str
    run_name: str
    manifest: Manifest
    evaluation: Evaluation
    conditions: Conditions

    @property
    def suite(self) -> str:
        """The suite that was asked; of a training run's own evaluations, their name."""
        return self.conditions.suite or self.name

    @property
    def model(self) -> str:
        """The model, and what made its weights where that was a training run."""
        return self.conditions.training or self.conditions.model or self.manifest.name

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """ "correct" first, "reward", then the parts that every scored attempt has; other parts are some tasks' own."""
        scored = [row for row in self.evaluation.rows if row.score is not None]
        shared = [name for name in part_names(self.evaluation) if all(name in row.parts for row in scored)]
        first = [name for name in shared if name == "correct"]
        return (*first, "reward", *(name for name in shared if name not in ("correct", "reward")))

    @cached_property
    def attempts(self) -> Mapping[str, tuple[EvaluationRow, ...]]:
        """Every question's attempts by their index, in the order of the questions."""
        found: dict[str, list[EvaluationRow]] = {}
        for row in self.evaluation.rows:
            found.setdefault(row.task_id, []).append(row)
        return {task: tuple(sorted(rows, key=lambda row: row.index)) for task, rows in found.items()}

    @property
    def domains(self) -> list[str]:
        """The domains of its questions, sorted."""
        return sorted({row.domain for row in self.evaluation.rows})

    @property
    def is_clustered(self) -> bool:
        """Whether any questions belong together."""
        return any(row.cluster for row in self.evaluation.rows)

    def hash(self, *more: object) -> str:
        """An id that the same result of the same run always has: 22 letters and digits."""
        content = json.dumps([self.run_name, self.manifest.created, self.name, *more], default=str)
        return hashlib.sha256(content.encode()).hexdigest()[:22]


def results_of(run: Run, only: Sequence[str] = ()) -> list[Result]:
    """Every evaluation of a run, or those whose name (or suite's setting) is in `only`.

    Raises InputError where there is none, or none of such a name.
    """
    run_name = run.folder.resolve().name
    found: list[Result] = []
    for evaluation in run.evaluations():
        conditions = evaluation.conditions or implied_conditions(run, evaluation)
        if only and not {evaluation.name, conditions.setting} & set(only):
            continue
        found.append(
            Result(
                name=_name(evaluation, conditions),
                run_name=run_name,
                manifest=run.manifest,
                evaluation=evaluation,
                conditions=conditions,
            )
        )
    if not found:
        there = ", ".join(repr(one.name) for one in run.evaluations())
        raise InputError(
            f"the run {run_name} has no evaluation" + (f" called {' or '.join(map(repr, only))}" if only else ""),
            received=", ".join(only) or None,
            instead=there or "a run that was evaluated (tahr eval MODEL --suite NAME)",
        )
    return found


def task_values(rows: Sequence[EvaluationRow], measure: str) -> dict[str, float]:
    """Each question's mean over its attempts that have a value of `measure`; questions without one are absent."""
    values: dict[str, list[float]] = {}
    for row in rows:
        value = row_value(row, measure)
        if value is not None:
            values.setdefault(row.task_id, []).append(value)
    return {task: fmean(one) for task, one in values.items()}


def summary(rows: Sequence[EvaluationRow], measure: str) -> dict[str, Any] | None:
    """Mean, standard error and 95% interval over questions as JSON values, clustered where questions belong together.

    None where no attempt has a value; an unknown standard error (of one question or cluster) is null.
    """
    values = task_values(rows, measure)
    if not values:
        return None
    clusters = {row.task_id: row.cluster for row in rows}
    num_scored = sum(row_value(row, measure) is not None for row in rows)
    found = side_score(list(values.values()), [clusters[task] for task in values], num_scored)
    return {
        "mean": found.mean,
        "standard_error": found.standard_error if math.isfinite(found.standard_error) else None,
        "low": found.low,
        "high": found.high,
        "num_tasks": len(values),
        "num_without": len(rows) - num_scored,
    }


def _name(evaluation: Evaluation, conditions: Conditions) -> str:
    """Of a suite's run the suite and the setting; of training the stage, step and name, as its file is called."""
    if evaluation.stage == "eval" and conditions.suite:
        name = f"{conditions.suite}-{evaluation.name}"
    else:
        name = f"{evaluation.stage}-{evaluation.step:06d}-{evaluation.name}"
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)
