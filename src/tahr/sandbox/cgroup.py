"""A bound on all processes and all memory of one worker together, where this user may make cgroups (v1 and v2)."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

_NAME = "tahr-sandbox"
_serial = iter(range(1 << 62))


class Cgroup:
    """The folders of one worker's group. Made by `create`; `remove` needs every process in it to be gone."""

    def __init__(self, folders: dict[str, Path]) -> None:
        self._folders = folders
        self._written: dict[str, int] = {}

    @property
    def controllers(self) -> tuple[str, ...]:
        """Which of ``memory`` and ``pids`` are bounded."""
        return tuple(sorted(self._folders))

    def add(self, pid: int) -> None:
        """Move a process in; whatever it forks later is in too."""
        for folder in set(self._folders.values()):
            (folder / "cgroup.procs").write_text(str(pid))

    def limit_processes(self, number: int) -> None:
        """Bound the processes and threads of the group."""
        if "pids" in self._folders and self._is_new("pids", number):
            (self._folders["pids"] / "pids.max").write_text(str(number))

    def limit_memory(self, size: int) -> None:
        """Bound resident memory and what lies in memory file systems to `size` bytes."""
        folder = self._folders.get("memory")
        if folder is None or not self._is_new("memory", size):
            return
        names = ("memory.max", "memory.limit_in_bytes")
        name = next((name for name in names if (folder / name).exists()), None)
        if name is not None:
            (folder / name).write_text(str(size))
        with suppress(OSError):
            (folder / "memory.swap.max").write_text("0")

    def _is_new(self, what: str, value: int) -> bool:
        """Whether a limit differs from what was written last; the kernel takes its time over each."""
        before = self._written.get(what)
        self._written[what] = value
        return before != value

    def num_memory_kills(self) -> int:
        """How often the kernel ended a process of the group for its memory."""
        folder = self._folders.get("memory")
        for name in ("memory.events", "memory.oom_control"):
            if folder is not None and (folder / name).exists():
                for line in (folder / name).read_text().splitlines():
                    if line.startswith("oom_kill "):
                        return int(line.split()[1])
        return 0

    def remove(self) -> None:
        """Delete the folders, for which the kernel needs a moment; one that stays busy is left to a later `create`."""
        for folder in set(self._folders.values()):
            for _ in range(50):
                with suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.002)


def create() -> Cgroup | None:
    """A new group, or None where this user may make none."""
    folders: dict[str, Path] = {}
    for controller in ("memory", "pids"):
        for parent in _parents(controller):
            folder = parent / f"{_NAME}-{os.getpid()}-{next(_serial)}"
            if controller in folders or not _make(folder, controller):
                continue
            folders[controller] = folder
            if (folder / "cgroup.controllers").exists() and (folder / "pids.max").exists():
                folders["pids"] = folder
    return Cgroup(folders) if folders else None


def _parents(controller: str) -> list[Path]:
    """Where groups with `controller` may be made: v1's hierarchy, or v2's root and our own group's parent."""
    parents: list[Path] = []
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            if controller in names.split(","):
                base = Path("/sys/fs/cgroup") / controller
                parents.append(base / path.lstrip("/"))
            elif not names:
                root = Path("/sys/fs/cgroup")
                parents += [root, (root / path.lstrip("/")).parent]
    return [parent for parent in dict.fromkeys(parents) if os.access(parent, os.W_OK)]


def _make(folder: Path, controller: str) -> bool:
    """Make `folder`; False where it can't be or lacks the controller."""
    _sweep(folder.parent)
    try:
        folder.mkdir()
    except OSError:
        return False
    wanted = ("memory.max", "memory.limit_in_bytes") if controller == "memory" else ("pids.max",)
    if any((folder / name).exists() for name in wanted):
        return True
    with suppress(OSError):
        folder.rmdir()
    return False


def _sweep(parent: Path) -> None:
    """Remove groups whose trainer was killed before it could."""
    for folder in parent.glob(f"{_NAME}-*"):
        pid = folder.name.split("-")[2]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            with suppress(OSError):
                folder.rmdir()
