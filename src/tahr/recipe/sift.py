"""A file of training rows without those that hold a question of given evaluations, row by row."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, cast

from tahr.core.construct import construct
from tahr.core.errors import InputError, UnknownNameError
from tahr.core.protocols import task_sources
from tahr.data.decontaminate import QuestionIndex, question_text
from tahr.data.rows import READERS, Row, stream_rows
from tahr.data.shards import find_shards
from tahr.data.splits import build_task_sets
from tahr.evaluation.suites.load import is_suite, suite_names
from tahr.recipe.decontamination import held_out_questions, report_line
from tahr.recipe.load import load_recipe
from tahr.recipe.suite_guard import suite_questions
from tahr.store.files import written_whole
from tahr.verifiers.build import build_verifiers

QUESTION_COLUMNS = ("prompt", "question", "problem", "instruction", "messages", "conversations", "text", "input")
"""Where a row's question is sought, the first that is there, unless a column is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of an evaluation. `evaluation` is what the command line called it.

    Example: ``Question(evaluation="ifeval", place="ifeval 1f3870be274f6c49", text="Write a poem ...")``
    """

    evaluation: str
    place: str
    text: str


@dataclass(slots=True)
class Sifted:
    """What was found: rows read and removed, and for each evaluation the rows removed for it and its questions found.

    Example: ``Sifted(num_rows=1000, num_removed=3, rows=Counter({"ifeval": 3}), found={"ifeval": {"ifeval 12"}})``
    """

    num_rows: int = 0
    num_removed: int = 0
    rows: Counter[str] = field(default_factory=Counter[str])
    found: dict[str, set[str]] = field(default_factory=dict[str, set[str]])


def questions_of(evaluation: str, *, column: str | None, count: int, seed: int) -> Iterator[Question]:
    """The questions of a recipe (those that its [eval] holds out), of a suite, of a file, folder or hub dataset, or of
    a task source, of which `count` are generated. Raises InputError where there are none, or no column holds them."""
    known = evaluation in task_sources.names()
    if is_suite(evaluation) and not known:
        for one in suite_questions((evaluation,)):
            yield Question(evaluation=evaluation, place=one.id, text=one.published)
    elif evaluation.endswith(".toml"):
        yield from _of_recipe(evaluation)
    elif known or ":" in evaluation:
        source: Any = construct(task_sources.get(evaluation), {}, where=evaluation)
        for task in source.generate(count, seed):
            yield Question(evaluation=evaluation, place=f"{evaluation} {task.id}", text=question_text(task.prompt))
    elif "/" in evaluation or Path(evaluation).suffix.lower() in READERS or Path(evaluation).exists():
        for path in find_shards(evaluation, split="test" if _has_test(evaluation) else "train"):
            for row in stream_rows(path):
                yield Question(evaluation=evaluation, place=row.place, text=_question(row, column))
    else:
        names = [*task_sources.names(), *suite_names()]
        raise UnknownNameError("evaluation: no file, no recipe, no suite and no task source", evaluation, names)


def _has_test(source: str) -> bool:
    folder = Path(source).expanduser()
    return not folder.is_file() and (not folder.is_dir() or any(folder.rglob("*test*")))


def _of_recipe(path: str) -> Iterator[Question]:
    recipe = load_recipe(Path(path)).recipe
    if recipe.eval is None:
        raise InputError(f"{path} has no [eval]", instead="a recipe that evaluates, a file, or a task source")
    named = {name: recipe.tasks[name] for name in recipe.eval.tasks if name in recipe.tasks}
    sets = build_task_sets(named, build_verifiers(recipe.verifiers))
    for place, text in held_out_questions(sets, recipe.eval.tasks):
        yield Question(evaluation=path, place=place, text=text)


def _question(row: Row, column: str | None) -> str:
    name = column or next((one for one in QUESTION_COLUMNS if one in row.values), None)
    if name is None or name not in row.values:
        raise InputError(
            f"{row.place}: no column {name or ', '.join(QUESTION_COLUMNS)}",
            received=f"columns {', '.join(sorted(row.values))}",
            instead="--question COLUMN",
        )
    value = row.values[name]
    return "\n".join(_asked(cast("list[Any]", value)) if isinstance(value, list) else texts(value))


def _asked(turns: Iterable[Any]) -> Iterator[str]:
    """The texts of a conversation before its first answer, the system's aside."""
    for turn in turns:
        speaker = str(turn.get("role") or turn.get("from")) if isinstance(turn, dict) else ""  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        if speaker in ("assistant", "gpt"):
            return
        if speaker != "system":
            yield from texts(turn.get("content", turn.get("value")) if speaker else turn)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType, reportAttributeAccessIssue]


def texts(value: Any) -> Iterator[str]:
    """Every text in a row's value, however deep."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            stack.extend(reversed(list(cast("dict[str, Any]", one).values())))
        elif isinstance(one, list | tuple):
            stack.extend(reversed(cast("Sequence[Any]", one)))


def sift(
    train: str,
    index: QuestionIndex,
    evaluation_of: Callable[[str], str],
    *,
    split: str,
    config: str | None,
    columns: Sequence[str],
    kept: Path | None,
    removed: Path | None,
) -> Sifted:
    """Read the rows of `train` one by one, and write those without a question to `kept`, a report on the others to
    `removed`; both whole or not at all.

    Only the texts in `columns` are looked through, of all columns where there are none. Raises InputError as reading
    does, and for a column that a row lacks.
    """
    found = Sifted()
    with ExitStack() as stack:
        keeping, reporting = (_opened(stack, path) for path in (kept, removed))
        for path in find_shards(train, split=split, config=config):
            for row in stream_rows(path):
                found.num_rows += 1
                text = "\n".join(texts(_chosen(row, columns)))
                hits = index.find(text)
                if not hits:
                    _write(keeping, json.dumps(row.values, ensure_ascii=False, default=str) + "\n")
                    continue
                found.num_removed += 1
                for evaluation in {evaluation_of(hit.question) for hit in hits}:
                    found.rows[evaluation] += 1
                for hit in hits:
                    found.found.setdefault(evaluation_of(hit.question), set()).add(hit.question)
                _write(reporting, report_line(train, row.place, hits, text))
    return found


def _chosen(row: Row, columns: Sequence[str]) -> list[Any]:
    for column in columns:
        if column not in row.values:
            raise UnknownNameError(f"column ({row.place})", column, row.values)
    return [row.values[column] for column in columns] if columns else list(row.values.values())


def _opened(stack: ExitStack, path: Path | None) -> TextIO | None:
    if path is None:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = stack.enter_context(written_whole(path))
    return stack.enter_context(temporary.open("w", encoding="utf-8", errors="backslashreplace"))


def _write(file: TextIO | None, line: str) -> None:
    if file is not None:
        file.write(line)
