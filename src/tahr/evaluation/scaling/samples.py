"""The attempts that curves are computed from, read from the rows of an evaluation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tahr.core.errors import InputError
from tahr.evaluation.counting import read_tokens, sampled_tokens
from tahr.evaluation.statistics import row_value
from tahr.store.records import Evaluation, EvaluationRow

SCORE, COST = "score by ", "tokens of "
"""Beginnings of the reward parts in which a selector's score and the tokens that it read are kept with an attempt."""

LIKELIHOOD = "likelihood"
"""The selector that costs nothing: the mean log-probability of an answer's tokens, in nats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt as curves see it. `correct` is 0 or 1, or a fraction where the verifier gives one.

    `answer` is what it votes for (None: nothing), `scores` what each selector thinks of it, absent where it has no
    score, and `judge_tokens` what each selector's model read for that.

    Example: ``Attempt(correct=1.0, answer="5", num_tokens=12, is_truncated=False, scores={"likelihood": -0.2},
    judge_tokens={"likelihood": 0})``
    """

    correct: float
    answer: str | None
    num_tokens: int
    is_truncated: bool
    scores: Mapping[str, float]
    judge_tokens: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A task with its attempts, in the order of their seeds. `num_prompt_tokens` are read once for all of them.

    Example: ``Question(task_id="9f86d081884c7d65", prompt="What is 2 + 3?", cluster="", num_prompt_tokens=14,
    attempts=(attempt,))``
    """

    task_id: str
    prompt: str
    cluster: str
    num_prompt_tokens: int
    attempts: tuple[Attempt, ...]


def read_questions(evaluation: Evaluation, *, fewest: int) -> tuple[list[Question], int]:
    """Questions with at least `fewest` scored attempts each, in the order of the rows, and how many have fewer.

    Attempts without a value (infrastructure, a verifier's error) are left out, never counted as wrong. Raises
    InputError where no question is left.
    """
    found: defaultdict[str, list[EvaluationRow]] = defaultdict(list)
    for row in evaluation.rows:
        found[row.task_id].append(row)
    part = "correct" if any("correct" in row.parts for row in evaluation.rows) else "reward"
    scored = [[row for row in rows if row_value(row, part) is not None] for rows in found.values()]
    questions = [_question(rows, part) for rows in scored if len(rows) >= max(1, fewest)]
    if not questions:
        raise InputError(
            f"no question of {evaluation.name!r} has {fewest} attempts with a score",
            received=f"{len(evaluation.rows)} attempts at {len(found)} questions",
            instead="more samples, or a verifier that can judge them",
        )
    return questions, len(found) - len(questions)


def selectors_of(questions: Sequence[Question]) -> list[str]:
    """The selectors that scored any attempt, the likelihood first."""
    names = {name for one in questions for attempt in one.attempts for name in attempt.scores}
    return sorted(names, key=lambda name: (name != LIKELIHOOD, name))


def _question(rows: Sequence[EvaluationRow], part: str) -> Question:
    first = rows[0]
    return Question(
        task_id=first.task_id,
        prompt=first.prompt,
        cluster=first.cluster,
        num_prompt_tokens=read_tokens(first),
        attempts=tuple(_attempt(row, part) for row in sorted(rows, key=lambda row: row.index)),
    )


def _attempt(row: EvaluationRow, part: str) -> Attempt:
    scores = {name.removeprefix(SCORE): value for name, value in row.parts.items() if name.startswith(SCORE)}
    tokens = {name.removeprefix(COST): value for name, value in row.parts.items() if name.startswith(COST)}
    if row.logprob is not None and row.num_tokens:
        scores[LIKELIHOOD] = row.logprob / row.num_tokens
    answer = None if row.extracted is None else row.extracted.strip()
    return Attempt(
        correct=row_value(row, part) or 0.0,
        answer=answer or None,
        num_tokens=sampled_tokens(row),
        is_truncated=row.finish_reason != "stop",
        scores=scores,
        judge_tokens=tokens,
    )
