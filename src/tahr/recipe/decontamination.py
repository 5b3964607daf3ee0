"""Training rows that hold an evaluation's question, taken out before anything is learnt from them.

Each source's removed rows are kept in the run folder, as ``decontamination/SOURCE.jsonl``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from tahr.core.errors import InputError
from tahr.data.config import DecontaminateConfig
from tahr.data.decontaminate import Hit, QuestionIndex, question_text
from tahr.data.splits import TaskSet
from tahr.recipe.schema import Recipe
from tahr.recipe.suite_guard import decontamination_of, guarded_questions
from tahr.store.files import write_file

T = TypeVar("T")

Kind = Literal["chats", "pairs", "tasks", "built"]
"""What a training source is made of; built pairs ask the run's own tasks, and prompts of their own."""

FOLDER = "decontamination"

SHOWN_CHARACTERS = 500
"""Of a removed row's text, in the report."""


def question_index(recipe: Recipe, task_sets: Mapping[str, TaskSet], kind: Kind) -> QuestionIndex | None:
    """The recipe's held-out questions; None where sources of this kind are not looked through, or nothing is asked.

    All but tasks are looked through for the suites' questions that are kept out, in any case; `keep_out` does so for
    tasks. What is built of tasks is looked through for held-out tasks where these are, and for no generated suite.
    """
    config = decontamination_of(recipe)
    questions: list[tuple[str, str]] = []
    if recipe.eval is not None and ("tasks" if kind == "built" else kind) in config.sources:
        questions.extend(held_out_questions(task_sets, recipe.eval.tasks))
    if kind != "tasks":
        questions.extend(guarded_questions(recipe, published=kind == "built"))
    index = QuestionIndex(questions, ngram=config.ngram, share=config.share, measure=config.measure)
    return index if len(index) else None


def held_out_questions(task_sets: Mapping[str, TaskSet], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The validation and test questions of the sets `names` that are there, each with an id for people."""
    for name in names:
        if name in task_sets:
            for task in (*task_sets[name].validation, *task_sets[name].test):
                yield f"{name} {task.id}", question_text(task.prompt)


def clean(
    recipe: Recipe,
    task_sets: Mapping[str, TaskSet],
    folder: Path,
    kind: Kind,
    name: str,
    rows: Sequence[T],
    *,
    text: Callable[[T], str],
    place: Callable[[T], str],
    say: Callable[[str], None],
) -> list[T]:
    """The rows without those that hold a held-out question, which are reported in the run's `folder` and said.

    Raises InputError where there are some and the recipe refuses them.
    """
    index = question_index(recipe, task_sets, kind)
    if index is None:
        return list(rows)
    kept: list[T] = []
    removed: list[tuple[T, list[Hit]]] = []
    for row in rows:
        hits = index.find(text(row))
        if hits:
            removed.append((row, hits))
        else:
            kept.append(row)
    source = f"{kind}.{name}"
    path = folder / FOLDER / f"{source}.jsonl"
    lines = [report_line(source, place(row), hits, text(row)) for row, hits in removed]
    path.parent.mkdir(exist_ok=True)
    write_file(path, "".join(lines).encode())
    found = f"{len(removed):,} of {len(rows):,} rows hold one of {len(index):,} held-out questions"
    _refuse(
        decontamination_of(recipe),
        source,
        found,
        path,
        removed=bool(removed),
    )
    say(f"decontamination of {source}: {found}" + (f" and were left out ({path})" if removed else ""))
    return kept


def report_line(source: str, place: str, hits: Sequence[Hit], text: str) -> str:
    """One removed row as a line of JSON: where it stands, the fullest hit, how many there are, its text's beginning."""
    return (
        json.dumps(
            {
                "source": source,
                "row": place,
                "question": hits[0].question,
                "share": round(hits[0].share, 4),
                "num_questions": len(hits),
                "text": text[:SHOWN_CHARACTERS],
            },
            ensure_ascii=False,
        )
        + "\n"
    )


def _refuse(config: DecontaminateConfig, source: str, found: str, path: Path, *, removed: bool) -> None:
    if removed and config.action == "refuse":
        raise InputError(
            f"{source} is contaminated: {found}",
            received=f"listed in {path}",
            instead="other data, or eval.decontaminate.action = 'remove'",
        )
