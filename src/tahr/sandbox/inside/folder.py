"""The one folder that a run may write: emptied between its trials, whatever a program built in it."""

from __future__ import annotations

import os
from contextlib import suppress


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
