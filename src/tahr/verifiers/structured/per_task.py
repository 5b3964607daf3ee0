"""Verifiers whose arguments say what form is wanted: once for all tasks, or each task its own."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, TypeVar

from tahr.core.construct import construct
from tahr.core.errors import InputError
from tahr.core.types import Task
from tahr.verifiers.example import needed_text

T = TypeVar("T")


def wanted(verifier: T, task: Task) -> T:
    """`verifier` itself where a recipe gave it arguments, else one with those of the task's `answer`, a table.

    Raises InputError where the answer is no such table, or asks for nothing.
    """
    kind = type(verifier)
    if verifier != kind():
        return verifier
    if not isinstance(task.answer, dict) or not task.answer:
        raise InputError(
            f"this {kind.__name__} has no arguments, so every task's answer must be a table of them",
            received=repr(task.answer)[:200],
            instead="arguments in the recipe, or a table such as those in docs/verifiers/structure.md",
        )
    return _read(kind, json.dumps(task.answer))


@lru_cache(maxsize=4096)
def _read(kind: type[T], answer: str) -> T:
    arguments: dict[str, Any] = json.loads(answer)
    made = construct(kind, arguments, where="answer")
    if made == kind():
        raise InputError("the answer asks for nothing", received=answer[:200])
    return made


def check_wanted(verifier: Any, task: Task, name: str) -> None:
    """Raise InputError where it isn't said what is wanted, or no text is known to check a verifier of form by."""
    if wanted(verifier, task) is verifier:
        needed_text(task, name)
