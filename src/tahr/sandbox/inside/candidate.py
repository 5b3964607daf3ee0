"""The process that untrusted code takes over: give up every right, run the code, say what it returned.

What it says is a claim. It is written by a process that the code controls, to a pipe that nothing else has; whoever
reads it compares it with answers that were never in this process or in any that it was forked from.
"""

from __future__ import annotations

import atexit
import builtins
import gc
import linecache
import marshal
import os
import re
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
_MODULES = {"call": "candidate", "script": "__main__"}
_FILES = {"call": "candidate.py", "script": "main.py"}
_OPENED = re.compile(r"\b(?:fd)?open\b").search
_STREAMS = sys.stdout, sys.stderr
_exit, _write, _setrlimit = os._exit, os.write, resource.setrlimit
_CPU, _PROCESSES = resource.RLIMIT_CPU, resource.RLIMIT_NPROC


class Reporter:
    """Writes framed claims to the private pipe: nonce, kind, length, content."""

    def __init__(self, pipe: int, nonce: bytes) -> None:
        self._pipe, self.nonce = pipe, nonce

    def write(self, kind: bytes, content: bytes) -> None:
        """All of one frame; a reader that has seen enough ends the process."""
        data = self.nonce + kind + b"%08x" % len(content) + content
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


_report = Reporter(3, b"")
_see = watch.hook(_report.write, NAME)


def prepare(header: dict[str, Any]) -> None:
    """In the run's first process: what each of its trials would do in the same way."""
    if header["kind"] != "command":
        source, name = header["source"], _MODULES[header["kind"]]
        header["opens"] = bool(_OPENED(source))
        linecache.cache[NAME] = (len(source), None, source.splitlines(keepends=True), NAME)
        module = types.ModuleType(name)
        module.__dict__.update(__file__=_FILES[header["kind"]], __builtins__=builtins)
        sys.modules[name] = module
        values.accept_relatives()


def enter(nonce: bytes, header: dict[str, Any], what: Any, code: types.CodeType | None, share: int) -> NoReturn:
    """Run a trial in this confined process, claims going to descriptor 3, and end it.

    `what` is a call (target, arguments, keyword arguments) or a script's arguments. `code` is what an earlier trial
    compiled; without it this one compiles, and where `share` is an open descriptor writes there what it made.
    """
    _report.nonce = nonce
    kind = header["kind"]
    if kind == "command":
        _execute(header["argv"], _report)
    if code is None and share >= 0:
        code = _compile_for_all(header["source"], share)
    sys.addaudithook(_see)
    gc.enable()
    if header["importable"]:
        sys.path[:0] = header["importable"]
    if kind == "call":
        claim(code or header["source"], what, _report)
        _exit(0)
    _script(code or header["source"], what, _report, opens=header["opens"])


def _compile_for_all(source: str, share: int) -> types.CodeType | None:
    """Compile before any of the code has run, hand the result on, and close the way: what comes there is ours.

    None where the source can't be compiled: the trial then fails at it as it should.
    """
    try:
        code = _compiled(source)
        data = marshal.dumps(code)
        data = len(data).to_bytes(8, "big") + data
        while data:
            data = data[_write(share, data) :]
    except Exception:  # noqa: BLE001  the same error comes again where it is reported
        code = None
    os.close(share)
    return code


def shared_code(data: bytes | bytearray) -> types.CodeType | None:
    """What `_compile_for_all` wrote, where it is whole."""
    whole = len(data) > 8 and int.from_bytes(data[:8], "big") == len(data) - 8
    return marshal.loads(memoryview(data)[8:]) if whole else None


def _compiled(source: str) -> types.CodeType:
    return compile(source, NAME, "exec", dont_inherit=True)


def _execute(argv: list[str], report: Reporter) -> NoReturn:
    try:
        os.execvpe(argv[0], argv, dict(os.environ))
    except (OSError, ValueError) as error:
        report.write(b"X", values.encode(("start", type(error).__name__, str(error))))
    _exit(127)


def claim(program: str | types.CodeType, what: tuple[str, Any, Any], report: Reporter) -> None:
    """Load the program, call its function, claim the value; returns whatever the code did."""
    names = sys.modules["candidate"].__dict__
    stage = "load"
    try:
        _load(program, names)
        stage = "call"
        target, args, kwargs = what
        function = names[target] if target in names else eval(compile(target, "<target>", "eval"), names)
        value = function(*args, **kwargs)
        stage = "return"
        values.accept_numpy()
        report.write(b"R", values.encode(value))
    except values.NotPlainError as error:
        report.write(b"U", values.encode(error.args[0]))
    except BaseException as error:  # noqa: BLE001  whatever the code raises is its result
        _failed(stage, error, report)
    _flush()


def _script(program: str | types.CodeType, arguments: list[str], report: Reporter, *, opens: bool) -> NoReturn:
    """Run the program as one would be run, and exit with its status; one that `opens` files may have left some open."""
    sys.argv[:] = ["main.py", *arguments]
    status = 0
    try:
        try:
            _load(program, sys.modules["__main__"].__dict__)
        finally:
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    except SystemExit as error:
        status = _exit_status(error.code)
    except BaseException as error:  # noqa: BLE001  whatever the code raises is its result
        _failed("load", error, report)
        status = 1
    if opens:
        _quietly(_let_go)
    _flush()
    _exit(status)


def _let_go() -> None:
    """What a file that was never closed still holds back is written as it goes, as at any interpreter's end."""
    sys.modules["__main__"].__dict__.clear()
    gc.collect()


def _exit_status(code: object) -> int:
    """What the interpreter makes of ``sys.exit(code)``."""
    if code is None or isinstance(code, int):
        return int.__and__(code or 0, 0xFF)
    print(code, file=sys.stderr)
    return 1


def _load(program: str | types.CodeType, names: dict[str, Any]) -> None:
    exec(_compiled(program) if type(program) is str else program, names)


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
    """Write out what was printed, also through a stream that the code has replaced."""
    for stream in (sys.stdout, sys.stderr, *_STREAMS):
        _quietly(lambda stream=stream: stream.flush())


def _quietly(action: Callable[[], object]) -> None:
    """Candidate code can be behind any attribute by now: nothing that it does may stop the way out."""
    try:
        action()
    except BaseException:  # noqa: BLE001
        return
