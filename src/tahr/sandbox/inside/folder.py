"""The one folder that a run may write: emptied between its trials, whatever a program built in it, and measured."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

LOOK_SECONDS = 0.02
"""How often a folder is measured that the kernel does not bound."""


class Gauge:
    """Whether a folder holds more than it may; looking takes a tenth of the time at most."""

    def __init__(self, folder: str, limits: dict[str, int], measure: Callable[[str, int, int], bool]) -> None:
        self._folder, self._files, self._bytes = folder, limits["files"], limits["disk_bytes"]
        self._measure, self._next = measure, 0.0

    def is_over(self) -> bool:
        """What was found, where it is time to look; False in between."""
        began = monotonic()
        if began < self._next:
            return False
        found = self._measure(self._folder, self._files, self._bytes)
        ended = monotonic()
        self._next = ended + max(LOOK_SECONDS, 9 * (ended - began))
        return found


def file_system_is_over(folder: str, files: int, size: int) -> bool:
    """For a file system of the run's own, which counts by itself, also what is open and deleted."""
    state = os.statvfs(folder)
    return (state.f_blocks - state.f_bfree) * state.f_frsize > size or state.f_files - state.f_ffree > files


def tree_is_over(folder: str, files: int, size: int) -> bool:
    """For a folder among others. What can be filled but not looked into, by its rights or depth, is too much."""
    waiting, num_files, num_bytes = [folder], 0, 0
    while waiting:
        path = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    num_files += 1
                    if num_files > files or num_bytes > size:
                        return True
                    with suppress(FileNotFoundError):
                        num_bytes += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue  # deleted since
        except PermissionError:
            if _can_be_filled(path):
                return True
        except OSError:
            return True
    return num_bytes > size


def _can_be_filled(folder: str) -> bool:
    try:
        return os.lstat(folder).st_mode & 0o300 == 0o300
    except OSError:
        return False  # what is above it is closed


def renew(folder: str, is_empty: bool = False) -> None:
    """Empty a folder, and take from it what it could tell besides: rights, attributes, times."""
    os.chmod(folder, 0o700)
    if not is_empty:
        delete_within(folder)
    with suppress(OSError):  # not every file system has attributes
        for name in os.listxattr(folder):
            os.removexattr(folder, name)
    os.utime(folder, (0, 0))


def delete_within(folder: str) -> None:
    """Empty a folder without following links; nobody may be alive who writes in it.

    It walks with the working directory, so that neither depth nor breadth costs more than a few calls for each entry:
    long paths take the kernel a step for each part.
    """
    before = os.open(".", os.O_PATH)
    try:
        os.chdir(folder)
        names, waiting = list[str](), [_delete_files()]
        while waiting:
            if not waiting[-1]:
                waiting.pop()
                if waiting:
                    os.chdir("..")
                    os.rmdir(names.pop())
                continue
            name = waiting[-1].pop()
            os.chmod(name, 0o700)
            os.chdir(name)
            names.append(name)
            waiting.append(_delete_files())
    finally:
        os.fchdir(before)
        os.close(before)


def _delete_files() -> list[str]:
    """Delete what lies in the working directory but for folders; their names."""
    folders: list[str] = []
    with os.scandir(".") as entries:
        found = list(entries)
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry.name)
        else:
            os.unlink(entry.name)
    return folders
