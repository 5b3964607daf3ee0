"""Equality of strings after stated normalisation."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.verifiers.example import example_of
from tahr.verifiers.text import outside_thinking


@verifiers.register("exact")
@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """The whole answer, thinking left out, equals the task's answer. By default only white space at the ends is free.

    The answer may be a list of strings: any one of them passes.
    """

    ignore_case: Annotated[bool, Field(description="compare case-folded")] = False
    collapse_spaces: Annotated[bool, Field(description="any run of white space counts as one space")] = False
    ignore_punctuation: Annotated[bool, Field(description="drop punctuation from both sides")] = False
    ignore_unicode_form: Annotated[bool, Field(description="compare in Unicode form NFKC")] = False

    reward_range: ClassVar[RewardRange] = BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError unless the answer is a non-empty string, or a list of such."""
        answers = task.answer if isinstance(task.answer, list) else [task.answer]
        if not answers or not all(isinstance(answer, str) and self.normalise(answer) for answer in answers):
            raise InputError(
                "the exact verifier needs a string that is not empty after normalisation, or a list of such",
                received=repr(task.answer),
                instead='answer = "..." (numbers as text, or use the numeric verifier)',
            )

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where the normalised texts are equal."""
        found = self.normalise(outside_thinking(text))
        answers: list[str] = task.answer if isinstance(task.answer, list) else [task.answer]
        if any(found == self.normalise(answer) for answer in answers):
            return passed(f"equals {_short(found)}", extracted=found)
        return failed(f"{_short(found)} is not {_short(answers[0])}", extracted=found[:200])

    def gold(self, task: Task) -> str:
        """The task's example where there is one, else the answer."""
        return example_of(task) or (task.answer[0] if isinstance(task.answer, list) else task.answer)

    def normalise(self, text: str) -> str:
        """`text` as it is compared."""
        if self.ignore_unicode_form:
            text = unicodedata.normalize("NFKC", text)
        if self.ignore_case:
            text = text.casefold()
        if self.ignore_punctuation:
            text = "".join(mark for mark in text if not unicodedata.category(mark).startswith("P"))
        return " ".join(text.split()) if self.collapse_spaces else text.strip()


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
