"""DROP: numbers, dates and spans found in a passage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, cast

from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.columns import RowError
from tahr.data.rows import Row
from tahr.data.sources.published import ASK_ANSWER, Published, text_in
from tahr.data.sources.stream import question


@task_sources.register("drop")
@dataclass(frozen=True, slots=True, kw_only=True)
class Drop(Published):
    """DROP: discrete reasoning over paragraphs (Dua et al. 2019, arXiv:1903.00161); for evaluation.

    Any annotator's answer is right; of several spans all are needed, in any order. ``meta["passage"]`` names the
    passage, which several questions share; the domain is its kind (nfl, history, wiki).

    Rows of two layouts are read: ``EleutherAI/drop``, which keeps annotators apart, and ``ucinlp/drop``, which writes
    the spans of all of them one after the other in ``answers_spans``.
    """

    dataset: ClassVar[str] = "EleutherAI/drop"
    split: ClassVar[str] = "validation"

    def task(self, row: Row, seed: int) -> Task:
        """The passage, then what is asked about it."""
        passage, asked, section = (text_in(row, name) for name in ("passage", "question", "section_id"))
        candidates = [_table(row.values.get("answer")), *_validated(_table(row.values.get("validated_answers")))]
        texts = [*map(_text_of, candidates), *_run_together(_table(row.values.get("answers_spans")))]
        answers = list(dict.fromkeys(filter(None, texts)))
        if not answers:
            raise RowError("no number, date or span in 'answer' and 'validated_answers', nor in 'answers_spans'")
        return Task(
            prompt=question(f"{passage}\n\n{asked}\n\n{ASK_ANSWER} Separate several with commas."),
            answer={"any": answers, "unordered": True},
            verifier="short_answer",
            domain=section.partition("_")[0],
            meta={
                "row": row.place,
                "question": f"{passage}\n\n{asked}",
                "passage": section,
                "split_by": passage,
                "id": row.values.get("query_id"),
            },
        )


def _table(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _validated(table: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """One table for each annotator, of a table of columns with an entry for each."""
    columns = {name: cast("list[Any]", table.get(name) or []) for name in ("number", "date", "spans")}
    for index in range(max(map(len, columns.values()))):
        yield {name: cells[index] for name, cells in columns.items() if index < len(cells)}


def _run_together(table: Mapping[str, Any]) -> Iterator[str]:
    """The answers in ``answers_spans``: each number and date, and the spans that stand together.

    Where annotators begin isn't written. Spans that come again as a whole are one answer given several times; else all
    of them are taken to be needed, so that annotators who disagree make a question harder and never easier.
    """
    spans, types = (cast("list[Any]", table.get(name) or []) for name in ("spans", "types"))
    if len(spans) != len(types):
        raise RowError(f"{len(spans)} spans and {len(types)} types in 'answers_spans'")
    texts = [str(span).strip() for span in spans]
    for kind, inside in groupby(zip(types, texts, strict=True), key=lambda one: one[0]):
        together = [text for _, text in inside if text]
        if kind != "span":
            yield from together
        elif together:
            yield ", ".join(dict.fromkeys(_repeated(together)))


def _repeated(texts: list[str]) -> list[str]:
    """The shortest beginning that all is a repetition of."""
    sizes = (size for size in range(1, len(texts) + 1) if len(texts) % size == 0)
    return next(texts[:size] for size in sizes if texts == texts[:size] * (len(texts) // size))


def _text_of(answer: Mapping[str, Any]) -> str:
    """One annotator's answer as text: the number, else the spans, else the date; "" where there is none."""
    if number := str(answer.get("number") or "").strip():
        return number
    if spans := [str(span).strip() for span in cast("list[Any]", answer.get("spans") or [])]:
        return ", ".join(filter(None, spans))
    date = _table(answer.get("date"))
    return " ".join(filter(None, (str(date.get(part) or "").strip() for part in ("day", "month", "year"))))
