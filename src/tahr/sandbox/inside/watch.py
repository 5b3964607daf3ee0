"""Evidence of what a candidate tried, from the interpreter's own audit events (PEP 578).

The hook can't be removed by Python code, and each event leaves the process at once. It is evidence for people and for
cheat flags, not a barrier: a candidate in control of its process can stay silent, and gains nothing by it.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

from .values import encode

# Functions below resolve builtins here: what a candidate does to its own builtins later changes nothing in them.
__builtins__ = dict(vars(builtins))

MAX_EVENTS = 32
MAX_LENGTH = 200

# Recorded whoever calls: nothing in the standard library does these things unasked.
_ALWAYS = frozenset({
    "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system", "os.kill", "os.killpg", "os.putenv", "os.remove",
    "os.rename", "os.symlink", "os.link", "os.truncate", "subprocess.Popen", "socket.connect", "socket.bind",
    "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "ctypes.dlopen", "signal.pthread_kill",
    "shutil.rmtree", "resource.setrlimit", "resource.prlimit", "sys.addaudithook", "pty.spawn",
})  # fmt: skip
# Recorded where the candidate's own code does it: libraries look at frames for good reasons.
_OWN = frozenset({
    "sys._getframe", "sys._current_frames", "sys._getframemodulename", "sys.settrace", "sys.setprofile",
    "gc.get_objects", "gc.get_referrers", "gc.get_referents", "ctypes.string_at", "ctypes.cdata", "os.listdir",
    "os.scandir", "glob.glob", "code.__new__", "function.__new__",
})  # fmt: skip
_LIBRARIES = (sys.base_prefix, sys.base_exec_prefix, "/usr/lib", "/packages", "/dev/")


def hook(write: Callable[[bytes, bytes], None], own_file: str) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook that reports events through `write(b"E", content)`, each distinct one once, MAX_EVENTS at most."""
    seen: set[str] = set()
    busy = False
    frame_at = sys._getframe  # pyright: ignore[reportPrivateUsage]

    def see(event: str, args: tuple[Any, ...]) -> None:
        nonlocal busy
        if busy or len(seen) >= MAX_EVENTS:
            return
        busy = True
        try:
            own = event in _OWN and frame_at(1).f_code.co_filename == own_file
            line = event if own else _line(event, args)
            if line is not None and line not in seen:
                seen.add(line)
                write(b"E", encode(line))
        finally:
            busy = False

    return see


def _line(event: str, args: tuple[Any, ...]) -> str | None:
    if event == "open":
        return _opened(args[0], args[1])
    if event == "socket.__new__":
        return None if args[1] == _AF_UNIX else f"socket.__new__ {args[1]!r}"  # event loops make pairs of unix sockets
    if event not in _ALWAYS:
        return None
    shown = [repr(one) for one in args if type(one) in _SHOWN][:2]
    return " ".join([event, *shown])[:MAX_LENGTH]


_AF_UNIX = 1
_SHOWN = frozenset({str, int, bytes, tuple, list})


def _opened(path: Any, mode: Any) -> str | None:
    """Files that are written, and files outside the libraries that are read."""
    if type(path) is bytes:
        path = path.decode("utf-8", "replace")
    if type(path) is not str:
        return None
    mode = mode if type(mode) is str else "r"
    if not set("wax+").intersection(mode) and path.startswith(_LIBRARIES):
        return None
    return f"open {path!r} {mode}"[:MAX_LENGTH]
