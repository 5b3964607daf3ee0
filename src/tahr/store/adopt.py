"""Take into a run what another one kept of its first stages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tahr.store import rollouts
from tahr.store.checkpoints import MARKER_NAME, Checkpoint
from tahr.store.metrics import METRICS_NAME, read_lines
from tahr.store.run import Run


def adopt(
    source: Run, run: Run, *, stages: Sequence[str], ends: Sequence[Checkpoint], with_evaluations: bool
) -> Checkpoint:
    """Copy metrics, rollouts and evaluations of `source`, as far as they are of `stages`, into `run`, and `ends`.

    Those are checkpoints of `source` in the order of saving, one at least; the copy of the last one is returned. Files
    are linked where the file system allows it: they are never written to again.
    """
    lines = [line for row, line in read_lines(source.folder) if row.stage in stages]
    (run.folder / METRICS_NAME).write_bytes(b"".join(line + b"\n" for line in lines))
    for path in rollouts.list_rollouts(source.folder):
        if rollouts.stage_and_step(path)[0] in stages:
            _link(path, run.folder / path.relative_to(source.folder))
    for found in source.evaluations() if with_evaluations else ():
        if found.stage in stages:
            run.write_evaluation(replace(found, name=_name_in(run, found.name, found.stage)))
    for end in ends:
        with run.checkpoint(end.stage, end.step) as folder:
            for path in end.folder.iterdir():
                if path.name != MARKER_NAME:
                    _link(path, folder / path.name)
    return run.checkpoints()[-1]


def copy_into(folder: Path, found: Path) -> None:
    """A file, or a folder with all that is in it, under its own name in `folder`; linked where that is possible."""
    for path in [found] if found.is_file() else [one for one in found.rglob("*") if one.is_file()]:
        _link(path, folder / path.relative_to(found.parent))


def _name_in(run: Run, name: str, stage: str) -> str:
    """An evaluation's name in `run`, which may have more stages, or fewer, than the one it comes from."""
    if not name.startswith("after"):
        return name
    _, space, suite = name.partition(" ")
    return ("after" if stage == run.manifest.stages[-1] else f"after-{stage}") + space + suite


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:  # another disk, or a file system without links
        shutil.copy2(source, target)
