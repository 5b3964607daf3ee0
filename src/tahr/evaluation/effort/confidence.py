"""How sure an attempt was: by its own words, by its likelihood, or by how many other attempts say the same.

Each is a number from 0 (sure to be wrong) to 1 beside whether the attempt was right; `tahr.evaluation.effort`'s
calibration and abstention say what it is worth.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Literal

from tahr.core.errors import InputError
from tahr.store.records import Evaluation, EvaluationRow

Origin = Literal["likelihood", "agreement", "stated"]
ORIGINS: tuple[Origin, ...] = ("likelihood", "agreement", "stated")

_AMOUNT = r"(?P<amount>\d{1,3}(?:\.\d{1,6})?)\s*(?P<unit>%|percent\b|/\s*(?P<whole>10|100)\b)?"
_STATED = re.compile(
    rf"\b(?:confidence|certainty|probability)\b(?: ?\([^)\n]{{0,40}}\))?[^\d\n.]{{0,40}}{_AMOUNT}(?![\d.]*\d)"
    rf"|\b(?:i am|i'm|i’m)\s+(?:about\s+|roughly\s+|around\s+)?"
    + _AMOUNT.replace("<", "<own_")
    + r"\s*(?:sure|certain|confident)\b",
    re.IGNORECASE,
)
_TAIL = 2000  # characters at the end of an answer in which a confidence is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One attempt's confidence, 0 to 1, and its correctness, 0 or 1. `cluster` names what is not independent of it:
    the other attempts at its task, and the tasks of its task's cluster.

    Example: ``Judged(confidence=0.8, correct=1.0, cluster="9f86d081884c7d65")``
    """

    confidence: float
    correct: float
    cluster: str


def judged(evaluation: Evaluation, origin: Origin) -> list[Judged]:
    """Every attempt whose correctness and confidence are known.

    "likelihood" is the geometric mean of the sampled tokens' probabilities, "agreement" the share of the *other*
    attempts at the task that give the same answer (one without an answer agrees with none), "stated" what the text
    says at its end. Raises InputError where no attempt has a confidence of this origin, with what would give one.
    """
    rows = [row for row in evaluation.rows if row.score is not None and row.parts.get("correct") in (0.0, 1.0)]
    known = _of_origin(rows, origin)
    if not known:
        raise InputError(
            f"the evaluation {evaluation.name!r} has no confidence by {origin}",
            received=f"{len(evaluation.rows)} attempts, {len(rows)} of them right or wrong",
            instead=_NEEDED[origin],
        )
    return [
        Judged(confidence=value, correct=row.parts["correct"], cluster=row.cluster or row.task_id)
        for row, value in known
    ]


def stated_confidence(text: str) -> float | None:
    """The last confidence that a text states about its answer, 0 to 1; None where it states none.

    A number above 1 without a unit is read as percent.

    >>> stated_confidence("The answer is 5. Confidence: 85%"), stated_confidence("I'm 70% sure"), stated_confidence("5")
    (0.85, 0.7, None)
    """
    stated = list(_STATED.finditer(text[-_TAIL:]))
    if not stated:
        return None
    found = stated[-1]
    own = "own_" if found["amount"] is None else ""
    amount, unit, whole = (found[own + name] for name in ("amount", "unit", "whole"))
    scale = float(whole) if whole else 100.0 if unit or float(amount) > 1 else 1.0
    value = float(amount) / scale
    return value if value <= 1 else None


_NEEDED = {
    "likelihood": "an engine that tells the log-probabilities of its tokens, as the embedded one does",
    "agreement": "at least two attempts at a task (samples_per_task), and a verifier that extracts answers",
    "stated": 'a setting that asks for it, such as a template that ends in "End with: Confidence: N%"',
}


def _of_origin(rows: list[EvaluationRow], origin: Origin) -> list[tuple[EvaluationRow, float]]:
    if origin == "agreement":
        return _agreement(rows)
    if origin == "stated":
        return [(row, value) for row in rows if (value := stated_confidence(row.text)) is not None]
    known = [
        (row, min(1.0, math.exp(row.logprob / row.num_tokens)))
        for row in rows
        if row.logprob is not None and row.num_tokens
    ]
    # where all are certain, they are those of a greedy choice among one token, and not the model's own
    return known if any(value < 1 for _, value in known) else []


def _agreement(rows: list[EvaluationRow]) -> list[tuple[EvaluationRow, float]]:
    by_task: defaultdict[str, list[EvaluationRow]] = defaultdict(list)
    for row in rows:
        by_task[row.task_id].append(row)
    found: list[tuple[EvaluationRow, float]] = []
    for attempts in by_task.values():
        if len(attempts) < 2 or all(row.extracted is None for row in attempts):
            continue
        votes = Counter(_answer(row) for row in attempts if row.extracted is not None)
        for row in attempts:
            others = 0 if row.extracted is None else votes[_answer(row)] - 1
            found.append((row, others / (len(attempts) - 1)))
    return found


def _answer(row: EvaluationRow) -> str:
    return " ".join((row.extracted or "").split()).casefold()
