"""Published questions about facts: PopQA and SimpleQA."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from tahr.core.json_text import parse_json
from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.columns import RowError, plain_cell
from tahr.data.rows import Row
from tahr.data.sources.published import ASK_ANSWER, Published, text_in
from tahr.data.sources.stream import question


@task_sources.register("popqa")
@dataclass(frozen=True, slots=True, kw_only=True)
class PopQa(Published):
    """PopQA: facts about things known to many or to few (Mallen et al. 2022, arXiv:2212.10511); for evaluation.

    Any alias of the answer is right. The domain is the relation asked for; ``meta["subject"]`` and
    ``meta["popularity"]`` (views of the subject's page in a month) come with it.
    """

    dataset: ClassVar[str] = "akariasai/PopQA"

    def task(self, row: Row, seed: int) -> Task:
        """The question, with every alias as an answer."""
        aliases: Any = row.values.get("possible_answers")
        if isinstance(aliases, str):
            try:
                aliases = parse_json(aliases)
            except ValueError as error:
                raise RowError(f"column 'possible_answers' is not JSON: {error}") from None
        answers = [str(one).strip() for one in cast("list[Any]", aliases)] if isinstance(aliases, list) else []
        if not any(answers):
            raise RowError("no answer in column 'possible_answers'")
        asked = text_in(row, "question")
        return Task(
            prompt=question(f"{asked}\n\n{ASK_ANSWER}"),
            answer=list(dict.fromkeys(filter(None, answers))),
            verifier="short_answer",
            domain=str(row.values.get("prop") or "default").strip(),
            meta={
                "row": row.place,
                "question": asked,
                "subject": plain_cell(row.values.get("subj")),
                "popularity": plain_cell(row.values.get("s_pop")),
            },
        )


@task_sources.register("simpleqa")
@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleQa(Published):
    """SimpleQA: short questions with one right answer (Wei et al. 2024, arXiv:2411.04368); for evaluation.

    The paper lets a model judge; here the answer's words are compared, so that a right answer in other words fails.
    """

    dataset: ClassVar[str] = "basicv8vc/SimpleQA"

    def task(self, row: Row, seed: int) -> Task:
        """The question; the domain is the topic in the column ``metadata``."""
        asked, metadata = text_in(row, "problem"), _metadata(row.values.get("metadata"))
        return Task(
            prompt=question(f"{asked}\n\n{ASK_ANSWER}"),
            answer=text_in(row, "answer"),
            verifier="short_answer",
            domain=str(metadata.get("topic") or "default").lower(),
            meta={
                "row": row.place,
                "question": asked,
                "answer_type": plain_cell(metadata.get("answer_type")),
            },
        )


def _metadata(value: Any) -> dict[str, Any]:
    """The table in a cell, which the published file holds as Python writes it. Raises RowError."""
    if isinstance(value, str) and value.strip():
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise RowError(f"column 'metadata' is no table: {type(error).__name__}") from None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
