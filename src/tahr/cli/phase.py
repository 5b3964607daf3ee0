"""How far a phase is and how long it still takes, by its pace of late: samples from a cache come at another one."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from time import monotonic

RECENT_SECONDS = 60.0
"""The pace is that of so long at most."""

LINE_SECONDS = 30.0
"""Between two lines about an evaluation where standard output is no terminal."""


@dataclass(slots=True)
class PhasePace:
    """A phase of `total` units.

    Example: ``PhasePace(total=541)``
    """

    total: int = 0
    done: int = 0
    began: float = field(default_factory=lambda: monotonic())
    said: float = field(default_factory=lambda: monotonic())
    _marks: deque[tuple[float, int]] = field(default_factory=deque[tuple[float, int]])

    def advance(self, count: int) -> None:
        """`count` more units are done."""
        now = monotonic()
        if not self._marks:
            self._marks.append((self.began, 0))
        self.done += count
        if now - self._marks[-1][0] >= 1.0:  # a mark a second is enough, however many units come
            self._marks.append((now, self.done))
        while len(self._marks) > 2 and now - self._marks[1][0] >= RECENT_SECONDS:
            self._marks.popleft()

    @property
    def seconds_left(self) -> float | None:
        """At the pace of late; None before there is one, and at the end."""
        if not self._marks or self.done >= self.total:
            return None
        since, done_then = self._marks[0]
        seconds, count = monotonic() - since, self.done - done_then
        return seconds / count * (self.total - self.done) if seconds > 0 and count > 0 else None

    @property
    def is_due(self) -> bool:
        """Whether it is time to say how far the phase is; asking starts the time anew where it is."""
        now = monotonic()
        if now - self.said < LINE_SECONDS or self.done >= self.total:
            return False
        self.said = now
        return True
