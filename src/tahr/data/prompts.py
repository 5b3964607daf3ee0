"""Questions alone, from a file of rows without answers: what models are asked and a model judges."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from tahr.core.config import Config
from tahr.core.errors import InputError, UnknownNameError
from tahr.core.judging import Question
from tahr.data.columns import Columns, RowError, read_each, refuse_half
from tahr.data.rows import Row, read_rows


class PromptSetConfig(Config):
    """A file of questions to which no answer is known (``[dpo.build.prompts.NAME]``)."""

    path: str = Field(min_length=1, description="a JSONL, JSON, CSV, TSV or Parquet file, a question each row")
    prompt: str = Field(
        default="prompt", min_length=1, description="column of the question: a text, or messages with role and content"
    )
    system: str | None = Field(default=None, min_length=1, description="column of the system message")
    weight: float = Field(default=1.0, gt=0, description="share of the questions, beside the weights of tasks")


def read_prompts(sets: Mapping[str, PromptSetConfig], *, where: str) -> dict[str, tuple[Question, ...]]:
    """The questions of every set, those that stand twice once.

    Raises InputError that names the set at `where`: no such file, a missing column, each row without a question.
    """
    found: dict[str, tuple[Question, ...]] = {}
    for name, config in sets.items():
        try:
            found[name] = _read(config)
        except InputError as error:
            raise InputError(
                f"{where}.{name}: {error.wrong}", received=error.received, instead=error.instead
            ) from error
    return found


def _read(config: PromptSetConfig) -> tuple[Question, ...]:
    rows = read_rows(Path(config.path).expanduser())
    for name in filter(None, (config.prompt, config.system)):
        if name not in rows[0].values:
            raise UnknownNameError(f"column ({rows[0].place.partition(',')[0]})", name, rows[0].values)
    columns = Columns(prompt=config.prompt, system=config.system)
    questions = read_each(rows, lambda row: _question(columns, row), what="questions")
    return tuple({question.id: question for question in questions}.values())


def _question(columns: Columns, row: Row) -> Question:
    prompt = columns.messages(row)
    refuse_half([message.content for message in prompt])
    if prompt[-1].role == "assistant":
        raise RowError("the last message is the assistant's, so that there is nothing to answer")
    return Question(prompt=prompt)
