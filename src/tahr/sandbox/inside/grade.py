"""The first process of a run: takes its trials one by one, forks a candidate for each, watches it, and reports.

It runs trusted code only, decides by its own clock, and never looks into what a candidate wrote: bytes are passed on,
bounded. The reports say how each candidate ended and how much of what it used.
"""

from __future__ import annotations

import _socket
import importlib
import marshal
import os
import select
import signal
import types
from time import monotonic
from typing import Any

from . import candidate, linux, report, session, wire
from .cells import Cell
from .files import changed, write_files
from .pipe import HUNG_UP, Pipe

_SLICE = 0.2  # a busy machine may leave a program without a core for a while
_MAX_CODE = 1 << 26
_IN, _KILL = select.POLLIN, int(signal.SIGKILL)

rare: tuple[str, ...] = ()
"""Modules of the standard library that a run loads where its program speaks of them."""


def serve(channel: _socket.socket, guard: int, cell: Cell) -> None:
    """Serve one run: a header, then trials until None comes; or a session, which is a run of another kind."""
    header = wire.receive_request(channel)
    _load_mentioned(header.get("source", ""))
    cell.enter(header)
    if header["kind"] == "session":
        session.serve(channel, guard, cell, header)
        return
    candidate.prepare(header)
    run = _Run(channel, guard, cell, header)
    while (trial := wire.receive_request(channel)) is not None:
        data, is_empty = run.trial(*trial)
        channel.sendall(data)
        cell.empty(is_empty)


def _load_mentioned(source: str) -> None:
    """Load modules that the source speaks of once for all candidates; one that it doesn't use harms nothing."""
    for name in rare:
        if name in source:
            importlib.import_module(name)


