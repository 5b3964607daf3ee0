"""One writer per run: a lock that the kernel drops when its holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tahr.core.errors import InputError

LOCK_NAME = ".lock"


class Lock:
    """The right to write one run folder, held until `release` or the end of the process (SIGKILL included)."""

    def __init__(self, folder: Path) -> None:
        """Take the lock of `folder`. Raises InputError where another process (or another `Run`) holds it."""
        self._descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise InputError(
                f"another process is writing the run {folder}",
                received=f"process {holder or 'unknown'} holds its lock",
                instead="wait for that process or stop it, or start a run under another name",
            ) from None
        except OSError as error:
            os.close(self._descriptor)
            raise InputError(
                f"the file system of {folder} has no locks", received=error.strerror, instead="a folder on a local disk"
            ) from error
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

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
