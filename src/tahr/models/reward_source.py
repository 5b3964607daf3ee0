"""Where a reward model lies: the run that trained it, a folder or a hub name. Needs no torch."""

from __future__ import annotations

from pathlib import Path

from tahr.core.errors import InputError
from tahr.store.manifest import MANIFEST_NAME

REWARD_FOLDER = "reward_model"
"""Where a run keeps the reward model that it trained, inside the run folder."""


def reward_model_source(name: str) -> str:
    """`name`, or the folder inside where it is a run. Raises InputError for a run without a reward model (yet)."""
    run = Path(name).expanduser()
    if not (run / MANIFEST_NAME).is_file():
        return name
    folder = run / REWARD_FOLDER
    if not folder.is_dir():
        raise InputError(
            "the run has no reward model", received=name, instead="a run whose reward_model stage has ended"
        )
    return str(folder)
