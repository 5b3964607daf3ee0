"""What a verifier is audited on: tasks, and answers that people have labelled.

A row of labelled answers is JSON: ``gold`` (what the task's answer is), ``answer`` (the text to judge), ``correct``
(true or false), and where wanted ``prompt``, ``meta``, ``example`` and ``note``. Or, as answers of a model are stored:
``answer`` is the task's and ``response`` the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from tahr.core.construct import construct
from tahr.core.errors import InputError, TahrError
from tahr.core.protocols import Verifier, task_sources
from tahr.core.types import Message, Task
from tahr.data import sources as sources  # registers tahr's own
from tahr.data.columns import Columns
from tahr.data.rows import Row, read_rows

SETS = Path(__file__).parent / "sets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """An answer that people have judged.

    Example: ``Labelled(task=task, text="0.33", correct=False, label="a rounded decimal")``
    """

    task: Task
    text: str
    correct: bool
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Tasks and labelled answers, and in words where they are from.

    Example: ``Material(tasks=(task,), pairs=(labelled,), sources=("the built-in set 'math'",))``
    """

    tasks: tuple[Task, ...] = ()
    pairs: tuple[Labelled, ...] = ()
    sources: tuple[str, ...] = ()

    def __add__(self, other: Material) -> Material:
        """Both, tasks that are in both once."""
        tasks = {task.id: task for task in (*self.tasks, *other.tasks)}
        return Material(
            tasks=tuple(tasks.values()), pairs=self.pairs + other.pairs, sources=self.sources + other.sources
        )


def tasks_from_file(path: Path, verifier: str) -> Material:
    """Tasks of a file with prompt, answer and perhaps an example. Raises InputError that names the faulty rows."""
    rows = [Row(place=row.place, values={"example": None, **row.values}) for row in read_rows(path)]
    tasks = Columns(example="example", verifier=verifier).tasks(rows, count=len(rows), seed=0)
    return Material(tasks=tuple(tasks), sources=(f"tasks of {path}",))


def pairs_from_file(path: Path, name: str, verifier: Verifier) -> Material:
    """Labelled answers, and the tasks that they answer. Raises InputError that names the first faulty row."""
    pairs = [_labelled(row, name) for row in read_rows(path)]
    return Material(tasks=tuple(_tasks_of(pairs, verifier)), pairs=tuple(pairs), sources=(f"answers of {path}",))


def built_in(registered: str, name: str, verifier: Verifier) -> Material:
    """tahr's own labelled answers for a registered verifier, judged by `name`; empty where there are none."""
    path = SETS / f"{registered}.jsonl"
    if ":" in registered or not path.is_file():
        return Material()
    return replace(pairs_from_file(path, name, verifier), sources=(f"the built-in set {registered!r}",))


def tasks_from_sources(registered: str, name: str, count: int) -> Material:
    """Tasks of every source that works without arguments and whose tasks this registered verifier judges."""
    material = Material()
    for source in task_sources.names():
        tasks = [task for task in _generated(source, count) if task.verifier == registered]
        if tasks:
            judged = tuple(replace(task, verifier=name) for task in tasks)
            material += Material(tasks=judged, sources=(f"the task source {source!r}",))
    return material


def _generated(source: str, count: int) -> Sequence[Task]:
    """The source's tasks; none where it needs arguments, a file, or a package that is not here."""
    try:
        return construct(task_sources.get(source), {}, where=source).generate(count, 0)
    except TahrError:
        return ()


def _labelled(row: Row, verifier: str) -> Labelled:
    values = row.values
    has_response = "response" in values
    text: Any = values.get("response") if has_response else values.get("answer")
    answer: Any = values.get("answer") if has_response and "gold" not in values else values.get("gold")
    meta: Any = values.get("meta") or {}
    prompt: Any = values.get("prompt") or ""
    if answer is None or not isinstance(text, str) or not isinstance(values.get("correct"), bool):
        raise InputError(
            f"{row.place}: a labelled answer needs a gold, an answer as text, and correct as true or false",
            received=", ".join(f"{key} = {str(value)[:40]!r}" for key, value in values.items()),
            instead='{"gold": "1/2", "answer": "So it is 0.5.", "correct": true}',
        )
    example: Any = values.get("example")
    task = Task(
        prompt=(Message(role="user", content=str(prompt)),) if prompt else (),
        answer=answer,
        verifier=verifier,
        meta=dict(cast("Mapping[str, Any]", meta)) | ({"example": example} if isinstance(example, str) else {}),
    )
    return Labelled(task=task, text=text, correct=values["correct"], label=str(values.get("note") or ""))


def _tasks_of(pairs: Iterable[Labelled], verifier: Verifier) -> Iterator[Task]:
    """The tasks behind labelled answers, once each; a right answer is the example where the verifier needs one."""
    right: dict[str, str] = {}
    tasks: dict[str, Task] = {}
    for pair in pairs:
        tasks.setdefault(pair.task.id, pair.task)
        if pair.correct:
            right.setdefault(pair.task.id, pair.text)
    for key, task in tasks.items():
        if _knows_gold(task, verifier):
            yield task
        elif key in right:
            yield replace(task, meta={**task.meta, "example": right[key]})


def _knows_gold(task: Task, verifier: Verifier) -> bool:
    try:
        verifier.check_task(task)
        gold: Any = verifier.gold(task)
    except InputError:
        return False
    return gold is not None
