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

MAX_EVENTS = 32  # of each kind
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
    """An audit hook that reports events through `write(b"E", content)`, each distinct one once, MAX_EVENTS of a kind.

    Files of its own folder and others are two kinds: many of the former hide none of the latter.
    """
    seen: set[str] = set()
    left: dict[str, int] = {}
    busy = False
    frame_at = sys._getframe  # pyright: ignore[reportPrivateUsage]

    def see(event: str, args: tuple[Any, ...]) -> None:
        nonlocal busy
        if busy:
            return
        busy = True
        try:
            own = event in _OWN and frame_at(1).f_code.co_filename == own_file
            line = event if own else _line(event, args)
            if line is not None and line not in seen:
                kind = "open away" if line.startswith(_AWAY) else event
                left[kind] = left.get(kind, MAX_EVENTS) - 1
                if left[kind] >= 0:
                    seen.add(line)
                    write(b"E", encode(line))
        finally:
            busy = False

    return see


def _line(event: str, args: tuple[Any, ...]) -> str | None:
    if event == "open":
        return _opened(*args[:3])
    if event == "socket.__new__":
        return None if args[1] == _AF_UNIX else f"socket.__new__ {args[1]!r}"  # event loops make pairs of unix sockets
    if event not in _ALWAYS:
        return None
    shown = [repr(one) for one in args if type(one) in _SHOWN][:2]
    return " ".join([event, *shown])[:MAX_LENGTH]


_AF_UNIX = 1
_AWAY = ("open '/", "open '../")
_SHOWN = frozenset({str, int, bytes, tuple, list})


def _opened(path: Any, mode: Any, flags: Any) -> str | None:
    """Files that are written, and files outside the libraries that are read."""
    if type(path) is bytes:
        path = path.decode("utf-8", "replace")
    if type(path) is not str:
        return None
    if type(mode) is not str:  # by os.open
        mode = "w" if type(flags) is int and flags & 3 else "r"
    path = _plain_path(path)
    if not set("wax+").intersection(mode) and path.startswith(_LIBRARIES):
        return None
    return f"open {path!r} {mode}"[:MAX_LENGTH]


def _plain_path(path: str) -> str:
    """The path without what only makes it look like another: repeated slashes, ``.``, and ``..`` that lead back."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part == ".." and path.startswith("/"):
            continue
        elif part not in {"", "."}:
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)
