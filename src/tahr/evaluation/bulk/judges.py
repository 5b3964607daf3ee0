"""What the workers run: a line of a file, or a task with a text, to a line that holds the verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any, cast

from tahr.core.errors import InputError
from tahr.core.json_text import parse_json
from tahr.core.types import Message, Outcome, Reward, Task, Verdict
from tahr.data.columns import Columns, RowError
from tahr.data.rows import Row
from tahr.evaluation.bulk.lane import Lost
from tahr.verifiers.build import VerifierSet, build_verifiers
from tahr.verifiers.config import VerifierConfig
from tahr.verifiers.limit import TimeLimitError, reason_of, time_limit

MAX_NOTE_CHARS = 1000

Verifiers = Mapping[str, Mapping[str, Any]]
"""``[verifiers.NAME]`` sections as JSON values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict with the time that it took. `line` is the row's place in its file, from 1.

    Example: ``Judged(line=3, id="7", outcome="pass", value=1.0, parts={"correct": 1.0}, extracted="5",
    note="5 equals 5", seconds=4e-05)``
    """

    line: int
    id: str | None = None
    outcome: str
    value: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    extracted: str | None = None
    note: str = ""
    seconds: float = 0.0

    def encode(self) -> bytes:
        """One line of JSON."""
        try:
            return json.dumps(asdict(self), ensure_ascii=False).encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            return json.dumps(asdict(self)).encode()

    @property
    def verdict(self) -> Verdict:
        """The verdict as a verifier gives it."""
        reward = None if self.value is None else Reward(value=self.value, parts=self.parts, note=self.note)
        return Verdict(outcome=Outcome(self.outcome), reward=reward, extracted=self.extracted, note=self.note)


def decoded(line: bytes) -> Judged:
    """What `Judged.encode` wrote. Raises ValueError or TypeError where it is something else."""
    return Judged(**json.loads(line))


def lost_row(line: int, lost: Lost) -> Judged:
    """A row that no verdict could be had for."""
    return Judged(line=line, outcome=(Outcome.TIMEOUT if lost.timeout else Outcome.ERROR).value, note=lost.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFormat:
    """Which columns of a row hold what. Without a `prompt` column tasks have no prompt.

    A column ``meta`` that holds an object becomes the task's `meta`, where verifiers read options such as a tolerance.

    Example: ``RowFormat(prompt="question", answer="gold", response="completion", id="uid")``
    """

    prompt: str | None = "prompt"
    answer: str = "answer"
    response: str = "response"
    id: str | None = None
    example: str | None = None
    answer_is_json: bool = False


def row_judge(
    *, verifier: str, verifiers: Verifiers, columns: dict[str, Any], seconds: float
) -> Callable[[bytes], bytes]:
    """A judge of lines: the row's number, a space, and the row as JSON.

    Raises InputError where the verifier can't be built.
    """
    return _RowJudge(verifier, built_verifiers(verifiers), RowFormat(**columns), seconds).judge


def task_judge(*, verifiers: Verifiers, seconds: float) -> Callable[[bytes], bytes]:
    """A judge of tasks: JSON as `encode_task` writes it."""
    built = built_verifiers(verifiers)

    def judge(item: bytes) -> bytes:
        values = json.loads(item)
        verdict, taken = timed(built, _decode_task(values["task"]), values["text"], seconds)
        return _judged(values["index"], None, verdict, taken).encode()

    return judge


def encode_task(index: int, task: Task, text: str) -> bytes:
    """An item for `task_judge`."""
    values = {name: value for name, value in asdict(task).items() if name != "id"}
    return json.dumps({"index": index, "task": values, "text": text}).encode()


def timed(verifiers: VerifierSet, task: Task, text: str, seconds: float) -> tuple[Verdict, float]:
    """The verdict, Outcome.TIMEOUT after `seconds` where Python can interrupt the verifier, and the time it took."""
    started = perf_counter()
    try:
        with time_limit(seconds):
            verdict = verifiers.verify(task, text)
    except TimeLimitError as error:
        verdict = Verdict(outcome=Outcome.TIMEOUT, reward=None, note=str(error))
    return verdict, perf_counter() - started


class _RowJudge:
    def __init__(self, verifier: str, verifiers: VerifierSet, columns: RowFormat, seconds: float) -> None:
        self.verifiers, self.format, self.seconds = verifiers, columns, seconds
        self.verifiers.get(verifier)
        self.columns = Columns(
            prompt=columns.prompt or _NO_PROMPT,
            answer=columns.answer,
            example=columns.example,
            verifier=verifier,
            answer_is_json=columns.answer_is_json,
        )

    def judge(self, item: bytes) -> bytes:
        number, _, line = item.partition(b" ")
        name: str | None = None
        try:
            values = _object(line)
            name = self._id(values)
            task = self._task(values, int(number))
            text = values.get(self.format.response)
            if not isinstance(text, str):
                raise RowError(f"no text in column {self.format.response!r}")
        except RowError as fault:
            return Judged(line=int(number), id=name, outcome=Outcome.ERROR.value, note=f"bad row: {fault}").encode()
        verdict, taken = timed(self.verifiers, task, text, self.seconds)
        return _judged(int(number), name, verdict, taken).encode()

    def _id(self, values: Mapping[str, Any]) -> str | None:
        value = None if self.format.id is None else values.get(self.format.id)
        return None if value is None else str(value)

    def _task(self, values: dict[str, Any], number: int) -> Task:
        if self.format.prompt is None:
            values = {**values, _NO_PROMPT: "?"}
        task = self.columns.task(Row(place=f"line {number}", values=values))
        meta: Any = values.get("meta")
        if isinstance(meta, dict):
            task = replace(task, meta={**cast("dict[str, Any]", meta), **task.meta})
        if self.format.prompt is None:
            task = replace(task, prompt=())
        self._check(task)
        return task

    def _check(self, task: Task) -> None:
        """Raise RowError where the verifier can't judge the task."""
        try:
            with time_limit(self.seconds):
                self.verifiers.get(task.verifier).check_task(task)
        except InputError as error:
            hint = f"; {error.instead}" if error.instead else ""
            raise RowError(f"{error.wrong} (received {str(error.received)[:200]}){hint}"[:MAX_NOTE_CHARS]) from None
        except Exception as error:  # noqa: BLE001 - the boundary: a verifier from outside that fails on data
            raise RowError(f"check_task failed: {reason_of(error)}"[:MAX_NOTE_CHARS]) from None
        except TimeLimitError as error:
            raise RowError(f"check_task: {error}") from None


