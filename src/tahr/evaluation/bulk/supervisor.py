"""The process behind a lane: it forks the worker that judges, watches it, and forks another when it dies.

Started as ``python -P -c "from tahr.evaluation.bulk.supervisor import main; main()"`` with frames on its standard
streams. The supervisor builds the judge and never runs it; the worker inherits it, so that a new one costs a fork and
no imports. A worker that stays on one item for too long, in C code too, is killed with everything that it started, and
so is the worker of a supervisor whose own parent is gone: nothing is left running, whoever dies first.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import Any, BinaryIO

from tahr.evaluation.bulk.frames import Frame, Kind, packed, read_frame, unpacked, write_frame
from tahr.sandbox.inside.processes import descendants
from tahr.sandbox.orphans import adopt_orphans, end_orphans

POLL_SECONDS = 0.01
MAX_ITEMS_PER_WORKER = 100_000  # then a fresh one takes over: what a verifier leaks is given back
RETIRED = 75

Judge = Callable[[bytes], bytes]

_STATE = struct.Struct("=qq")  # the item in work (-1: none), items begun so far
_SET_DEATH_SIGNAL = 1  # of prctl(2)


def main() -> None:
    """Read the setup, build the judge, and serve until the other side closes."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    _silence()
    setup = json.loads(requests.readline())
    sys.path[:] = setup["path"]
    try:
        judge = _judge(setup["judge"], setup["arguments"])
    except Exception as error:  # noqa: BLE001 - the lane raises it again
        write_frame(replies, Frame(kind=Kind.REFUSED, content=f"{type(error).__name__}: {error}".encode()))
        return
    write_frame(replies, Frame(kind=Kind.READY))
    _supervise(judge, requests, replies, seconds=setup["seconds"], memory_bytes=setup["memory_bytes"])


def _silence() -> None:
    """What verifiers print goes nowhere, and they have nothing to read."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def _judge(path: str, arguments: dict[str, Any]) -> Judge:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)(**arguments)


def _supervise(judge: Judge, requests: BinaryIO, replies: BinaryIO, *, seconds: float, memory_bytes: int) -> None:
    state = mmap.mmap(-1, _STATE.size)
    libc = ctypes.CDLL(None)
    parent, supervisor = os.getppid(), os.getpid()
    signal.signal(signal.SIGTERM, _leave)
    adopt_orphans()
    own = frozenset(descendants())  # what building the judge has started: workers use it, and it is ours to keep
    while True:
        _STATE.pack_into(state, 0, -1, 0)
        worker = os.fork()
        if worker == 0:
            try:
                _become_worker(libc, supervisor, memory_bytes)
                _work(judge, requests, replies, state)
            finally:
                os._exit(1)
        try:
            with suppress(OSError):
                os.setpgid(worker, worker)
            end = _watch(worker, state, seconds, parent)
        except SystemExit:
            os.kill(worker, signal.SIGKILL)
            raise
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(worker, signal.SIGKILL)  # what it started and left behind
            with suppress(ChildProcessError):
                os.waitpid(worker, 0)
            end_orphans(besides=own)  # and what has left its group: daemons
        item, _ = _STATE.unpack_from(state)
        if item >= 0:
            notice = {"item": item, "reason": _reason(end, seconds), "timeout": end is None}
            write_frame(replies, Frame(kind=Kind.DIED, content=json.dumps(notice).encode()))
        elif end is None or os.waitstatus_to_exitcode(end) != RETIRED:
            return  # no more work, or it died while reading or writing: the pipes can't be trusted any more


def _leave(_signal: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not break off the clearing up
    sys.exit()


def _watch(worker: int, state: mmap.mmap, seconds: float, parent: int) -> int | None:
    """Wait for the worker's end: its wait status, or None where it was killed for taking too long."""
    last, since = b"", time.monotonic()
    while True:
        done, status = os.waitpid(worker, os.WNOHANG)
        if done:
            return status
        now = time.monotonic()
        current = state[: _STATE.size]
        if os.getppid() != parent:
            raise SystemExit
        if current != last:
            last, since = current, now
        elif _STATE.unpack(current)[0] >= 0 and now - since > seconds:
            os.kill(worker, signal.SIGKILL)
            os.waitpid(worker, 0)
            return None
        time.sleep(POLL_SECONDS)


def _become_worker(libc: ctypes.CDLL, supervisor: int, memory_bytes: int) -> None:
    import resource

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(OSError):
        os.setpgid(0, 0)
    if sys.platform == "linux":
        libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != supervisor:  # it died before the call above
        os._exit(1)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _work(judge: Judge, requests: BinaryIO, replies: BinaryIO, state: mmap.mmap) -> None:
    """Judge until there is no more to do; the state says at every moment which item is in work."""
    begun = 0
    while (frame := read_frame(requests)) is not None:
        verdicts: list[bytes] = []
        for index, item in enumerate(unpacked(frame.content)):
            begun += 1
            _STATE.pack_into(state, 0, index, begun)
            verdicts.append(judge(item))
        _STATE.pack_into(state, 0, -1, begun)
        write_frame(replies, Frame(kind=Kind.VERDICTS, content=packed(verdicts)))
        if begun >= MAX_ITEMS_PER_WORKER:
            os._exit(RETIRED)
    os._exit(0)


def _reason(end: int | None, seconds: float) -> str:
    if end is None:
        return f"no verdict within {seconds:g} s: its process was killed"
    code = os.waitstatus_to_exitcode(end)
    return f"its process was killed by signal {-code}" if code < 0 else f"its process ended with exit code {code}"