class _Run:
    """Each candidate from fork to report.

    What a trial looks up or allocates here is a page to copy after each fork (see `rehearse`), so that it makes few
    objects, and no functions, which is what a comprehension is.
    """

    def __init__(self, channel: _socket.socket, guard: int, cell: Cell, header: dict[str, Any]) -> None:
        self._cell, self._header, self._limits = cell, header, header["limits"]
        self._code: types.CodeType | None = None
        self._shares = bool(header.get("several")) and header["kind"] != "command"
        self._folder = os.open(cell.root, os.O_RDONLY | os.O_DIRECTORY)
        self._poll = select.poll()
        self._poll.register(channel, HUNG_UP)
        self._poll.register(guard, _IN)

    def trial(self, nonce: bytes, stdin: bytes, files: dict[str, bytes], what: bytes) -> tuple[bytes, bool]:
        """Fork, watch, end everything: the report as it is sent, and whether the folder is known to be empty."""
        limits, root = self._limits, self._cell.root
        if files:
            write_files(root, files)
        out, err = Pipe(limits["output_bytes"]), Pipe(limits["output_bytes"])
        claim = Pipe(limits["result_bytes"])
        pipes = [out, err, claim]
        if self._shares:
            pipes.append(Pipe(_MAX_CODE))
        given = _input(stdin)
        began = monotonic()
        pid = linux.clone()
        if pid == 0:
            self._become_candidate(nonce, what, given, pipes)
        os.close(given)
        for pipe in pipes:
            os.close(pipe.writer)
        reason, stopped = self._watch(pid, began, pipes)
        wall = monotonic() - began
        used = self._end_all(pid, stopped)
        for pipe in pipes:
            pipe.drain()
        if not stopped and (out.flooded or err.flooded or claim.flooded):
            reason = "output"
        if self._shares:
            self._code, self._shares = candidate.shared_code(pipes[3].kept), False
        is_empty = linux.is_empty(self._folder)
        written = () if is_empty and not files else changed(root, files)
        data = report.frame(
            reason, out.flooded, err.flooded, wall, used, nonce, out.kept, err.kept, claim.kept, written
        )
        return data, is_empty

    def _become_candidate(self, nonce: bytes, what: bytes, stdin: int, pipes: list[Pipe]) -> None:
        """In the child: nothing but the standard streams, the claim's pipe and that of shared code stays open."""
        try:
            os.setsid()
            os.dup2(stdin, 0)
            target = 1
            for pipe in pipes:
                os.dup2(pipe.writer, target)
                target += 1
            candidate.limit_cpu(self._limits["cpu_seconds"])
            self._cell.confine_candidate(self._limits)
            os.closerange(target, 1 << 16)
            share = 4 if self._shares else -1
            candidate.enter(nonce, self._header, marshal.loads(what), self._code, share)
        finally:
            os._exit(125)

    def _watch(self, pid: int, began: float, pipes: list[Pipe]) -> tuple[str, bool]:
        """Read until the candidate ends or breaks a limit: the reason, and whether it has to be stopped."""
        poll, readers = self._poll, dict[int, Pipe]()
        wall, computed = self._limits["wall_seconds"], -1.0
        deadline = began + wall
        process = os.pidfd_open(pid)
        poll.register(process, _IN)
        for pipe in pipes:
            readers[pipe.reader] = pipe
            poll.register(pipe.reader, _IN)
        try:
            while True:
                left = deadline - monotonic()
                if left <= 0:
                    before, computed = computed, linux.processor_seconds(pid)
                    deadline = _extended(deadline, began, wall, before, computed)
                    if not deadline:
                        return "timeout", True
                    continue
                if self._cell.overfull():
                    return "disk", True
                for descriptor, _ in poll.poll(min(left, self._cell.look_seconds) * 1000 + 1):
                    if descriptor == process:
                        return "finished", False
                    if self._take(descriptor, readers):
                        return "output", True
        finally:
            poll.unregister(process)
            for descriptor in readers:
                poll.unregister(descriptor)
            os.close(process)

    def _take(self, descriptor: int, readers: dict[int, Pipe]) -> bool:
        """Read what came, and say whether it is too much. Raises EOFError where the trainer is gone."""
        pipe = readers.get(descriptor)
        if pipe is None:
            self._cell.kill_all()
            raise EOFError
        pipe.read()
        if not pipe.open:
            self._poll.unregister(descriptor)
            del readers[descriptor]
        return pipe.flooded

    def _end_all(self, pid: int, stopped: bool) -> tuple[int, float, int, int]:
        """Kill whatever is left, collect every dead process.

        The candidate's wait status, the processor time of all, the largest memory of one in KiB, and how many others
        were still alive.
        """
        if stopped:
            self._cell.kill_all()
        _, status, cpu, peak = linux.wait(pid)
        survivors = 0
        if not self._cell.kill_all():
            return status, cpu, peak, survivors
        while True:
            ended, ended_status, more, other = linux.wait(-1)
            if ended < 0:
                return status, cpu, peak, survivors
            cpu += more
            peak = max(peak, other)
            survivors += os.WIFSIGNALED(ended_status) and os.WTERMSIG(ended_status) == _KILL


def _extended(deadline: float, began: float, wall: float, before: float, computed: float) -> float:
    """The next deadline of a program that still computes but got less of a core than it has time, as others had it; 0
    where it has had its time.

    `computed` are its seconds of processor time by now, `before` those a slice ago, or -1 where nobody looked.
    """
    starved = computed < wall and (before < 0 or computed > before)
    return deadline + _SLICE if starved and deadline < began + wire.MOST_EXTENDED * wall else 0.0


def _input(data: bytes) -> int:
    """A descriptor to read `data` from: never blocks, can't be written."""
    if not data:
        return os.open("/dev/null", os.O_RDONLY)
    descriptor = os.memfd_create("stdin", os.MFD_ALLOW_SEALING)
    while data:
        data = data[os.write(descriptor, data) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    _seal(descriptor)
    return descriptor


def _seal(descriptor: int) -> None:
    import fcntl

    fcntl.fcntl(descriptor, 1033, 1 | 2 | 4 | 8)  # F_ADD_SEALS: seal, shrink, grow, write
