"""One writer per folder: a lock that the kernel drops when its holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from tahr.core.errors import InputError

LOCK_NAME = ".lock"
PATIENCE_SECONDS = 0.3


class Lock:
    """The right to write one folder, held until `release` or the end of the process (SIGKILL included)."""

    def __init__(self, folder: Path, *, what: str = "the run") -> None:
        """Take the lock of `folder`, in which is `what`.

        Raises InputError where another process (or another `Run`) holds it.
        """
        self._descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            holder = self._taken_by()
        except OSError as error:
            os.close(self._descriptor)
            raise InputError(
                f"the file system of {folder} has no locks", received=error.strerror, instead="a folder on a local disk"
            ) from error
        if holder is not None:
            os.close(self._descriptor)
            raise InputError(
                f"another process is writing {what} {folder}",
                received=f"process {holder or 'unknown'} holds its lock",
                instead="wait for that process or stop it, or use another folder",
            )
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def _taken_by(self) -> str | None:
        """None once the lock is ours; else the id of the process that has it, "" where that can't be read.

        Tried for a moment: who only asks (`is_locked`) has it for an instant, and a new holder has yet to write its id.
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
                time.sleep(0.01)
            else:
                return None

    def release(self) -> None:
        """Give the lock back; doing so twice is harmless."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def is_locked(folder: Path) -> bool:
    """Whether some process is writing `folder` at this moment."""
    try:
        descriptor = os.open(folder / LOCK_NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False
