"""The questions of an evaluation in a terminal: each with its answers in every setting, the worst or the best first."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from tahr.core.errors import InputError, UnknownNameError
from tahr.report.questions import KINDS, Question, correctness, kind_counts, questions_of
from tahr.report.text import token_count, visible_text
from tahr.store.records import Evaluation, EvaluationRow

if TYPE_CHECKING:
    from rich.console import Console

_MOST = 20_000
"""Characters of one text; more fill a terminal for minutes."""


def chosen_questions(
    evaluations: Sequence[Evaluation], *, task: str = "", kind: str = "", best: bool = False, worst: bool = False
) -> list[Question]:
    """The questions of a task (its id begins so, or its domain is so) that went in a way of `KINDS`.

    In the order of the page, or by the mean correctness of all answers; those without a reward come last. Raises
    InputError where none is left, UnknownNameError for an unknown kind.
    """
    if kind and kind not in KINDS:
        raise UnknownNameError("kind of question", kind, KINDS)
    whole = questions_of(evaluations)
    if not whole:
        raise InputError(
            "no question of this run has been answered",
            received=f"{len(evaluations)} evaluations without a row",
            instead="a run that got further; the command that began this one goes on with it",
        )
    found = [
        one
        for one in whole
        if (not task or one.task_id.startswith(task) or one.domain == task) and (not kind or kind in one.kinds)
    ]
    if not found:
        counts = ", ".join(f"{name}: {count}" for name, count in kind_counts(whole).items())
        raise InputError(
            "no question matches",
            received=f"--task {task or 'any'} --kind {kind or 'any'}",
            instead=f"another task or kind; of all {len(whole)} questions there are {counts or 'none'}",
        )
    if not best and not worst:
        return found
    sign = -1.0 if best else 1.0
    return sorted(found, key=lambda one: (_mean(one) is None, sign * (_mean(one) or 0.0)))


def print_question(output: Console, question: Question) -> None:
    """The question, the answer that is right, and every answer given with its verdict."""
    marks = ", ".join(f"{side.setting} {side.mark}" for side in question.sides)
    title = f"{question.number} {question.domain} {question.task_id} {marks}"
    output.rule(visible_text(title, 120), align="left", style="dim")
    output.print(visible_text(question.prompt, _MOST), markup=False)
    output.print(f"right: {visible_text(question.answer, 500) or '(judged by rules)'}", markup=False, style="dim")
    for side in question.sides:
        for row in side.rows:
            _print_answer(output, side.setting, row)
    output.print()


def counted(questions: Sequence[Question]) -> str:
    """How the questions went: ``12 all right, 3 partly right``."""
    return ", ".join(f"{count} {KINDS[kind]}" for kind, count in kind_counts(questions).items())


def _print_answer(output: Console, setting: str, row: EvaluationRow) -> None:
    value = correctness(row)
    mark = "–" if value is None else "✓" if value >= 1 else "✗"
    parts = ", ".join(f"{name} {part:g}" for name, part in row.parts.items())
    output.print(visible_text(f"{mark} {setting}, answer {row.index + 1}", 120), markup=False, style="bold")
    output.print(visible_text(row.text, _MOST) or "(nothing)", markup=False, style="cyan")
    read = "" if row.extracted is None else f"read as {row.extracted}; "
    reward = "no reward" if row.score is None else f"reward {row.score:.3f} ({parts})"
    told = f"{reward}; {read}{row.outcome}: {row.note}; {token_count(row.num_tokens)}, ended by {row.finish_reason}"
    output.print(visible_text(told, 2000), markup=False, style="dim")


def _mean(question: Question) -> float | None:
    values = [value for side in question.sides for row in side.rows if (value := correctness(row)) is not None]
    return fmean(values) if values else None
