"""Distinct tasks from a seeded stream of draws."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tahr.core.seeding import stream
from tahr.core.types import Message, Task

MAX_MISSES = 2000  # draws in a row that gave nothing new: the source is as good as exhausted


def distinct(draw: Callable[[Random], Task], count: int, seed: int, purpose: str) -> list[Task]:
    """The first `count` distinct tasks that `draw` gives under `seed`; fewer where it runs dry.

    A shorter request is a prefix of a longer one.
    """
    random = stream(seed, f"tasks.{purpose}")
    tasks: dict[str, Task] = {}
    misses = 0
    while len(tasks) < count and misses < MAX_MISSES:
        task = draw(random)
        misses = misses + 1 if task.id in tasks else 0
        tasks.setdefault(task.id, task)
    return list(tasks.values())


def question(content: str) -> tuple[Message, ...]:
    """A prompt of one user message."""
    return (Message(role="user", content=content),)
