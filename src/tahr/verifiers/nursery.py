"""The template process behind `tahr.verifiers.worker`: it imports a function's module once and forks a process a call.

A module's `prepare_worker()`, where it has one, loads what is needed later, so that no forked process has to.
It never runs the function itself, so it is always there to kill what it forked, with all that this has started. It
ends, and kills them all, when the line to the program that started it closes or that program is gone. Where it is
killed itself, the kernel kills what it forked (Linux), or their closed lines and the limit on their processor time end
them.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from tahr.sandbox.inside.processes import descendants
from tahr.sandbox.orphans import adopt_orphans, end_orphans

PARENT_CHECK_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1


def serve(control: socket.socket, function: Callable[..., Any], memory_bytes: int) -> None:
    """Fork and kill processes as the lines of `control` say, until it closes."""
    parent, children = os.getppid(), set[int]()
    adopt_orphans()
    own = frozenset(descendants())  # what importing the function's module has started
    control.sendall(b"ready\n")
    try:
        while os.getppid() == parent:
            if not select.select([control], [], [], PARENT_CHECK_SECONDS)[0]:
                continue
            message, fds, _, _ = socket.recv_fds(control, 4096, 8)
            if not message:
                return
            for command in message.decode().splitlines():
                if command == "fork":
                    pid = _fork(control, socket.socket(fileno=fds.pop(0)), function, memory_bytes)
                    children.add(pid)
                    control.sendall(b"%d\n" % pid)
                else:
                    _kill(int(command.removeprefix("kill ")), children)
                    end_orphans(besides=own | children)
    finally:
        for pid in list(children):
            _kill(pid, children)
        end_orphans()


def _kill(pid: int, children: set[int]) -> None:
    if pid in children:
        children.discard(pid)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _fork(control: socket.socket, line: socket.socket, function: Callable[..., Any], memory_bytes: int) -> int:
    template = os.getpid()
    pid = os.fork()
    if pid:
        line.close()
        return pid
    status = 1
    try:
        control.close()
        _follow(template)
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        answer_calls(line, function)
        status = 0
    finally:
        os._exit(status)


def _follow(template: int) -> None:
    """Die with the template, where the kernel offers that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != template:
        os._exit(1)


def answer_calls(line: socket.socket, function: Callable[..., Any]) -> None:
    """Answer calls, a line each, until the other side closes. Each call's processor time is limited."""
    with line.makefile("rb") as requests:
        for request in requests:
            call = json.loads(request)
            limit_processor(call["seconds"])
            try:
                reply = json.dumps({"result": function(**call["arguments"])})
            except Exception as error:  # noqa: BLE001 - the boundary: the caller turns it into an absent reward
                reply = json.dumps({"error": f"{type(error).__name__}: {error}"[:1000]})
            line.sendall(reply.encode() + b"\n")


def limit_processor(seconds: float) -> None:
    """Let the kernel kill this process after so many more seconds of processor time, in whole ones."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def main(name: str, memory_bytes: int) -> None:
    """Import ``package.module:function`` and serve on the socket that is standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt at the terminal is the program's to handle
    control = socket.socket(fileno=os.dup(0))
    silence = os.open(os.devnull, os.O_RDWR)
    os.dup2(silence, 0)
    path, _, attribute = name.partition(":")
    module = import_module(path)
    function = getattr(module, attribute)
    prepare: Callable[[], None] | None = getattr(module, "prepare_worker", None)
    if prepare is not None:
        prepare()
    with suppress(OSError):
        serve(control, function, memory_bytes)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
