"""How the columns of a table become tasks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar, cast, get_args

from pydantic import Field

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.json_text import HALF, has_half_character, parse_json
from tahr.core.seeding import stream
from tahr.core.types import Message, Role, Task
from tahr.core.visible import says_nothing
from tahr.data.rows import Row

T = TypeVar("T")

MAX_FAULTS = 10  # faulty rows that one message lists

_SLOT = re.compile(r"\{(\w+)\}")

Column = Annotated[str | None, Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which columns hold what. Names left at None are not read.

    A prompt is a text, or a list of messages with role and content. `answer_after` takes the answer from the end of a
    worked solution: with "####", the answer is what follows the last "####", and the whole text is the example.
    """

    finite: ClassVar[bool] = True

    prompt: Annotated[str, Field(min_length=1, description="column of the question")] = "prompt"
    answer: Annotated[str, Field(min_length=1, description="column of the answer")] = "answer"
    id: Annotated[Column, Field(description="column of an id that must be unique; kept in meta")] = None
    domain: Annotated[Column, Field(description="column of the domain")] = None
    system: Annotated[Column, Field(description="column of the system message")] = None
    example: Annotated[Column, Field(description="column of a full text that the verifier passes")] = None
    verifier_column: Annotated[Column, Field(description="column of the verifier's name")] = None
    verifier: Annotated[str, Field(min_length=1, description="verifier of rows that name none")] = "exact"
    prompt_template: Annotated[
        str | None, Field(description="the question as asked; {prompt} or any {column} is filled in")
    ] = None
    answer_after: Annotated[Column, Field(description="the answer is what follows the last such mark")] = None
    answer_is_json: Annotated[bool, Field(description="parse the answer's text as JSON")] = False
    kept: Annotated[tuple[str, ...], Field(description="columns kept in meta, such as a level or a passage")] = ()

    def tasks(self, rows: Sequence[Row], count: int, seed: int) -> list[Task]:
        """`count` tasks in an order shuffled by `seed`; fewer where there are fewer rows. All rows are checked.

        Raises InputError that names each faulty row (up to `MAX_FAULTS`): missing answers, empty prompts, ids twice.
        """
        self._check_names(rows[0])
        seen: dict[str, str] = {}

        def checked(row: Row) -> Task:
            self._check_id(row, seen)
            return self.task(row)

        distinct = list({task.id: task for task in tasks_of(rows, checked)}.values())
        stream(seed, "tasks.rows").shuffle(distinct)
        return distinct[:count]

    def _check_names(self, row: Row) -> None:
        """Raise UnknownNameError for a column that the first row doesn't have."""
        optional = (self.id, self.domain, self.system, self.example, self.verifier_column)
        slots = {name for name in _SLOT.findall(self.prompt_template or "") if name != "prompt"}
        for name in (self.prompt, self.answer, *filter(None, optional), *self.kept, *sorted(slots)):
            if name not in row.values:
                raise UnknownNameError(f"column ({row.place.partition(',')[0]})", name, row.values)

    def _check_id(self, row: Row, seen: dict[str, str]) -> None:
        if self.id is None:
            return
        value = row.values.get(self.id)
        if is_missing(value) or value == "":
            raise RowError(f"no id in column {self.id!r}")
        if str(value) in seen:
            raise RowError(f"the id {value!r} stands already at {seen[str(value)]}")
        seen[str(value)] = row.place

    def task(self, row: Row) -> Task:
        """The task of one row. Raises RowError: a missing answer, an empty prompt, an answer that is not JSON."""
        answer, example = self._answer(row)
        meta = {"row": row.place} | ({"example": example} if example else {})
        if self.id is not None:
            meta["id"] = str(row.values[self.id])
        if self.prompt_template is not None and isinstance(asked := row.values.get(self.prompt), str):
            meta["question"] = asked
        meta |= {name: plain_cell(row.values.get(name)) for name in self.kept}
        return Task(
            prompt=self.messages(row),
            answer=answer,
            verifier=self._text(row, self.verifier_column) or self.verifier,
            domain=self._text(row, self.domain) or "default",
            meta=meta,
        )

    def _answer(self, row: Row) -> tuple[Any, str]:
        """The answer, and the example that comes with it ("" for none)."""
        answer, example = row.values.get(self.answer), self._text(row, self.example)
        if is_missing(answer) or (isinstance(answer, str) and says_nothing(answer)):
            raise RowError(f"no answer in column {self.answer!r}")
        if self.answer_after is not None:
            before, mark, after = str(answer).rpartition(self.answer_after)
            if not mark or not after.strip():
                raise RowError(f"no {self.answer_after!r} with an answer behind it in {str(answer)[-80:]!r}")
            answer, example = after.strip(), example or before + mark + after
        if self.answer_is_json and isinstance(answer, str):  # what a file holds as a list or a table is read already
            try:
                answer = parse_json(answer)
            except ValueError as error:
                raise RowError(f"the answer is not JSON: {error}") from None
        return answer, example

    def messages(self, row: Row) -> tuple[Message, ...]:
        """The question of one row. Raises RowError where there is none."""
        prompt: Any = row.values.get(self.prompt)
        system = self._text(row, self.system)
        first = (Message(role="system", content=system),) if system else ()
        if isinstance(prompt, list) and prompt and self.prompt_template is None:
            return first + tuple(message_of(item) for item in cast("list[Any]", prompt))
        if is_missing(prompt) or not isinstance(prompt, str | int | float) or not str(prompt).strip():
            raise RowError(f"no prompt in column {self.prompt!r}")
        content = str(prompt)
        if self.prompt_template is not None:
            values = {**row.values, "prompt": content}
            content = _SLOT.sub(lambda slot: _as_text(values.get(slot[1])), self.prompt_template)
        return (*first, Message(role="user", content=content))

    @staticmethod
    def _text(row: Row, column: str | None) -> str:
        return "" if column is None else _as_text(row.values.get(column))


