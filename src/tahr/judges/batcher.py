"""Calls from several threads, answered together."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True, eq=False)
class _Call(Generic[T, R]):
    item: T
    results: list[R] = field(default_factory=list[Any])
    error: BaseException | None = None

    @property
    def is_done(self) -> bool:
        return bool(self.results) or self.error is not None


class Batcher(Generic[T, R]):
    """Hands the items of calls that wait at the same time to `work` in one go, at most `size` of them.

    Nobody waits for company: while one batch is at work, the calls that come in meanwhile make up the next. With size 1
    calls are worked off one by one, so that what comes out can't depend on who else was there.

    >>> Batcher(lambda items: [2 * one for one in items], size=4)(21)
    42
    """

    def __init__(self, work: Callable[[Sequence[T]], Sequence[R]], *, size: int) -> None:
        self._work = work
        self._size = size
        self._waiting: deque[_Call[T, R]] = deque()
        self._at_work = threading.Lock()

    def __call__(self, item: T) -> R:
        """The result for `item`. What `work` raises is raised to everyone in its batch."""
        call: _Call[T, R] = _Call(item)
        self._waiting.append(call)
        with self._at_work:
            while not call.is_done:
                self._take()
        if call.error is not None:
            raise call.error
        return call.results[0]

    def _take(self) -> None:
        calls = [self._waiting.popleft() for _ in range(min(self._size, len(self._waiting)))]
        try:
            for call, result in zip(calls, self._work([call.item for call in calls]), strict=True):
                call.results.append(result)
        except BaseException as error:  # noqa: BLE001 - handed on to every caller
            for call in calls:
                call.error = error
