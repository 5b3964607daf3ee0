"""Marks on questions that a training text holds: a score on them may be remembered, not worked out.

What counts as held is what `tahr.data.decontaminate` says: enough of a question's words in n-grams that both have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tahr.data.decontaminate import Measure, QuestionIndex
from tahr.store.records import Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The training text that holds most of a question: where it stands, and the share that it holds.

    Example: ``Mark(place="chats.jsonl:12", share=0.83)``
    """

    place: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """Marks by task id; `num_questions` were looked for, `num_too_short` were too short to be, in `num_texts` texts.

    Example: ``Marked(marks={"9f86d081884c7d65": mark}, num_questions=164, num_too_short=0, num_texts=1000)``
    """

    marks: Mapping[str, Mark]
    num_questions: int
    num_too_short: int
    num_texts: int


def mark_questions(
    evaluations: Iterable[Evaluation],
    texts: Iterable[tuple[str, str]],
    *,
    ngram: int = 8,
    share: float = 0.5,
    measure: Measure = "words",
) -> Marked:
    """Look for the evaluations' questions in training `texts`, pairs of a place and a text, read one by one."""
    questions = {row.task_id: row.prompt for one in evaluations for row in one.rows}
    index = QuestionIndex(questions.items(), ngram=ngram, share=share, measure=measure)
    marks: dict[str, Mark] = {}
    num_texts = 0
    for place, text in texts:
        num_texts += 1
        for hit in index.find(text):
            if hit.question not in marks or hit.share > marks[hit.question].share:
                marks[hit.question] = Mark(place=place, share=hit.share)
    return Marked(marks=marks, num_questions=len(questions), num_too_short=index.num_too_short, num_texts=num_texts)
