"""All that an evaluation says about effort and confidence, in one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tahr.core.errors import InputError
from tahr.evaluation.counting import COUNTED
from tahr.evaluation.effort.abstention import Abstention, abstention
from tahr.evaluation.effort.calibration import Calibration, calibration
from tahr.evaluation.effort.confidence import ORIGINS, Origin, judged
from tahr.evaluation.effort.spending import Spending, judged_rows, spending
from tahr.evaluation.effort.thinking import Overthinking, Underthinking, overthinking, underthinking
from tahr.evaluation.paired import Score, attempts, side_score
from tahr.evaluation.resampling import LEVEL
from tahr.store.records import Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What confidence of one origin is worth: whether it is true, and whether it tells when not to answer.

    Example: ``Worth(calibration=calibration, abstention=abstention)``
    """

    calibration: Calibration
    abstention: Abstention


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """An evaluation's effort. `spending` is None where nobody counted tokens. `confidence` has the origins that there
    are; `missing` says what the others, and "tokens", would take.

    Example: ``Effort(name="bare", num_attempts=400, num_tasks=100, accuracy=score, spending=spending,
    overthinking=over, underthinking=under, confidence={"agreement": worth}, missing={"stated": "a setting ..."})``
    """

    name: str
    num_attempts: int
    num_tasks: int
    accuracy: Score
    spending: Spending | None
    overthinking: Overthinking | None
    underthinking: Underthinking | None
    confidence: Mapping[Origin, Worth]
    missing: Mapping[Origin | Literal["tokens"], str]


def effort(evaluation: Evaluation, *, level: float = LEVEL, seed: int = 0) -> Effort:
    """Everything about one evaluation. Raises InputError where none of its attempts is right or wrong."""
    rows = judged_rows(evaluation)
    confidence: dict[Origin, Worth] = {}
    missing: dict[Origin | Literal["tokens"], str] = {}
    is_counted = all(row.num_tokens is not None for row in rows)
    if not is_counted:
        missing["tokens"] = COUNTED
    for origin in ORIGINS:
        try:
            items = judged(evaluation, origin)
        except InputError as error:
            missing[origin] = error.instead
            continue
        confidence[origin] = Worth(
            calibration=calibration(items, level=level, seed=seed),
            abstention=abstention(items, level=level, seed=seed),
        )
    return Effort(
        name=evaluation.name,
        num_attempts=len(rows),
        num_tasks=len({row.task_id for row in rows}),
        accuracy=_accuracy(evaluation, level),
        spending=spending(evaluation, level=level, seed=seed) if is_counted else None,
        overthinking=overthinking(evaluation, level=level),
        underthinking=underthinking(evaluation, level=level),
        confidence=confidence,
        missing=missing,
    )


def _accuracy(evaluation: Evaluation, level: float) -> Score:
    tried = attempts(evaluation, "correct")
    clusters = {row.task_id: row.cluster for row in evaluation.rows}
    means = [sum(one) / len(one) for one in tried.values()]
    return side_score(means, [clusters[task] for task in tried], sum(map(len, tried.values())), level=level)
