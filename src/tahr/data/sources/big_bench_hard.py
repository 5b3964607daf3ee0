"""BIG-Bench Hard: 27 tasks of several kinds of answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.rows import Row, read_rows
from tahr.data.sources.multiple_choice import ASK_LETTER
from tahr.data.sources.published import ASK_ANSWER, Published, text_in
from tahr.data.sources.stream import question

SUBTASKS = (
    "boolean_expressions",
    "causal_judgement",
    "date_understanding",
    "disambiguation_qa",
    "dyck_languages",
    "formal_fallacies",
    "geometric_shapes",
    "hyperbaton",
    "logical_deduction_five_objects",
    "logical_deduction_seven_objects",
    "logical_deduction_three_objects",
    "movie_recommendation",
    "multistep_arithmetic_two",
    "navigate",
    "object_counting",
    "penguins_in_a_table",
    "reasoning_about_colored_objects",
    "ruin_names",
    "salient_translation_error_detection",
    "snarks",
    "sports_understanding",
    "temporal_sequences",
    "tracking_shuffled_objects_five_objects",
    "tracking_shuffled_objects_seven_objects",
    "tracking_shuffled_objects_three_objects",
    "web_of_lies",
    "word_sorting",
)

_LETTER = re.compile(r"\(([A-J])\)")
_LATER_LETTER = re.compile(r"^\([K-Z]\)", re.MULTILINE)


@task_sources.register("bbh")
@dataclass(frozen=True, slots=True, kw_only=True)
class BigBenchHard(Published):
    """BIG-Bench Hard: 27 tasks that were hard for language models (Suzgun et al. 2022, arXiv:2210.09261); for
    evaluation.

    Each subtask is a configuration of the data set, and a domain. Letters are judged as choices, everything else
    as short answers.
    """

    dataset: ClassVar[str] = "lukaemon/bbh"

    subtasks: Annotated[tuple[str, ...], Field(min_length=1, description="subtasks to read; all by default")] = SUBTASKS

    def __post_init__(self) -> None:
        for name in self.subtasks:
            if name not in SUBTASKS:
                raise UnknownNameError("subtask of BIG-Bench Hard", name, SUBTASKS)

    def rows(self) -> list[Row]:
        """The rows of every subtask, which each then names. A local file holds those of the one subtask asked for."""
        if self.name is not None and Path(self.name).expanduser().is_file() and len(self.subtasks) != 1:
            raise InputError(
                "a file of BIG-Bench Hard doesn't say which subtask it is",
                received=self.name,
                instead='subtasks = ["boolean_expressions"], or a folder with a folder for each subtask',
            )
        return [
            replace(row, values={**row.values, "subtask": subtask})
            for subtask in self.subtasks
            for path in self.shards(subtask)
            for row in read_rows(path)
        ]

    def task(self, row: Row, seed: int) -> Task:
        """Choices stay in their order: they are part of the question."""
        asked, target = text_in(row, "input"), text_in(row, "target")
        letter = None if _LATER_LETTER.search(asked) else _LETTER.fullmatch(target)
        subtask = str(row.values["subtask"])
        return Task(
            prompt=question(f"{asked}\n\n{ASK_LETTER if letter else ASK_ANSWER}"),
            answer=letter[1] if letter else target,
            verifier="choice" if letter else "short_answer",
            domain=subtask,
            meta={"row": row.place, "subtask": subtask, "question": asked},
        )
