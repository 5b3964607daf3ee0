"""The questions of an evaluation as a page shows them: each with its attempts in every setting, and how it went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from tahr.store.records import Evaluation, EvaluationRow

BLOCK = 50
"""Questions that a page folds together."""

KINDS = {
    "right": "all right",
    "mixed": "partly right",
    "wrong": "all wrong",
    "differs": "settings differ",
    "cut": "cut off",
    "absent": "without reward",
}
"""Ways a question can have gone, and what a page calls them. One of the first three holds where anything was scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The attempts at a question in one setting. `correct` is their mean, None where none was scored.

    Example: ``Side(setting="bare", rows=(row,), correct=1.0)``
    """

    setting: str
    rows: tuple[EvaluationRow, ...]
    correct: float | None

    @property
    def mark(self) -> str:
        """How the setting did, in a few characters: ``✓``, ``✗``, ``–``, or ``3/4`` of several attempts."""
        values = [value for row in self.rows if (value := correctness(row)) is not None]
        if not values:
            return "–"
        if len(self.rows) == 1:
            return "✓" if values[0] >= 1 else "✗"
        return f"{sum(value >= 1 for value in values)}/{len(values)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with every setting's attempts. `kinds` are those of `KINDS` that hold.

    Example: ``Question(number=1, task_id="9f86d081884c7d65", domain="sums", prompt="What is 2 + 3?", answer="5",
    cluster="", sides=(side,), kinds=("right",))``
    """

    number: int
    task_id: str
    domain: str
    prompt: str
    answer: str
    cluster: str
    sides: tuple[Side, ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Questions of one domain that follow one another. `counts` says how many there are of each kind.

    Example: ``Block(domain="sums", questions=(question,), counts={"right": 1})``
    """

    domain: str
    questions: tuple[Question, ...]
    counts: dict[str, int]


def questions_of(evaluations: Sequence[Evaluation]) -> list[Question]:
    """All questions by domain, within it in the order that they were asked in, numbered from 1."""
    found: dict[str, dict[str, list[EvaluationRow]]] = {}
    for evaluation in evaluations:
        for row in evaluation.rows:
            found.setdefault(row.task_id, {}).setdefault(evaluation.name, []).append(row)
    firsts = {task: next(iter(sides.values()))[0] for task, sides in found.items()}
    ordered = sorted(found, key=lambda task: firsts[task].domain)  # stable: as asked within a domain
    return [_question(number, firsts[task], found[task]) for number, task in enumerate(ordered, 1)]


def blocks_of(questions: Sequence[Question]) -> Iterator[Block]:
    """At most `BLOCK` questions of one domain at a time."""
    domains = dict.fromkeys(one.domain for one in questions)
    for domain in domains:
        inside = [one for one in questions if one.domain == domain]
        for start in range(0, len(inside), BLOCK):
            chosen = tuple(inside[start : start + BLOCK])
            yield Block(domain=domain, questions=chosen, counts=kind_counts(chosen))


def kind_counts(questions: Sequence[Question]) -> dict[str, int]:
    """How many questions are of each kind; kinds that don't occur are left out."""
    counts = {kind: sum(kind in one.kinds for one in questions) for kind in KINDS}
    return {kind: count for kind, count in counts.items() if count}


def correctness(row: EvaluationRow) -> float | None:
    """Whether an attempt is right: its part "correct", or the reward where there is no such part."""
    return None if row.score is None else row.parts.get("correct", row.score)


def _question(number: int, first: EvaluationRow, by_setting: dict[str, list[EvaluationRow]]) -> Question:
    sides = tuple(_side(name, rows) for name, rows in by_setting.items())
    return Question(
        number=number,
        task_id=first.task_id,
        domain=first.domain,
        prompt=first.prompt,
        answer=first.answer,
        cluster=first.cluster,
        sides=sides,
        kinds=tuple(_kinds(sides)),
    )


def _side(setting: str, rows: Sequence[EvaluationRow]) -> Side:
    values = [value for row in rows if (value := correctness(row)) is not None]
    return Side(
        setting=setting,
        rows=tuple(sorted(rows, key=lambda row: row.index)),
        correct=fmean(values) if values else None,
    )


def _kinds(sides: Sequence[Side]) -> Iterator[str]:
    rows = [row for side in sides for row in side.rows]
    values = [value for row in rows if (value := correctness(row)) is not None]
    if values:
        right = sum(value >= 1 for value in values)
        yield "right" if right == len(values) else "mixed" if right else "wrong"
    if len({side.correct for side in sides if side.correct is not None}) > 1:
        yield "differs"
    if any(row.finish_reason == "length" for row in rows):
        yield "cut"
    if len(values) < len(rows):
        yield "absent"
