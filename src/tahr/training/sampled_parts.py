"""What a round has sampled so far, kept part by part: a crash while sampling costs one part."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from tahr.core.types import Group, Task
from tahr.store.read_rollouts import read_groups
from tahr.store.rollouts import rollouts_path, write_rollouts
from tahr.store.tables import is_table

FOLDER = "sampled"


class SampledParts:
    """The parts of one round in the run `folder`. `key` names who was sampled from: no other policy's are found.

    Example: ``SampledParts(run.folder, "rejection_sampling", "5c1f1e0a9d3b7f42-2")``
    """

    def __init__(self, folder: Path, stage: str, key: str) -> None:
        self._root = folder / FOLDER
        self._folder = self._root / key
        self._stage = stage

    def read(self, part: int, tasks: Mapping[str, Task]) -> list[Group] | None:
        """What was kept of a part; None where it was not, or not readably."""
        path = rollouts_path(self._folder, self._stage, part)
        return read_groups(path, tasks) if path.exists() and is_table(path) else None

    def write(self, part: int, groups: Sequence[Group]) -> None:
        """Keep a part. Raises ResourceError on a full disk."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_rollouts(self._folder, self._stage, part, groups, [[None] * len(group.scored) for group in groups])

    def clear(self) -> None:
        """Forget all parts of all rounds: the run's rollouts hold them."""
        shutil.rmtree(self._root, ignore_errors=True)
