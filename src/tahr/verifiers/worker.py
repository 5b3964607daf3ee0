"""A function in a process of its own, which is killed when it takes too long.

For checks whose cost on hostile input can't be bounded beforehand. A hung call costs its own verdict only: the process
is killed and the next call starts another one. Run as a program, this module is the process itself.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
import weakref
from importlib import import_module
from typing import Any

START_SECONDS = 120.0  # imports of the function's module included
MAX_REPLY_BYTES = 1_000_000


class WorkerError(Exception):
    """The function raised, or its process ended by itself."""


class Worker:
    """Calls ``package.module:function`` with JSON arguments in another process; safe to call from any thread."""

    def __init__(self, function: str, *, memory_bytes: int = 4 * 2**30) -> None:
        self._command = [sys.executable, "-m", __name__, function, str(memory_bytes)]
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def call(self, arguments: dict[str, Any], *, timeout: float) -> Any:
        """The function's result. Raises TimeoutError after `timeout` seconds, WorkerError where it failed."""
        with self._lock:
            process = self._process or self._start()
            assert process.stdin is not None
            try:
                process.stdin.write(json.dumps(arguments).encode() + b"\n")
                process.stdin.flush()
                reply = json.loads(self._read_line(process, timeout))
            except BaseException as error:  # an interrupt too: its reply would be taken for the next call's
                self._kill()
                if isinstance(error, OSError | ValueError) and not isinstance(error, TimeoutError):
                    raise WorkerError(f"the process ended: {error}") from error
                raise
        if "error" in reply:
            raise WorkerError(reply["error"])
        return reply["result"]

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._process = process
        weakref.finalize(self, _end, process)
        try:
            self._read_line(process, START_SECONDS)
        except (TimeoutError, WorkerError):
            self._kill()
            raise
        return process

    def _read_line(self, process: subprocess.Popen[bytes], timeout: float) -> bytes:
        assert process.stdout is not None
        deadline, received = time.monotonic() + timeout, b""
        while not received.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(f"no result within {timeout} s")
            piece = os.read(process.stdout.fileno(), 65536)
            if not piece or len(received) > MAX_REPLY_BYTES:
                raise WorkerError("the process ended without a result")
            received += piece
        return received

    def _kill(self) -> None:
        if self._process is not None:
            _end(self._process)
            self._process = None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and collect it."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # unsent bytes of a dead process
                continue
    process.wait()


def _serve(function: str, memory_bytes: int) -> None:
    """Answer calls, a line each, until the other side closes. What the function prints goes nowhere."""
    import resource

    replies = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    module, _, name = function.partition(":")
    called = getattr(import_module(module), name)
    replies.write(b"ready\n")
    replies.flush()
    for line in sys.stdin.buffer:
        try:
            reply = json.dumps({"result": called(**json.loads(line))})
        except Exception as error:  # noqa: BLE001 - the boundary: the caller turns it into an absent reward
            reply = json.dumps({"error": f"{type(error).__name__}: {error}"[:1000]})
        replies.write(reply.encode() + b"\n")
        replies.flush()


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