_NO_PROMPT = "\0prompt"


def _object(line: bytes) -> dict[str, Any]:
    try:
        values = parse_json(line)
    except ValueError as error:
        raise RowError(f"not JSON: {error}"[:MAX_NOTE_CHARS]) from None
    if not isinstance(values, dict):
        raise RowError("not a JSON object")
    return cast("dict[str, Any]", values)


def _judged(line: int, name: str | None, verdict: Verdict, seconds: float) -> Judged:
    reward = verdict.reward
    return Judged(
        line=line,
        id=name,
        outcome=verdict.outcome.value,
        value=reward.value if reward else None,
        parts=dict(reward.parts) if reward else {},
        extracted=None if verdict.extracted is None else verdict.extracted[:MAX_NOTE_CHARS],
        note=verdict.note[:MAX_NOTE_CHARS],
        seconds=round(seconds, 7),
    )


def built_verifiers(verifiers: Verifiers) -> VerifierSet:
    """The verifiers of a recipe's sections. Raises InputError where one is unknown or has wrong arguments."""
    return build_verifiers(
        {name: VerifierConfig.read(values, where=f"verifiers.{name}") for name, values in verifiers.items()}
    )


def _decode_task(values: dict[str, Any]) -> Task:
    messages = tuple(Message(**message) for message in values.pop("prompt"))
    return Task(prompt=messages, **values)
