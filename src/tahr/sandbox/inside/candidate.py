"""The process that untrusted code takes over: give up every right, run the code, say what it returned.

What it says is a claim. It is written by a process that the code controls, to a pipe that nothing else has; whoever
reads it compares it with answers that were never in this process or in any that it was forked from.
"""

from __future__ import annotations

import atexit
import builtins
import gc
import linecache
import os
import resource
import sys
import threading
import traceback
import types
from collections.abc import Callable
from typing import Any, NoReturn

from . import values, watch

# Functions below resolve builtins here: what a candidate does to its own builtins later changes nothing in them.
__builtins__ = dict(vars(builtins))

NAME = "<candidate>"
_exit, _write, _setrlimit = os._exit, os.write, resource.setrlimit
_CPU, _PROCESSES = resource.RLIMIT_CPU, resource.RLIMIT_NPROC


class Reporter:
    """Writes framed claims to the private pipe: nonce, kind, length, content."""

    def __init__(self, pipe: int, nonce: bytes) -> None:
        self._pipe, self._nonce = pipe, nonce

    def write(self, kind: bytes, content: bytes) -> None:
        """All of one frame; a reader that has seen enough ends the process."""
        data = self._nonce + kind + b"%08x" % len(content) + content
        while data:
            data = data[_write(self._pipe, data) :]


def confine(limits: dict[str, Any]) -> None:
    """Set this process's and its children's limits, for good; processor time is limited by `limit_cpu`."""
    for kind, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, limits["address_bytes"]),
        (resource.RLIMIT_FSIZE, limits["disk_bytes"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        (resource.RLIMIT_MEMLOCK, 1 << 16),
        (resource.RLIMIT_MSGQUEUE, 1 << 16),
    ):
        lowered = _at_most(value, resource.getrlimit(kind)[1])
        resource.setrlimit(kind, (lowered, lowered))


def limit_cpu(seconds: int) -> None:
    """End this process once it has computed for `seconds`, whatever it does about the first signal."""
    _setrlimit(_CPU, (seconds, seconds + 1))


def limit_processes(number: int) -> None:
    """Bound the processes and threads of this process's user (in its user namespace)."""
    _setrlimit(_PROCESSES, (number, number))


def _at_most(value: int, hard: int) -> int:
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


def enter(pipe: int, nonce: bytes, header: dict[str, Any], trial: dict[str, Any]) -> NoReturn:
    """Run a trial in this confined process and end it."""
    report = Reporter(pipe, nonce)
    if header["kind"] == "command":
        _execute(header["argv"], report)
    watch.install(report.write, NAME)
    restore_python(header["importable"])
    if header["kind"] == "call":
        _call(header["source"], trial, report)
    _script(header["source"], trial["arguments"], report)


def _execute(argv: list[str], report: Reporter) -> NoReturn:
    try:
        os.execvpe(argv[0], argv, dict(os.environ))
    except (OSError, ValueError) as error:
        report.write(b"X", values.encode(("start", type(error).__name__, str(error))))
    _exit(127)


def restore_python(importable: list[str]) -> None:
    """What a fresh interpreter would have: a collector, the given import path."""
    gc.enable()
    sys.path[:0] = importable


def _call(source: str, trial: dict[str, Any], report: Reporter) -> NoReturn:
    claim(source, trial, report)
    _exit(0)


def claim(source: str, trial: dict[str, Any], report: Reporter) -> None:
    """Load the source, call its function, claim the value; returns whatever the code did."""
    module = types.ModuleType("candidate")
    sys.modules["candidate"] = module
    stage = "load"
    try:
        _load(source, module)
        stage = "call"
        target = eval(compile(trial["target"], "<target>", "eval"), module.__dict__)
        value = target(*trial["args"], **trial["kwargs"])
        stage = "return"
        values.accept_relatives()
        report.write(b"R", values.encode(value))
    except values.NotPlainError as error:
        report.write(b"U", values.encode(error.args[0]))
    except BaseException as error:  # noqa: BLE001  whatever the code raises is its result
        _failed(stage, error, report)
    _flush()


def _script(source: str, arguments: list[str], report: Reporter) -> NoReturn:
    """Run the source as a program would be run, and exit with its status."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    sys.argv[:] = ["main.py", *arguments]
    status = 0
    try:
        try:
            _load(source, module)
        finally:
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    except SystemExit as error:
        status = _exit_status(error.code)
    except BaseException as error:  # noqa: BLE001  whatever the code raises is its result
        _failed("load", error, report)
        status = 1
    _flush()
    _exit(status)


def _exit_status(code: object) -> int:
    """What the interpreter makes of ``sys.exit(code)``."""
    if code is None or type(code) is int:
        return (code or 0) & 0xFF
    print(code, file=sys.stderr)
    return 1


def _load(source: str, module: types.ModuleType) -> None:
    linecache.cache[NAME] = (len(source), None, source.splitlines(keepends=True), NAME)
    exec(compile(source, NAME, "exec", dont_inherit=True), module.__dict__)


def _failed(stage: str, error: BaseException, report: Reporter) -> None:
    """Claim an exception, and print its traceback for people."""
    first = error.args[0] if type(error.args) is tuple and error.args else ""
    message = first[:500] if type(first) is str else ""
    report.write(b"X", values.encode((stage, values.type_name(type(error)), message)))
    shown = error.__traceback__
    while shown is not None and shown.tb_frame.f_code.co_filename != NAME:
        shown = shown.tb_next
    _quietly(lambda: traceback.print_exception(type(error), error, shown))


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        _quietly(lambda stream=stream: stream.flush())


def _quietly(action: Callable[[], object]) -> None:
    """Candidate code can be behind any attribute by now: nothing that it does may stop the way out."""
    try:
        action()
    except BaseException:  # noqa: BLE001
        return
