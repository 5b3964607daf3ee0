"""A function in processes of its own, which are killed when they take too long.

For checks whose cost on hostile input can't be bounded beforehand. Every call has a process to itself while it runs, so
a hung call costs its own verdict only and holds up no other; its process is killed and forked anew, in milliseconds,
from a template (`tahr.verifiers.nursery`) that has the function's module imported. When this process ends, however it
ends, the others follow.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

START_SECONDS = 120.0  # imports of the function's module included
MAX_REPLY_BYTES = 1_000_000
MAX_CALLS = 2000  # of one process: what its caches have grown to is then given back
MAX_IDLE = 4  # processes kept for the next calls


class WorkerError(Exception):
    """The function raised, or its process ended by itself."""


@dataclass(slots=True, eq=False)
class _Process:
    """One process and this side's end of the line to it."""

    pid: int
    line: socket.socket
    num_calls: int = 0

    def ask(self, request: bytes, timeout: float) -> Any:
        deadline = time.monotonic() + timeout
        self.line.settimeout(timeout)
        self.line.sendall(request)
        return json.loads(read_line(self.line, deadline))


@dataclass(slots=True)
class _Family:
    """The template process and the idle ones forked from it; owned by the process that started them."""

    template: subprocess.Popen[bytes]
    control: socket.socket
    owner: int
    idle: list[_Process] = field(default_factory=list[_Process])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fork(self) -> _Process:
        """A new process."""
        mine, theirs = socket.socketpair()
        with self.lock, theirs:
            socket.send_fds(self.control, [b"fork\n"], [theirs.fileno()])
            pid = int(read_line(self.control, time.monotonic() + START_SECONDS))
        return _Process(pid=pid, line=mine)

    def end(self, process: _Process) -> None:
        """Kill a process; the template collects it, so that its number can't be another's by then."""
        process.line.close()
        with self.lock, suppress(OSError):
            self.control.sendall(b"kill %d\n" % process.pid)


class Worker:
    """Calls ``package.module:function`` with JSON arguments in other processes; safe to call from any thread.

    At most `max_processes` calls run at once; further ones wait, and their wait counts against their time.
    """

    def __init__(self, function: str, *, memory_bytes: int = 4 * 2**30, max_processes: int = 16) -> None:
        self._command = [sys.executable, "-m", "tahr.verifiers.nursery", function, str(memory_bytes)]
        self._slots = threading.BoundedSemaphore(max_processes)
        self._starting = threading.Lock()
        self._family: _Family | None = None

    def call(self, arguments: dict[str, Any], *, timeout: float) -> Any:
        """The function's result. Raises TimeoutError after `timeout` seconds, WorkerError where it failed."""
        request = json.dumps({"arguments": arguments, "seconds": timeout}).encode() + b"\n"
        family = self._ready()  # the first call waits for the imports; that is not the answer's fault
        deadline = time.monotonic() + timeout
        if not self._slots.acquire(timeout=timeout):
            raise TimeoutError(f"no process was free within {timeout} s")
        try:
            reply = self._asked(family, request, max(0.001, deadline - time.monotonic()))
        finally:
            self._slots.release()
        if "error" in reply:
            raise WorkerError(reply["error"])
        return reply["result"]

    def _asked(self, family: _Family, request: bytes, timeout: float) -> Any:
        process: _Process | None = None
        try:
            with family.lock:
                process = family.idle.pop() if family.idle else None
            process = process or family.fork()
            reply = process.ask(request, timeout)
        except BaseException as error:  # an interrupt too: its reply would be taken for the next call's
            if process is not None:
                family.end(process)
            if isinstance(error, TimeoutError):
                raise TimeoutError(f"no result within {timeout:.3g} s") from error
            if isinstance(error, OSError | ValueError):
                raise WorkerError(f"the process ended: {error}") from error
            raise
        self._keep(family, process)
        return reply

    @staticmethod
    def _keep(family: _Family, process: _Process) -> None:
        process.num_calls += 1
        with family.lock:
            kept = len(family.idle) < MAX_IDLE and process.num_calls < MAX_CALLS
            if kept:
                family.idle.append(process)
        if not kept:
            family.end(process)

    def _ready(self) -> _Family:
        """The family of this process; a forked copy of the program starts its own."""
        family = self._family
        if family is not None and family.owner == os.getpid() and family.template.poll() is None:
            return family
        with self._starting:
            family = self._family
            if family is None or family.owner != os.getpid() or family.template.poll() is not None:
                family = self._family = self._start()
                weakref.finalize(self, _end, family)
            return family

    def _start(self) -> _Family:
        mine, theirs = socket.socketpair()
        with theirs:
            template = subprocess.Popen(
                self._command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        try:
            read_line(mine, time.monotonic() + START_SECONDS)
        except BaseException:
            template.kill()
            template.wait()
            mine.close()
            raise
        return _Family(template=template, control=mine, owner=os.getpid())


def read_line(line: socket.socket, deadline: float) -> bytes:
    """One line. Raises TimeoutError at `deadline` (monotonic seconds), WorkerError where the other side closed."""
    received = b""
    while not received.endswith(b"\n"):
        ready, _, _ = select.select([line], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        piece = line.recv(65536)
        if not piece or len(received) > MAX_REPLY_BYTES:
            raise WorkerError("the process ended without a result")
        received += piece
    return received


def _end(family: _Family) -> None:
    """Close the line to a template, which ends with all that it forked; a forked copy leaves its parent's alone."""
    if family.owner != os.getpid():
        return
    family.control.close()
    for process in family.idle:
        process.line.close()
    try:
        family.template.wait(timeout=2)
    except subprocess.TimeoutExpired:
        family.template.kill()
        family.template.wait()
