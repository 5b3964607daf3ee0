"""The first process of a run: takes its trials one by one, forks a candidate for each, watches it, and reports.

It runs trusted code only, decides by its own clock, and never looks into what a candidate wrote: bytes are passed on,
bounded. The reports say how each candidate ended and how much of what it used.
"""

from __future__ import annotations

import _socket
import importlib
import os
import select
import signal
import time
from typing import Any

from . import candidate, linux, session, wire
from .cells import Cell
from .files import changed, write_files
from .pipe import HUNG_UP, Pipe

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
    while (trial := wire.receive_request(channel)) is not None:
        wire.send_report(channel, _Trial(channel, guard, cell, header, trial).run())
        cell.empty()


def _load_mentioned(source: str) -> None:
    """Load modules that the source speaks of once for all candidates; one that it doesn't use harms nothing."""
    for name in rare:
        if name in source:
            importlib.import_module(name)


class _Trial:
    """One candidate from fork to report."""

    def __init__(
        self, channel: _socket.socket, guard: int, cell: Cell, header: dict[str, Any], trial: dict[str, Any]
    ) -> None:
        self._channel, self._guard, self._cell, self._header, self._trial = channel, guard, cell, header, trial
        self._limits = header["limits"]
        self._nonce = os.urandom(8).hex().encode()
        self._cpu, self._peak, self._survivors = 0.0, 0, 0

    def run(self) -> dict[str, Any]:
        """Fork, watch, end everything, report."""
        limits = self._limits
        write_files(self._cell.root, self._trial["files"])
        self._out, self._err = Pipe(limits["output_bytes"]), Pipe(limits["output_bytes"])
        self._claim = Pipe(limits["result_bytes"])
        pipes = (self._out, self._err, self._claim)
        stdin = _input(self._trial["stdin"])
        began = time.monotonic()
        pid = linux.clone()
        if pid == 0:
            self._become_candidate(stdin)
        os.close(stdin)
        for pipe in pipes:
            os.close(pipe.writer)
        reason, stopped = self._watch(pid, began + limits["wall_seconds"])
        wall = time.monotonic() - began
        status = self._end_all(pid)
        for pipe in pipes:
            pipe.drain()
        if not stopped and any(pipe.flooded for pipe in pipes):
            reason = "output"
        return {
            "reason": reason,
            "status": status,
            "stdout": bytes(self._out.kept),
            "stderr": bytes(self._err.kept),
            "truncated": [self._out.flooded, self._err.flooded],
            "wall": wall,
            "cpu": self._cpu,
            "peak": self._peak,
            "survivors": self._survivors,
            "files": changed(self._cell.root, self._trial["files"]),
            "claim": bytes(self._claim.kept),
            "nonce": self._nonce,
        }

    def _become_candidate(self, stdin: int) -> None:
        """In the child: nothing but the standard streams and the claim's pipe stays open."""
        try:
            os.setsid()
            os.dup2(stdin, 0)
            os.dup2(self._out.writer, 1)
            os.dup2(self._err.writer, 2)
            os.dup2(self._claim.writer, 3)
            os.closerange(4, 1 << 16)
            candidate.limit_cpu(self._limits["cpu_seconds"])
            self._cell.confine_candidate(self._limits)
            nonce, header, trial = self._nonce, self._header, self._trial
            candidate.enter(3, nonce, header, trial)
        finally:
            os._exit(125)

    def _watch(self, pid: int, deadline: float) -> tuple[str, bool]:
        """Read until the candidate ends or breaks a limit: the reason, and whether it has to be stopped."""
        process = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(process, select.POLLIN)
        poll.register(self._channel, HUNG_UP)
        poll.register(self._guard, select.POLLIN)
        pipes = {pipe.reader: pipe for pipe in (self._out, self._err, self._claim)}
        for reader in pipes:
            poll.register(reader, select.POLLIN)
        try:
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    return "timeout", True
                for descriptor, _ in poll.poll(left * 1000 + 1):
                    if descriptor == process:
                        return "finished", False
                    if descriptor not in pipes:
                        self._cell.kill_all()
                        raise EOFError  # the trainer is gone
                    pipe = pipes[descriptor]
                    pipe.read()
                    if not pipe.open:
                        poll.unregister(descriptor)
                    if pipe.flooded:
                        return "output", True
        finally:
            os.close(process)

    def _end_all(self, pid: int) -> int:
        """Kill whatever is left, collect every dead process: the candidate's wait status."""
        status = -1
        self._cell.kill_all()
        while True:
            try:
                ended, ended_status, usage = os.wait4(-1, 0)
            except ChildProcessError:
                return status
            self._cpu += usage.ru_utime + usage.ru_stime
            self._peak = max(self._peak, usage.ru_maxrss)
            if ended == pid:
                status = ended_status
            elif os.WIFSIGNALED(ended_status) and os.WTERMSIG(ended_status) == signal.SIGKILL:
                self._survivors += 1


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
