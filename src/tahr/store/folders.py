"""The folder that a new run is made in: one that did not exist."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tahr.core.errors import InputError
from tahr.store.files import disk_errors


def new_folder(root: Path, name: str) -> Path:
    """A new folder ``root/name-TIME``, with a number where two runs start in one second."""
    base = root / f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    with disk_errors(root):
        root.mkdir(parents=True, exist_ok=True)
        for count in range(1, 1_000_000):
            folder = base if count == 1 else base.with_name(f"{base.name}-{count}")
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
    raise InputError(f"no free name for a run under {root}", received=name, instead="another name")


def given_folder(folder: Path) -> Path:
    """Make `folder` for a run. Raises InputError where it exists."""
    try:
        with disk_errors(folder.parent):
            folder.mkdir(parents=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError(
            f"the run folder {folder} exists already",
            received=str(folder),
            instead=f"another name for a new run, or --resume {folder} to go on with that one",
        ) from None
    return folder
