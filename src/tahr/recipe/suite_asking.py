"""A suite's questions asked of a model in one setting, written down as they are answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from tahr.core.progress import Progress
from tahr.core.protocols import Sampling
from tahr.core.types import Task
from tahr.evaluation.absences import count_reasons
from tahr.evaluation.runner import attempt_in_windows
from tahr.evaluation.suites.asking import asked_in, own_row
from tahr.evaluation.suites.config import SuiteSetting
from tahr.recipe.suite_model import Asked
from tahr.store.journal import EvaluationJournal
from tahr.store.records import Conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of asking: the evaluation's file, its attempts, and why those without a reward have none.

    Example: ``Answered(path=path, num_attempts=12, num_scored=11, reasons=Counter({"the judge died": 1}))``
    """

    path: Path
    num_attempts: int
    num_scored: int
    reasons: Counter[str] = field(default_factory=Counter[str])


async def ask_questions(
    tasks: Sequence[Task],
    setting: SuiteSetting,
    asked: Asked,
    *,
    journal: EvaluationJournal,
    samples_per_task: int,
    sampling: Sampling,
    conditions: Conditions,
    num_cached: Callable[[], int],
    progress: Progress,
) -> Answered:
    """Ask every question in `setting`; what is in memory at a time is bounded by the window of the runner.

    `conditions` are kept with the time that it took and what the cache spared. The evaluation is kept once it is
    whole: until then, and after an interruption, its rows are in the journal.
    """
    worded = [asked_in(task, setting) for task in tasks]
    begun, cached_before = monotonic(), num_cached()
    num_attempts = num_scored = 0
    reasons: Counter[str] = Counter()
    try:
        async for place, group in attempt_in_windows(
            asked.collector,
            worded,
            group_size=samples_per_task,
            sampling=sampling,
            on_scored=lambda _: progress.advance(),
        ):
            rows = [own_row(asked.row(group.task, scored), tasks[place]) for scored in group.scored]
            journal.add(place, rows)
            num_attempts += len(rows)
            num_scored += sum(row.score is not None for row in rows)
            count_reasons(rows, into=reasons)
    finally:
        if asked.close is not None:
            await asked.close()
    spent = replace(conditions, seconds=monotonic() - begun, num_cached=num_cached() - cached_before)
    return Answered(path=journal.finish(spent), num_attempts=num_attempts, num_scored=num_scored, reasons=reasons)
