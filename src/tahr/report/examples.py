"""Completions worth reading: what changed most, the best and the worst."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tahr.evaluation.statistics import task_scores
from tahr.report.text import visible_text
from tahr.store.query import find_rollouts
from tahr.store.records import Evaluation, EvaluationRow
from tahr.store.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A completion as a page shows it: hidden characters made visible, long text cut.

    Example: ``Attempt(heading="after", text="the answer is 5.", score=1.0, parts=(("correct", 1.0),), outcome="pass",
    note="5 equals 5", num_tokens=6)``
    """

    heading: str
    text: str
    score: float
    parts: tuple[tuple[str, float], ...]
    outcome: str
    note: str
    num_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A task with the attempts at it that are shown side by side.

    Example: ``Example(domain="arithmetic", prompt="What is 2 + 3?", answer="5", attempts=(before, after))``
    """

    domain: str
    prompt: str
    answer: str
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gallery:
    """Examples under one heading.

    Example: ``Gallery(title="Most improved", note="", examples=(example,))``
    """

    title: str
    note: str
    examples: tuple[Example, ...]


def galleries(run: Run, pair: tuple[Evaluation, Evaluation] | None, count: int = 3) -> list[Gallery]:
    """From the before/after pair where there is one, else from the last evaluation, else from the last rollouts."""
    if pair:
        rows, source = list(pair[1].rows), "held-out tasks, after training"
    elif evaluations := run.evaluations():
        rows, source = list(evaluations[-1].rows), f"held-out tasks, evaluation {evaluations[-1].name!r}"
    else:
        rows = [_as_row(values) for values in find_rollouts(run.folder, step=-1, limit=None)]
        source = "training tasks, last step"
    found = _changed(*pair, count) if pair else []
    scored = [row for row in rows if row.score is not None]
    found.append(_extreme("Best", source, scored, lambda row: -(row.score or 0.0), count))
    if len({row.score for row in scored}) > 1:  # where all score alike, the worst are the best
        found.append(_extreme("Worst", source, scored, lambda row: row.score or 0.0, count))
    return [gallery for gallery in found if gallery.examples]


def _changed(before: Evaluation, after: Evaluation, count: int) -> list[Gallery]:
    """Tasks whose mean score rose and fell most; of each side the attempt nearest to the task's mean."""
    scores_before, scores_after = task_scores(before), task_scores(after)
    changes = {task: scores_after[task] - scores_before[task] for task in scores_before if task in scores_after}
    ordered = sorted(changes, key=lambda task: (changes[task], task))

    def examples(tasks: Iterable[str]) -> tuple[Example, ...]:
        return tuple(
            _example(_typical(before, task, scores_before[task]), _typical(after, task, scores_after[task]))
            for task in tasks
        )

    note = "of several attempts, the one nearest to the task's mean score"
    improved = [task for task in reversed(ordered) if changes[task] > 0][:count]
    worsened = [task for task in ordered if changes[task] < 0][:count]
    return [
        Gallery(title="Most improved", note=note, examples=examples(improved)),
        Gallery(title="Most worsened", note=note, examples=examples(worsened)),
    ]


def _typical(evaluation: Evaluation, task: str, mean: float) -> EvaluationRow:
    rows = [row for row in evaluation.rows if row.task_id == task and row.score is not None]
    return min(rows, key=lambda row: (abs((row.score or 0.0) - mean), row.index))


def _example(before: EvaluationRow, after: EvaluationRow) -> Example:
    return Example(
        domain=after.domain,
        prompt=visible_text(after.prompt),
        answer=visible_text(after.answer, 400),
        attempts=(_attempt("before", before), _attempt("after", after)),
    )


def _extreme(
    title: str, source: str, rows: Iterable[EvaluationRow], key: Callable[[EvaluationRow], float], count: int
) -> Gallery:
    """The first `count` tasks by `key`, one attempt each."""
    chosen: dict[str, EvaluationRow] = {}
    for row in sorted(rows, key=lambda row: (key(row), row.task_id, row.index)):
        chosen.setdefault(row.task_id, row)
        if len(chosen) == count:
            break
    examples = tuple(
        Example(
            domain=row.domain,
            prompt=visible_text(row.prompt),
            answer=visible_text(row.answer, 400),
            attempts=(_attempt("", row),),
        )
        for row in chosen.values()
    )
    return Gallery(title=title, note=source, examples=examples)


def _attempt(heading: str, row: EvaluationRow) -> Attempt:
    return Attempt(
        heading=heading,
        text=visible_text(row.text),
        score=row.score or 0.0,
        parts=tuple((visible_text(name, 80), value) for name, value in row.parts.items()),
        outcome=row.outcome,
        note=visible_text(row.note, 300),
        num_tokens=row.num_tokens,
    )


def _as_row(values: dict[str, Any]) -> EvaluationRow:
    """A rollout in the shape of an evaluation's row."""
    shared = ("task_id", "domain", "index", "prompt", "answer", "parts", "outcome", "note", "num_tokens")
    return EvaluationRow(
        **{name: values[name] for name in shared},
        text=values["completion"],
        score=values["reward"],
        finish_reason=values["finish_reason"] or values["stop_reason"],
    )
