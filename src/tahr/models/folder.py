"""Writing a folder so that it is there as a whole or not at all, and tahr's cache. Needs no torch."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from safetensors import SafetensorError

from tahr.core.errors import InputError, ResourceError


@contextmanager
def written_whole(folder: Path, *, keep_existing: bool = False) -> Generator[Path]:
    """Yield an empty folder beside `folder`; without an exception it is flushed to disk and takes that name.

    An older model folder of that name is replaced; with `keep_existing` the older one stays (two processes that write
    the same contents don't disturb each other). Raises InputError where `folder` holds anything else, ResourceError
    where the disk is full or may not be written.
    """
    if folder.exists() and not _is_replaceable(folder):
        raise InputError(
            "the folder to save the model in holds something that is not a model",
            received=str(folder),
            instead="a new folder, an empty one, or one with an earlier model",
        )
    temporary: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        yield temporary
        _flush(temporary)
        _take_name(temporary, folder, keep_existing=keep_existing)
    except (OSError, SafetensorError) as error:
        explained = _explained(error, folder)
        if explained is None:
            raise
        raise explained from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def cache_folder() -> Path:
    """Where converted models are kept: ``$TAHR_CACHE``, else ``$XDG_CACHE_HOME/tahr``, else ``~/.cache/tahr``."""
    if chosen := os.environ.get("TAHR_CACHE"):
        return Path(chosen).expanduser()
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base).expanduser() / "tahr"
    return Path.home() / ".cache" / "tahr"


def _is_replaceable(folder: Path) -> bool:
    return folder.is_dir() and (not any(folder.iterdir()) or (folder / "config.json").is_file())


def _take_name(temporary: Path, folder: Path, *, keep_existing: bool) -> None:
    """Rename; an earlier folder steps aside first, because a folder can't be renamed onto a full one."""
    try:
        temporary.rename(folder)
        return
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    if keep_existing:
        return
    aside = Path(mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
    folder.rename(aside / folder.name)
    temporary.rename(folder)
    shutil.rmtree(aside)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _flush(folder: Path) -> None:
    """Ordinary permissions (temporary files are private) and everything on disk before the folder gets its name."""
    mask = _umask()
    for path in [*folder.rglob("*"), folder]:
        path.chmod((0o777 if path.is_dir() else 0o666) & ~mask)
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _explained(error: Exception, folder: Path) -> ResourceError | None:
    code = error.errno if isinstance(error, OSError) else None
    if code in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error):
        return ResourceError(
            "the disk is full", received=str(folder), instead="free some space, or choose a folder on another disk"
        )
    if code in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
        return ResourceError(
            "the folder can't be made or may not be written",
            received=str(folder),
            instead="a folder of your own (for the cache of converted models: TAHR_CACHE)",
        )
    return None
