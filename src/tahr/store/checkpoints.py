"""The checkpoints of a run: folders that exist whole or not at all.

A folder is a checkpoint where it holds the marker file, which is written last into a temporary folder before that is
renamed, and deleted first when an old checkpoint goes. So no crash leaves a marker that can't be read: that is damage.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tahr.store.files import TEMPORARY, disk_errors, remove_temporary, sync_folder, sync_tree, write_file

CHECKPOINTS_FOLDER = "checkpoints"
MARKER_NAME = "checkpoint.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A saved state after `step` steps of `stage`. `number` counts a run's checkpoints in the order of saving.

    Example: ``Checkpoint(number=3, stage="rlvr", step=12, folder=Path("runs/tiny/checkpoints/rlvr-000012"))``
    """

    number: int
    stage: str
    step: int
    folder: Path


def list_checkpoints(folder: Path) -> list[Checkpoint]:
    """Complete checkpoints of the run `folder`, oldest first."""
    found = [_read(marker) for marker in _markers(folder)]
    return sorted((one for one in found if one), key=lambda one: one.number)


def list_damaged(folder: Path) -> list[Path]:
    """Folders of the run `folder` whose marker can't be read, by name."""
    return sorted(marker.parent for marker in _markers(folder) if not _read(marker))


@contextmanager
def save_checkpoint(folder: Path, stage: str, step: int, keep: int) -> Generator[Path]:
    """Yield an empty folder to fill; on success it becomes a checkpoint.

    All but the newest `keep` are deleted, and but the newest of each stage.

    Raises ResourceError on a full disk. Whatever is raised inside leaves the earlier checkpoints as they were.
    """
    root = folder / CHECKPOINTS_FOLDER
    temporary = root / f"{TEMPORARY}{stage}-{step:06d}"
    with disk_errors(root):
        root.mkdir(exist_ok=True)
        remove_temporary(root)
        temporary.mkdir()
        try:
            yield temporary
            number = max((one.number for one in list_checkpoints(folder)), default=0) + 1
            marker = {"number": number, "stage": stage, "step": step}
            write_file(temporary / MARKER_NAME, json.dumps(marker).encode())
            sync_tree(temporary)
            temporary.rename(_free_name(root, f"{stage}-{step:06d}"))
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        sync_folder(root)
    kept = list_checkpoints(folder)
    ends = {one.stage: one for one in kept}  # the newest of each stage: another run may begin where it ended
    for old in kept[: -max(keep, 1)]:
        if old is not ends[old.stage]:
            delete_checkpoint(old)


def delete_checkpoint(checkpoint: Checkpoint) -> None:
    """Remove a checkpoint: it stops being one before the first of its files goes."""
    (checkpoint.folder / MARKER_NAME).unlink(missing_ok=True)
    shutil.rmtree(checkpoint.folder, ignore_errors=True)


def remove_incomplete(folder: Path) -> None:
    """Delete what a crash left among the checkpoints of the run `folder`."""
    root = folder / CHECKPOINTS_FOLDER
    if not root.is_dir():
        return
    marked = {marker.parent for marker in _markers(folder)}
    for path in root.iterdir():
        if path.is_dir() and path not in marked:
            shutil.rmtree(path, ignore_errors=True)


def _markers(folder: Path) -> list[Path]:
    return list((folder / CHECKPOINTS_FOLDER).glob(f"[!.]*/{MARKER_NAME}"))


def _free_name(root: Path, name: str) -> Path:
    """`name`, or with a number where the same step was saved before (the older one is deleted afterwards)."""
    candidates = (root / (name if count == 1 else f"{name}.{count}") for count in range(1, 1_000_000))
    return next(path for path in candidates if not path.exists())


def _read(marker: Path) -> Checkpoint | None:
    try:
        values = json.loads(marker.read_bytes())
        return Checkpoint(
            number=int(values["number"]), stage=str(values["stage"]), step=int(values["step"]), folder=marker.parent
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
