"""What a sandbox is asked and what it answers; any implementation (local, container, remote) offers `Sandbox`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable


class Reason(StrEnum):
    """Why a run ended. INFRASTRUCTURE is the machine's failure, never the program's: no verdict follows from it."""

    FINISHED = "finished"  # by itself, with an exit status
    TIMEOUT = "timeout"  # wall or CPU time
    MEMORY = "memory"
    OUTPUT = "output"  # printed more than it may
    DISK = "disk"  # its folder holds more than it may, at levels where the kernel does not refuse that by itself
    KILLED = "killed"  # by a signal of its own making: a crash
    INFRASTRUCTURE = "infrastructure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one program (one test of a grade) may use; sizes in MiB (2**20 bytes) where they say so, else in bytes.

    `memory_mb` bounds each process's address space beyond what the warm interpreter has, and the whole tree where a
    memory cgroup is permitted. `cpu_seconds` counts per process, rounded up to whole seconds. A program that still
    computes after `wall_seconds`, but had less of a core than that, as others had it, goes on until it has had it, for
    four times as long at most: a busy machine changes no verdict.

    Example: ``Limits(wall_seconds=2.0, memory_mb=256)``
    """

    wall_seconds: float = 5.0
    cpu_seconds: float = 5.0
    memory_mb: int = 512
    disk_mb: int = 16
    files: int = 1024
    processes: int = 32
    open_files: int = 128
    output_bytes: int = 1 << 16
    result_bytes: int = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Python source that is run as a program, in a warm interpreter.

    Example: ``Script(source="print(int(input()) + 1)")``
    """

    source: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Any program of the machine's /usr, or the interpreter, with its arguments.

    Example: ``Command(argv=("sh", "-c", "echo hello"))``
    """

    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One function call: `target` is an expression in the candidate's module, called with plain arguments.

    Example: ``Call(target="Solution().add", args=(2, 3))``
    """

    target: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """How a program ended, and what it used. `status` is its exit status, None where `signal` ended it.

    `stdout` and `stderr` are its first bytes up to the limit, `truncated` says that there were more. `peak_mb` is the
    largest process's resident memory, the warm interpreter's included. `survivors` counts processes that outlived the
    program and were killed, `written` names files that it left or changed, `events` what it was seen to try (evidence
    from within, see docs). `note` explains a reason that is not FINISHED.

    Example: ``RunResult(reason=Reason.FINISHED, status=0, stdout=b"5\\n", wall_seconds=0.01)``
    """

    reason: Reason
    status: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
    survivors: int = 0
    written: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    error: str = ""  # an uncaught exception, as the program claims it: "call: ValueError: no digits"
    note: str = ""


class Claim(StrEnum):
    """What came through the private pipe of a function call."""

    RETURNED = "returned"  # a plain value
    UNPLAIN = "unplain"  # a value of another type, whose name is in the run's error
    RAISED = "raised"  # an exception while loading or calling
    MISSING = "missing"  # nothing: the process ended first (exit, signal, limit)
    FORGED = "forged"  # bytes that the machinery never writes


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """What a call returned, as the candidate's process claims it. `value` is exact and plain; None unless RETURNED.

    A claim is worth what the comparison with an answer that the process can't know makes of it.

    Example: ``CallResult(claim=Claim.RETURNED, value=5, run=run)``
    """

    claim: Claim
    value: Any
    run: RunResult


@runtime_checkable
class Sandbox(Protocol):
    """Runs untrusted programs. Called from any thread; never raises for what a program does."""

    @property
    def level(self) -> str:
        """The name of the isolation that holds."""
        ...

    def run(
        self,
        program: Script | Command,
        *,
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
    ) -> RunResult:
        """Run one program to its end. Raises InputError where the request itself can't be carried out."""
        ...

    def run_each(
        self,
        program: Script | Command,
        stdins: Sequence[bytes],
        *,
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        until: Callable[[RunResult], bool] | None = None,
    ) -> tuple[RunResult, ...]:
        """Run one program on several inputs, each in a process that shares nothing writable with the others.

        Ends after the first result for which `until` says so.
        """
        ...

    def call(
        self,
        source: str,
        calls: Sequence[Call],
        *,
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        until: Callable[[CallResult], bool] | None = None,
    ) -> tuple[CallResult, ...]:
        """Load Python source and make each call in a process of its own, in the given order."""
        ...

    def close(self) -> None:
        """End every process that belongs to the sandbox."""
        ...
