"""A Python interpreter that keeps its state from call to call, inside the sandbox."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

from tahr.core.errors import InputError
from tahr.sandbox.inside.values import MalformedError, NotPlainError, decode, encode
from tahr.sandbox.protocol import Limits, Reason
from tahr.sandbox.worker import OutOfMemoryError, Worker, WorkerError


@dataclass(frozen=True, slots=True, kw_only=True)
class CellResult:
    """How one call of a session ended, as the session's own process claims it.

    `shown` is the last expression's value as a notebook shows it, None where there is none; `error` the traceback of an
    exception. `state_lost` says that the interpreter is gone and the next call starts with nothing; `note` says why.

    Example: ``CellResult(reason=Reason.FINISHED, shown="5", stdout="hello\\n")``
    """

    reason: Reason
    shown: str | None = None
    error: str = ""
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False
    wall_seconds: float = 0.0
    state_lost: bool = False
    note: str = ""


@runtime_checkable
class Session(Protocol):
    """A persistent interpreter. Calls come one after another; none raises for what the code does."""

    def call(self, code: str, *, wall_seconds: float | None = None) -> CellResult:
        """Run `code` in the state that earlier calls left. Raises InputError where the request can't be carried out."""
        ...

    def close(self) -> None:
        """End the interpreter and every process that it started."""
        ...


class LocalSession:
    """A session in a worker of its own; made by `LocalSandbox.session`."""

    def __init__(self, start: Callable[[], Worker], header: dict[str, Any], limits: Limits) -> None:
        self._start, self._header, self._limits = start, header, limits
        self._lock, self._closed = threading.Lock(), False
        self._worker: Worker | None = None
        self._reports: Iterator[dict[str, Any]] = iter(())
        self._trial: dict[str, Any] = {}

    def call(self, code: str, *, wall_seconds: float | None = None) -> CellResult:
        """Run `code` for at most `wall_seconds` (at most, and by default, the limit's); see `Session.call`."""
        seconds = self._limits.wall_seconds if wall_seconds is None else wall_seconds
        if not (math.isfinite(seconds) and 0 < seconds <= self._limits.wall_seconds):
            raise InputError(
                "the time of a call must be above 0 and within the session's limit",
                received=seconds,
                instead=f"at most {self._limits.wall_seconds}, or a session with other limits",
            )
        given: Any = code
        if not isinstance(given, str):
            raise InputError("the code of a call must be text", received=repr(given)[:100])
        try:
            encode(code)
        except (NotPlainError, UnicodeError) as error:
            raise InputError("the code of a call must be text", received=str(error)) from None
        with self._lock:
            if self._closed:
                raise InputError("this session is closed", instead="a new one from LocalSandbox.session")
            self._trial = {"source": code, "wall_seconds": float(seconds)}
            try:
                return _result(self._report())
            except WorkerError as error:
                self._end()
                reason = Reason.MEMORY if isinstance(error, OutOfMemoryError) else Reason.INFRASTRUCTURE
                return CellResult(reason=reason, state_lost=True, note=str(error))

    def _report(self) -> dict[str, Any]:
        if self._worker is None:
            self._worker = self._start()
            trials = iter(lambda: self._trial, None)
            self._reports = self._worker.serve(self._header, self._limits, trials, lambda _report: True)
        return next(self._reports)

    def close(self) -> None:
        """End the interpreter and everything below it; may be called twice."""
        with self._lock:
            self._closed = True
            self._end()

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def __enter__(self) -> LocalSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _result(report: dict[str, Any]) -> CellResult:
    """Reading hostile bytes: what the machinery never writes is said to be forged, and not believed."""
    lost = bool(report["lost"])
    shown, error, forged = None, "", report["reason"] == "forged"
    if not lost:
        try:
            shown, error = _claim(report["claim"])
        except MalformedError:
            forged = True
    reason = Reason.KILLED if forged else Reason(report["reason"])
    status = int(report["status"])
    if lost and reason is Reason.FINISHED:
        reason = Reason.KILLED
    return CellResult(
        reason=reason,
        shown=shown,
        error=error,
        stdout=report["stdout"].decode("utf-8", "replace"),
        stderr=report["stderr"].decode("utf-8", "replace"),
        truncated=bool(report["truncated"]),
        wall_seconds=report["wall"],
        state_lost=lost,
        note=_note(reason, status, lost=lost, forged=forged),
    )


def _claim(data: bytes) -> tuple[str | None, str]:
    """Raises MalformedError."""
    value: Any = decode(data)
    if type(value) is not tuple or len(cast("tuple[Any, ...]", value)) != 2:
        raise MalformedError("no pair")
    shown, error = cast("tuple[Any, Any]", value)
    if type(error) is not str or (shown is not None and type(shown) is not str):
        raise MalformedError("no texts")
    return None if shown is None else _printable(shown), _printable(error)


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _note(reason: Reason, status: int, *, lost: bool, forged: bool) -> str:
    if forged:
        return "the interpreter's end of the protocol was forged"
    words = {
        Reason.TIMEOUT: "ran out of time",
        Reason.OUTPUT: "printed more than it may",
        Reason.DISK: "wrote more than its folder may hold",
        Reason.MEMORY: "ran out of memory",
        Reason.KILLED: f"the interpreter ended by signal {status & 0x7F}"
        if status & 0x7F
        else f"the interpreter ended with exit status {status >> 8 & 0xFF}",
    }
    said = words.get(reason, "")
    if not said:
        return ""
    return f"{said}; {'its state is lost' if lost else 'interrupted, its state is kept'}"
