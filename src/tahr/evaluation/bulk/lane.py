"""One lane of judging: items go in, a line for each comes out, whatever an item does to the process that judges it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from tahr.core.errors import TahrError
from tahr.evaluation.bulk.frames import Frame, Kind, packed, read_frame, unpacked, write_frame

GRACE_SECONDS = 2.0
"""What a worker is given beyond the limit that it keeps by itself before it is killed."""

MAX_ENDED = 8
"""How often in a row a lane's supervisor may be killed before the lane gives up: each start costs seconds."""

_END_SECONDS = 5.0

_PROGRAM = "from tahr.evaluation.bulk.supervisor import main; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a lane does: ``package.module:factory`` called with `arguments` gives the judge, bytes to bytes.

    `seconds` is the limit that the judge keeps for one item; `memory_bytes` bounds the worker's own memory.

    Example: ``Work(judge="tahr.evaluation.bulk.judges:row_judge", arguments={}, seconds=10.0, memory_bytes=2**32)``
    """

    judge: str
    arguments: Mapping[str, Any]
    seconds: float
    memory_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """An item that could not be judged, and why.

    Example: ``Lost(reason="its process was killed by signal 9, twice", timeout=False)``
    """

    reason: str
    timeout: bool


class _EndedError(Exception):
    """The lane's process has gone; what it was on is unknown."""


class _DiedError(Exception):
    """The worker died on one item."""

    def __init__(self, item: int, lost: Lost) -> None:
        self.item, self.lost = item, lost


class Lane:
    """Judges items one after another in a process of its own. Not to be shared by threads at one time."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._num_ended = 0

    def judge(self, items: Sequence[bytes]) -> list[bytes | Lost]:
        """A line for each item, in order. Items must not hold line ends.

        An item that takes too long is lost. One whose process dies is tried once more, alone; if that one dies too, it
        is lost. Raises TahrError where no process can be started, the one that watches the worker is killed again and
        again, or the lane is closed.
        """
        results: list[bytes | Lost] = []
        batches = [list(items)]  # the next one last
        while batches:
            batch = batches.pop()
            try:
                results.extend(self._ask(batch))
            except _DiedError as died:
                before, item, after = batch[: died.item], batch[died.item], batch[died.item + 1 :]
                # what stood before the item was judged, but its verdicts were still in the worker
                results.extend(self.judge(before) if before else [])
                results.append(died.lost if died.lost.timeout else self._alone(item))
                batches.extend([after] if after else [])
            except _EndedError:
                results.extend(self._alone(item) for item in batch)
        return results

    def interrupt(self) -> None:
        """Make whatever another thread is judging end at once, with TahrError there."""
        self._closed = True
        if (process := self._process) is not None:
            process.terminate()

    def close(self) -> None:
        """End the process and what it started; doing so twice is harmless."""
        self._closed = True
        self._end()

    def _alone(self, item: bytes) -> bytes | Lost:
        """The second try of an item that was in work when its process died."""
        try:
            return self._ask([item])[0]
        except _DiedError as died:
            again = "" if died.lost.timeout else ", twice"
            return Lost(reason=died.lost.reason + again, timeout=died.lost.timeout)
        except _EndedError:
            return Lost(reason="its process was killed, twice", timeout=False)

    def _ask(self, items: Sequence[bytes]) -> list[bytes]:
        process = self._process or self._start()
        requests, replies = cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
        try:
            write_frame(requests, Frame(kind=Kind.ROWS, content=packed(items)))
            frame = read_frame(replies)
        except (OSError, ValueError):  # closed from the other side, or from this one
            frame = None
        if frame is None:
            self._end()
            self._check_open()
            self._num_ended += 1
            if self._num_ended >= MAX_ENDED:
                raise TahrError(
                    "the process that watches over the judging was killed again and again",
                    received=f"{self._num_ended} times in a row",
                    instead="a verifier that leaves its parent process and its open files alone",
                )
            raise _EndedError
        self._num_ended = 0
        if frame.kind is Kind.DIED:
            notice = json.loads(frame.content)
            raise _DiedError(notice["item"], Lost(reason=notice["reason"], timeout=notice["timeout"]))
        return unpacked(frame.content)

    def _start(self) -> subprocess.Popen[bytes]:
        self._check_open()
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in the terminal is the parent's to handle
        )
        self._process = process
        if self._closed:  # interrupted in between
            self._end()
            self._check_open()
        setup = {
            "path": sys.path,
            "judge": self._work.judge,
            "arguments": dict(self._work.arguments),
            "seconds": self._work.seconds + GRACE_SECONDS,
            "memory_bytes": self._work.memory_bytes,
        }
        requests, replies = cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
        with suppress(OSError):
            requests.write(json.dumps(setup).encode() + b"\n")
            requests.flush()
        first = read_frame(replies)
        if first is None or first.kind is not Kind.READY:
            self._end()
            self._check_open()
            why = first.content.decode() if first else "it ended by itself"
            raise TahrError("a process that judges could not be started", received=why)
        return process

    def _check_open(self) -> None:
        if self._closed:
            raise TahrError("the lane is closed")

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()  # it kills its worker and what that started
        try:
            process.wait(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # unsent bytes of a dead process
                    pipe.close()
        process.wait()


def default_workers() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
