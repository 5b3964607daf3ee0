"""Ask verifiers while sampling goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from tahr.core.types import Outcome, Task, Verdict
from tahr.verifiers.build import MAX_SECONDS

MAX_THREADS = 8
"""How many answers are judged at once, at most."""


class Judges(Protocol):
    """What judges answers: `tahr.verifiers.build.VerifierSet`."""

    def verify(self, task: Task, text: str) -> Verdict:
        """The verdict of the task's verifier; never raises."""
        ...


@runtime_checkable
class ConcurrentJudges(Protocol):
    """Judges that know which of their verifiers may be asked in several threads at once."""

    def is_concurrent(self, task: Task) -> bool:
        """Whether the task's verifier bounds its own time in any thread."""
        ...


@dataclass(slots=True, kw_only=True)
class Judge:
    """Gives verdicts on the event loop, or in threads where the verifier allows that: a slow one then delays no other.

    All others stay on the loop's thread, one after another: if that is the main one, what takes too long is
    interrupted there. `seconds` is the time in which at least one verifier was at work.

    Example: ``Judge(verifiers=verifiers)``
    """

    verifiers: Judges
    seconds: float = 0.0
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_THREADS))
    _num_at_work: int = 0
    _since: float = 0.0

    async def verdict(self, task: Task, text: str) -> Verdict:
        """The verdict on `text`. The same whether it is found in a thread or not."""
        if isinstance(self.verifiers, ConcurrentJudges) and self.verifiers.is_concurrent(task):
            async with self._slots:
                with self._at_work():
                    return await self._in_thread(task, text)
        with self._at_work():
            return self.verifiers.verify(task, text)

    @contextmanager
    def _at_work(self) -> Generator[None]:
        if not self._num_at_work:
            self._since = time.perf_counter()
        self._num_at_work += 1
        try:
            yield
        finally:
            self._num_at_work -= 1
            if not self._num_at_work:
                self.seconds += time.perf_counter() - self._since

    async def _in_thread(self, task: Task, text: str) -> Verdict:
        """The verdict from a thread of its own. One that never comes is a timeout, and its thread holds up no exit."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[Verdict] = loop.create_future()

        def deliver(verdict: Verdict) -> None:
            if not found.done():
                found.set_result(verdict)

        def work() -> None:
            verdict = self.verifiers.verify(task, text)
            if not loop.is_closed():
                loop.call_soon_threadsafe(deliver, verdict)

        threading.Thread(target=work, name="verifier", daemon=True).start()
        try:
            return await asyncio.wait_for(found, MAX_SECONDS)
        except TimeoutError:
            note = f"verifier {task.verifier!r}: no result within {MAX_SECONDS:g} s"
            return Verdict(outcome=Outcome.TIMEOUT, reward=None, note=note)
