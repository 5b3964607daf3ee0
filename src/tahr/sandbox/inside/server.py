"""The fork server: a fresh interpreter with the usual modules loaded, which knows no task and no answer.

It reads its configuration, walls itself in, and then only waits: one byte asks for a run, a process in new namespaces
is forked for it and talks to the trainer by itself, and when that process and all below it are gone the server says so.
"""

from __future__ import annotations

import _sitebuiltins
import _socket
import builtins
import gc
import importlib
import os
import random
import resource
import select
import signal
import sys
import traceback
from contextlib import suppress
from typing import Any

from . import grade, linux, wire
from .cells import Bubblewrap, Cell, Namespaces
from .rehearse import rehearse
from .rlimits import Rlimits

LEVELS: dict[str, type[Namespaces] | type[Bubblewrap] | type[Rlimits]] = {
    "namespaces": Namespaces,
    "bubblewrap": Bubblewrap,
    "rlimits": Rlimits,
}


def main() -> None:
    """Serve on the socket that is descriptor 0 until the trainer, of which ``guard`` is a pidfd, is gone."""
    channel = _socket.socket(fileno=os.dup(0))
    null = os.open("/dev/null", os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    os.close(null)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        config = wire.receive_request(channel)
        guard = int(config["guard"])
        cell = LEVELS[config["level"]]()
        warm(config["modules"], config["paths"])
        grade.rare = tuple(config["rare"])
        if not cell.single_use:
            rehearse(guard)
        cell.prepare_server(config)
        importlib.invalidate_caches()  # folders that were not there are now
    except BaseException:  # noqa: BLE001  whatever went wrong is the answer, and the trainer says it
        with suppress(OSError):
            wire.send(channel, {"ready": False, "error": traceback.format_exc(limit=4)})
        os._exit(1)
    random.seed(0)  # a verdict can be repeated: every candidate starts from the same state
    _hide()
    gc.collect()
    gc.disable()
    gc.freeze()
    wire.send(channel, {"ready": True, "base_bytes": address_space()})
    serve(channel, guard, cell)


def warm(modules: list[str], paths: list[str]) -> None:
    """Import what candidates usually want, before anything is walled in."""
    sys.path.extend(paths)
    for name in modules:
        importlib.import_module(name)
    for name in ("exit", "quit"):  # which `site` would set
        setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))
    builtins.help = _sitebuiltins._Helper()  # pyright: ignore[reportPrivateUsage]


def _hide() -> None:
    """Leave no trace of this package to be imported, and nothing to raise privileges with."""
    package = __name__.partition(".")[0]
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
    sys.path.pop(0)
    sys.argv[:] = [""]
    for name in ("PWD", "LD_BIND_NOW"):
        os.environ.pop(name, None)
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)


def address_space() -> int:
    """Bytes of address space that this process has, to which each candidate's allowance is added."""
    with suppress(OSError), open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
    return 256 << 20


def serve(channel: _socket.socket, guard: int, cell: Cell) -> None:
    """Fork a run for each byte; end with the trainer."""
    while _asked(channel, guard):
        pid = cell.fork()
        if pid == 0:
            _run(channel, guard, cell)
        status = _ended(pid)
        cell.clean()
        with suppress(OSError):
            wire.send(channel, {"ended": status})
        if status:
            return  # what the run left unread on the socket can't be told from the next request


def _ended(pid: int) -> int:
    """Wait for a run's end. Its first process keeps time, so whatever stops it, it goes on."""
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            return status
        os.kill(pid, signal.SIGCONT)


def _asked(channel: _socket.socket, guard: int) -> bool:
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    poll.register(guard, select.POLLIN)
    ready = {descriptor for descriptor, _ in poll.poll()}
    return channel.fileno() in ready and channel.recv(1) == wire.GO


def _run(channel: _socket.socket, guard: int, cell: Cell) -> Any:
    """In the forked process: serve the run, say what failed if it was not the candidate."""
    status = 0
    try:
        grade.serve(channel, guard, cell)
    except EOFError:
        status = 1
    except BaseException:  # noqa: BLE001  reported as a failure of the machinery, never as the candidate's
        status = 1
        with suppress(OSError):
            wire.send(channel, {"error": traceback.format_exc(limit=6)})
    if cell.single_use:
        with suppress(OSError):
            wire.send(channel, {"ended": status})
    os._exit(status)
