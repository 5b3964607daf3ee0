"""The plainest curriculum: tasks by weight, each once before any comes again, whatever the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tahr.core.types import Group, Task


class Mixes(Protocol):
    """An endless stream of tasks by position: `tahr.data.mixture.Mixture`."""

    def take(self, cursor: int, count: int) -> list[Task]:
        """Tasks number `cursor` to `cursor + count - 1`."""
        ...


class UniformCurriculum:
    """Draws from a mixture in order. `cursor` is all its state: how many tasks were drawn so far."""

    def __init__(self, mixture: Mixes, *, cursor: int = 0) -> None:
        self._mixture = mixture
        self.cursor = cursor

    def next(self, count: int) -> list[Task]:
        """The next `count` tasks."""
        tasks = self._mixture.take(self.cursor, count)
        self.cursor += count
        return tasks

    def observe(self, groups: Sequence[Group]) -> None:
        """Results change nothing here; a curriculum that adapts reads them."""
