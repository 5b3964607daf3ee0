"""Which processes there are, for levels that share the machine's process ids; read from /proc."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress


def _processes() -> Iterator[tuple[int, int, int, int]]:
    """Pid, parent, number of threads and user of every process."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
                # the folder's owner: the files of a process that may not be looked into are root's
                yield int(name), int(fields[1]), int(fields[17]), os.stat(f"/proc/{name}").st_uid


def num_threads_of_user() -> int:
    """Threads of all processes of this process's user: what its limit of processes is counted with."""
    own = os.getuid()
    return sum(threads for _, _, threads, user in _processes() if user == own)


def descendants(besides: Collection[int] = ()) -> set[int]:
    """Pids below this process, without those `besides` and what is below them."""
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        children = [child for child in _children(waiting.pop()) if child not in besides]
        found.update(children)
        waiting += children
    return found


def _children(pid: int) -> list[int]:
    """Children of every thread of a process; from all processes' parents where the kernel keeps no list."""
    if not _KEEPS_LISTS:
        return [child for child, parent, _, _ in _processes() if parent == pid]
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


_KEEPS_LISTS = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
