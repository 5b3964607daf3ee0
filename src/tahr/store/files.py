"""Writing that a crash or a full disk can't leave half done: every file of a run goes through this module.

A file is written under a temporary name in the same folder, forced to the disk, then renamed. A line of a log is
appended and forced to the disk; where that fails, the file is cut back to where it ended before.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from tahr.core.errors import InputError, ResourceError, TahrError

TEMPORARY = ".tmp-"
"""Prefix of names that are not part of a run yet; whatever still bears it after a crash is rubbish."""

_FULL = {errno.ENOSPC, errno.EDQUOT}
_FULL_ELSEWHERE = ("No space left on device", "Disk quota exceeded", "disk is full", "inline_container.cc")
"""safetensors passes the system's words on, SQLite has its own, torch's archive writer names its source file."""

_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextmanager
def disk_errors(folder: Path) -> Generator[None]:
    """Turn a full disk into ResourceError and a forbidden folder into InputError, both naming `folder`.

    A full disk counts in the words of safetensors and torch too, whose files are written outside Python.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise _disk_is_full(folder, error) from error
        if error.errno in _FORBIDDEN:
            raise InputError(
                f"{folder} can't be written to", received=error.strerror, instead="a folder that you may write to"
            ) from error
        raise
    except TahrError:
        raise
    except Exception as error:
        if any(words in str(error) for words in _FULL_ELSEWHERE):
            raise _disk_is_full(folder, error) from error
        raise


def _disk_is_full(folder: Path, error: Exception) -> ResourceError:
    return ResourceError(
        f"the disk is full: nothing more can be written to {folder}",
        received=error.strerror if isinstance(error, OSError) else str(error).split("\n")[0],
        instead="free some space there (old folders under runs/*/checkpoints are the largest), then continue "
        "with --resume, or choose a folder on another disk",
    )


@contextmanager
def written_whole(path: Path) -> Generator[Path]:
    """Yield a name to write a file under; it becomes `path` when the block ends: all of it, or what was there before.

    For writers that want a path. Raises ResourceError on a full disk, InputError where writing is forbidden.
    """
    temporary = path.with_name(f"{TEMPORARY}{path.name}")
    with disk_errors(path.parent):
        try:
            yield temporary
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(temporary, path)  # noqa: PTH105 (one name to fail at in tests of crashes)
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def write_file(path: Path, data: bytes) -> None:
    """Make `path` hold `data`: after a crash it holds all of it, or what was there before.

    Raises ResourceError on a full disk, InputError where writing is forbidden.
    """
    with written_whole(path) as temporary, temporary.open("wb") as file:
        file.write(data)


def append_line(path: Path, line: bytes) -> None:
    """Append `line` and a newline; where that fails, cut the file back to where it ended.

    Raises ResourceError on a full disk, InputError where writing is forbidden.
    """
    data = line + b"\n"
    with disk_errors(path.parent), path.open("ab", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        try:
            written = file.write(data)
            if written != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                file.truncate(end)
            raise


def sync_folder(folder: Path) -> None:
    """Force a folder's list of names to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Force every file and folder under `folder` to the disk."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        elif path.is_dir():
            sync_folder(path)
    sync_folder(folder)


def remove_temporary(folder: Path) -> None:
    """Delete what a crash left behind in `folder` under temporary names."""
    for path in folder.glob(f"{TEMPORARY}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
