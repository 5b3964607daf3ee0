"""What a checkpoint holds: the trained weights, the optimizer, and the few numbers that say where a run stands.

No generator's state is among them: every random stream derives from the run's seed and a step's number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from tahr.core.errors import InputError
from tahr.models.save import load_trainable_state, trainable_state
from tahr.store.files import write_file
from tahr.training.step import Policy

WEIGHTS_NAME = "trainable.safetensors"
OPTIMIZER_NAME = "optimizer.pt"
STATE_NAME = "state.json"

T = TypeVar("T")


def save_checkpoint(folder: Path, policy: Policy, state: Mapping[str, Any], *, with_optimizer: bool = True) -> None:
    """Write the policy into `folder`; `state` is what the stage needs to go on, as JSON values."""
    save_file(trainable_state(policy.model), folder / WEIGHTS_NAME)
    if with_optimizer:
        torch.save(policy.optimizer.state_dict(), folder / OPTIMIZER_NAME)
    content = {"policy_version": policy.version, **state}
    write_file(folder / STATE_NAME, json.dumps(content, indent=2).encode() + b"\n")


def load_checkpoint(folder: Path, policy: Policy) -> dict[str, Any]:
    """Put the saved weights and optimizer back into `policy`, in place; returns the stage's state.

    Raises InputError where a file is missing, cut short or otherwise not what `save_checkpoint` wrote.
    """
    weights = _read(folder / WEIGHTS_NAME, load_file)
    state: dict[str, Any] = _read(folder / STATE_NAME, lambda path: dict(json.loads(path.read_bytes())))
    version = _read(folder / STATE_NAME, lambda _: int(state["policy_version"]))
    optimizer = folder / OPTIMIZER_NAME
    saved = (
        _read(optimizer, lambda path: torch.load(path, map_location=policy.device, weights_only=True))
        if optimizer.exists()
        else None
    )
    load_trainable_state(policy.model, weights)
    if saved is not None:
        policy.optimizer.load_state_dict(saved)
    policy.version = version
    return state


def _read(path: Path, read: Callable[[Path], T]) -> T:
    """What `read` makes of the file; each format has errors of its own for damage, here they are one."""
    damage = (OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError, UnpicklingError)
    try:
        return read(path)
    except damage as error:
        if isinstance(error, RuntimeError) and "out of memory" in str(error):
            raise
        raise InputError(
            f"the checkpoint {path.parent} is damaged: {path.name} can't be read",
            received=f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no more is known'}",
            instead="delete that folder: --resume then goes on from the checkpoint before it",
        ) from error
