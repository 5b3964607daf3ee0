"""The sandbox on this machine: a pool of fork servers, as many as run at once, started when first needed."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from secrets import token_hex
from typing import Any, TypeVar

from tahr.core.errors import InputError
from tahr.sandbox import levels
from tahr.sandbox.claims import call_result, run_result
from tahr.sandbox.inside import wire
from tahr.sandbox.inside.values import NotPlainError, encode
from tahr.sandbox.protocol import Call, CallResult, Claim, Command, Limits, Reason, RunResult, Script
from tahr.sandbox.session import LocalSession
from tahr.sandbox.worker import OutOfMemoryError, Worker, WorkerError

_ATTEMPTS = 2  # a server that failed is replaced once for the tests that have no result yet
T = TypeVar("T", RunResult, CallResult)
_open: weakref.WeakSet[LocalSandbox] = weakref.WeakSet()


class LocalSandbox:
    """Runs untrusted programs at the best level that this machine allows.

    `least_level` is the weakest isolation to accept (``namespaces``, ``bubblewrap`` or ``rlimits``), `level` asks for
    one by name, `packages` are installed distributions that programs may import, `modules` are loaded before programs
    start, `max_workers` bounds how many runs go on at once (default: twice the cores).
    Raises InputError where the machine offers less than `least_level`.
    """

    def __init__(
        self,
        *,
        least_level: str = "namespaces",
        level: str | None = None,
        packages: Sequence[str] = (),
        modules: Sequence[str] = (),
        max_workers: int | None = None,
    ) -> None:
        self._level = levels.choose(least_level, level)
        levels.close_memory(self._level)
        self._packages, self._modules = tuple(packages), tuple(modules)
        self._places = threading.BoundedSemaphore(max_workers or 2 * len(os.sched_getaffinity(0)))
        self._lock, self._idle, self._closed, self._owner = threading.Lock(), list[Worker](), False, os.getpid()
        self._sessions = weakref.WeakSet[LocalSession]()
        self._give_back(self._start())  # what can't start should fail here, not in the first run
        _open.add(self)

    @property
    def level(self) -> str:
        """The isolation that holds."""
        return self._level

    def run(
        self,
        program: Script | Command,
        *,
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
    ) -> RunResult:
        """Run one program to its end."""
        return self.run_each(program, [stdin], files=files, limits=limits)[0]

    def run_each(
        self,
        program: Script | Command,
        stdins: Sequence[bytes],
        *,
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        until: Callable[[RunResult], bool] | None = None,
    ) -> tuple[RunResult, ...]:
        """Run one program on several inputs; see `Sandbox.run_each`."""
        arguments: list[str] = []
        if isinstance(program, Script):
            header: dict[str, Any] = {"kind": "script", "source": _sendable(program.source, "source")}
            arguments = list(program.arguments)
        else:
            header = {"kind": "command", "argv": list(program.argv)}
        trials = [(stdin, arguments) for stdin in stdins]
        return self._serve(header, trials, files, limits, run_result, until, lambda run: run)

    def call(
        self,
        source: str,
        calls: Sequence[Call],
        *,
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        until: Callable[[CallResult], bool] | None = None,
    ) -> tuple[CallResult, ...]:
        """Load source and make each call in a process of its own; see `Sandbox.call`."""
        header = {"kind": "call", "source": _sendable(source, "source")}
        trials = [(b"", _sendable((call.target, call.args, dict(call.kwargs)), "arguments")) for call in calls]
        return self._serve(header, trials, files, limits, call_result, until, _without_value)

    def session(self, *, files: Mapping[str, bytes] | None = None, limits: Limits | None = None) -> LocalSession:
        """A Python interpreter that keeps its state between calls, in a server of its own until it is closed.

        `limits` hold for each call, but for memory, disk, files and processes, which are the session's. Sessions don't
        count towards `max_workers`. Raises InputError where the sandbox is closed or a file's name leads out of it.
        """
        with self._lock:
            self._check_open()
        importable = ["/tmp"] if self._level != "rlimits" else [""]
        header = {"kind": "session", "files": _checked(files or {}), "importable": importable}
        session = LocalSession(self._start, header, limits or Limits())
        self._sessions.add(session)
        return session

    def _serve(
        self,
        header: dict[str, Any],
        trials: list[tuple[bytes, Any]],
        files: Mapping[str, bytes] | None,
        limits: Limits | None,
        read: Callable[[dict[str, Any]], T],
        until: Callable[[T], bool] | None,
        failed: Callable[[RunResult], T],
    ) -> tuple[T, ...]:
        """Results of the trials; those that the machinery could not run say INFRASTRUCTURE."""
        limits = limits or Limits()
        given = _checked(files or {})
        header["importable"] = ["/tmp"] if given and self._level != "rlimits" else []
        header["several"] = len(trials) > 1
        whole = [wire.trial(token_hex(8).encode(), stdin, given, what) for stdin, what in trials]
        results: list[T] = []

        def goes_on(_report: Any) -> bool:
            return until is None or not until(results[-1])

        for attempt in range(_ATTEMPTS):
            done = len(results)
            try:
                with self._worker(fresh=attempt > 0) as worker:
                    for report in worker.serve(header, limits, iter(whole[done:]), goes_on):
                        report["cpu_seconds"] = limits.cpu_seconds
                        results.append(read(report))
                break
            except WorkerError as error:
                reason = Reason.MEMORY if isinstance(error, OutOfMemoryError) else Reason.INFRASTRUCTURE
                if results and not goes_on(None):
                    break  # every result that was asked for is there
                if reason is Reason.MEMORY or attempt + 1 == _ATTEMPTS:
                    run = RunResult(reason=reason, note=str(error))
                    results += [failed(run)] * (len(trials) - len(results))
                    break
        return tuple(results)

    @contextmanager
    def _worker(self, *, fresh: bool) -> Generator[Worker]:
        """A worker for the length of a run; one that failed is ended, and the next run starts another."""
        with self._places:
            worker = self._borrow(fresh=fresh)
            try:
                yield worker
            except BaseException:
                worker.close()
                raise
            if self._level == "bubblewrap":
                worker.close()
            else:
                self._give_back(worker)

    def _borrow(self, *, fresh: bool) -> Worker:
        with self._lock:
            self._check_open()
            worker = self._idle.pop() if self._idle and not fresh else None
        if worker is not None and worker.alive:
            return worker
        if worker is not None:
            worker.close()
        return self._start()

    def _check_open(self) -> None:
        if self._closed or self._owner != os.getpid():
            raise InputError(
                "this sandbox is closed" if self._closed else "this sandbox belongs to another process",
                instead="make a new LocalSandbox in the process that uses it",
            )

    def _start(self) -> Worker:
        return Worker(self._level, self._packages, self._modules)

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(worker)
                return
        worker.close()

    def server_pids(self) -> list[int]:
        """Process ids of the servers that wait for a run."""
        with self._lock:
            return [worker.pid for worker in self._idle]

    def close(self) -> None:
        """End every server and all below them."""
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        if self._owner == os.getpid():
            for one in (*idle, *self._sessions):
                one.close()

    def __enter__(self) -> LocalSandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sendable(value: Any, what: str) -> Any:
    try:
        encode(value)
    except (NotPlainError, UnicodeError) as error:
        raise InputError(
            f"the {what} of a sandboxed call can't be sent", received=str(error), instead="plain Python values"
        ) from None
    return value


def _without_value(run: RunResult) -> CallResult:
    return CallResult(claim=Claim.MISSING, value=None, run=run)


def _checked(files: Mapping[str, bytes]) -> dict[str, bytes]:
    for name in files:
        parts = name.split("/")
        if not name or "\0" in name or any(part in {"", ".", ".."} for part in parts):
            raise InputError("a file's name leads out of the sandbox's folder", received=name, instead="a/b.txt")
    return dict(files)


@atexit.register
def _close_all() -> None:
    for sandbox in list(_open):
        sandbox.close()