class RowError(Exception):
    """What is wrong with one row."""


def tasks_of(rows: Sequence[Row], make: Callable[[Row], Task]) -> list[Task]:
    """The task that `make` gives of each row. Raises InputError with the RowErrors of all rows, up to `MAX_FAULTS`.

    A row whose task would hold half of a character is faulty: no model could be asked it.
    """
    return read_each(rows, lambda row: _readable(make(row)), what="tasks")


def _readable(task: Task) -> Task:
    """`task` as it is. Raises RowError where a text of it is half a character; the path to its row may be any."""
    meta = {name: value for name, value in task.meta.items() if name != "row"}
    refuse_half([[message.content for message in task.prompt], task.answer, task.verifier, task.domain, meta])
    return task


def refuse_half(value: Any) -> None:
    """Raise RowError where a text of `value` holds half of a character."""
    if has_half_character(value):
        raise RowError(f"a text holds {HALF}")


def read_each(rows: Sequence[Row], make: Callable[[Row], T], *, what: str) -> list[T]:
    """What `make` gives of each row. Raises InputError with the RowErrors of all rows, up to `MAX_FAULTS`."""
    faults: list[str] = []
    made: list[T] = []
    for row in rows:
        try:
            made.append(make(row))
        except RowError as fault:
            faults.append(f"{row.place}: {fault}")
    if faults:
        more = f"\n  and {len(faults) - MAX_FAULTS} more" if len(faults) > MAX_FAULTS else ""
        listed = "\n  ".join(["", *faults[:MAX_FAULTS]]) + more
        raise InputError(f"{len(faults)} of {len(rows)} rows can't be {what}", received=listed)
    return made


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: null, or the NaN that tables have in its place."""
    return value is None or value != value


def _as_text(value: Any) -> str:
    return "" if is_missing(value) else str(value)


def plain_cell(value: Any) -> Any:
    """A cell as meta keeps it: a JSON scalar as it is, anything else as text."""
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def message_of(item: Any) -> Message:
    """A message from its table {"role", "content"}. Raises RowError: another role, an empty content."""
    fields = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
    role, content = fields.get("role"), fields.get("content")
    if role not in get_args(Role) or not isinstance(content, str) or not content.strip():
        raise RowError(f"not a message with role and content: {repr(item)[:100]}")
    return Message(role=cast("Role", role), content=content)
