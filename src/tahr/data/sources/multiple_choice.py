"""Published questions with lettered choices: MMLU, GPQA, TruthfulQA."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Field

from tahr.core.errors import UnknownNameError
from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.columns import Column, RowError
from tahr.data.rows import Row
from tahr.data.sources.published import Published, order_of, text_in
from tahr.data.sources.stream import question

ASK_LETTER = 'End with a last line "Answer: LETTER", with the letter of the right choice.'
MAX_LETTERS = 10
"""Choices that the "choice" verifier tells apart; with more, the letter is compared as a short answer."""


def lettered(
    asked: str, choices: Sequence[str], right: int, *, order: Random | None, domain: str, meta: Mapping[str, Any]
) -> Task:
    """A question with its choices as A), B), ...; `right` is the right one's place in `choices`.

    `order` shuffles them; without it they stay as they are. Raises RowError unless there are 2 to 26, with `right`
    among them.
    """
    if not 2 <= len(choices) <= len(string.ascii_uppercase) or not 0 <= right < len(choices):
        raise RowError(f"{len(choices)} choices, of which number {right} (from 0) is right")
    places = list(range(len(choices)))
    if order is not None:
        order.shuffle(places)
    letters = string.ascii_uppercase[: len(choices)]
    listed = "\n".join(f"{letter}) {choices[place]}" for letter, place in zip(letters, places, strict=True))
    letter, text = letters[places.index(right)], choices[right]
    return Task(
        prompt=question(f"{asked}\n\n{listed}\n\n{ASK_LETTER}"),
        answer=letter if len(choices) <= MAX_LETTERS else [letter, f"{letter}) {text}"],
        verifier="choice" if len(choices) <= MAX_LETTERS else "short_answer",
        domain=domain,
        meta={**meta, "right": text, "question": "\n".join([asked, *choices])},
    )


@task_sources.register("mmlu")
@dataclass(frozen=True, slots=True, kw_only=True)
class Mmlu(Published):
    """MMLU: four choices in 57 subjects (Hendrycks et al. 2020, arXiv:2009.03300); for evaluation.

    The subject is the domain, and ``meta["subject"]``.
    """

    dataset: ClassVar[str] = "cais/mmlu"

    subject: Annotated[str, Field(min_length=1, description="the subject, a folder of the data set; all for all")] = (
        "all"
    )

    def paths(self) -> list[Path]:
        """The files of the subject."""
        return self.shards(self.subject)

    def task(self, row: Row, seed: int) -> Task:
        """The choices stay in their order."""
        choices, right = _texts(row.values.get("choices"), "choices"), row.values.get("answer")
        right = string.ascii_uppercase.find(right) if isinstance(right, str) and len(right) == 1 else right
        if isinstance(right, bool) or not isinstance(right, int):
            raise RowError(f"the answer must be a number from 0 or a letter, not {right!r}")
        subject = text_in(row, "subject")
        meta = {"row": row.place, "subject": subject}
        return lettered(text_in(row, "question"), choices, right, order=None, domain=subject, meta=meta)


@task_sources.register("gpqa")
@dataclass(frozen=True, slots=True, kw_only=True)
class Gpqa(Published):
    """GPQA: questions of four choices that experts find hard (Rein et al. 2023, arXiv:2311.12022); for evaluation.

    The four answers are shuffled by the seed. On the hub one must have agreed to its terms.
    """

    dataset: ClassVar[str] = "Idavidrein/gpqa"
    split: ClassVar[str] = "train"

    subset: Annotated[Literal["diamond", "main", "extended"], Field(description="which of its files is read")] = (
        "diamond"
    )

    def paths(self) -> list[Path]:
        """The one file of the subset; a file that is named itself is read whatever it is called."""
        paths = self.shards(self.config)
        if len(paths) == 1:
            return paths
        by_name = {path.stem.removeprefix("gpqa_"): path for path in paths}
        if self.subset not in by_name:
            raise UnknownNameError("subset of GPQA", self.subset, by_name)
        return [by_name[self.subset]]

    def task(self, row: Row, seed: int) -> Task:
        """The right answer and the three wrong ones, shuffled."""
        asked = text_in(row, "Question")
        names = ("Correct Answer", *(f"Incorrect Answer {number}" for number in (1, 2, 3)))
        meta = {"row": row.place, "subdomain": row.values.get("Subdomain"), "id": row.values.get("Record ID")}
        domain = str(row.values.get("High-level domain") or "default").strip().lower()
        return lettered(
            asked, [text_in(row, name) for name in names], 0, order=order_of(asked, seed), domain=domain, meta=meta
        )


@task_sources.register("truthfulqa")
@dataclass(frozen=True, slots=True, kw_only=True)
class TruthfulQa(Published):
    """TruthfulQA with one true choice (MC1; Lin et al. 2021, arXiv:2109.07958); for evaluation.

    The true choice stands first in the data set: they are shuffled by the seed.
    """

    dataset: ClassVar[str] = "truthfulqa/truthful_qa"
    split: ClassVar[str] = "validation"
    config: ClassVar[str | None] = "multiple_choice"

    category: Annotated[Column, Field(description="column of the domain, where there is one")] = None

    def task(self, row: Row, seed: int) -> Task:
        """The choices of ``mc1_targets``, shuffled."""
        asked, targets = text_in(row, "question"), row.values.get("mc1_targets")
        table = cast("dict[str, Any]", targets) if isinstance(targets, dict) else {}
        choices, labels = _texts(table.get("choices"), "mc1_targets"), table.get("labels")
        if not isinstance(labels, list) or sorted(cast("list[Any]", labels)) != [0] * (len(choices) - 1) + [1]:
            raise RowError(f"one choice of mc1_targets must be true, not {labels!r}")
        right = cast("list[int]", labels).index(1)
        domain = "default" if self.category is None else text_in(row, self.category)
        return lettered(asked, choices, right, order=order_of(asked, seed), domain=domain, meta={"row": row.place})


def _texts(value: Any, column: str) -> list[str]:
    """A column's list of texts. Raises RowError."""
    texts = [str(one).strip() for one in cast("list[Any]", value)] if isinstance(value, list) else []
    if not texts or not all(texts):
        raise RowError(f"column {column!r} must hold a list of texts, not {str(value)[:100]!r}")
    return texts
