"""What a checkpoint holds: the trained weights, the optimizer, and the few numbers that say where a run stands.

No generator's state is among them: every random stream derives from the run's seed and a step's number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from tahr.core.errors import InputError
from tahr.models.save import load_trainable_state, trainable_state
from tahr.store.files import write_file
from tahr.training.step import Policy

WEIGHTS_NAME = "trainable.safetensors"
OPTIMIZER_NAME = "optimizer.pt"
MORE_NAME = "more.pt"
STATE_NAME = "state.json"

T = TypeVar("T")


def save_checkpoint(
    folder: Path,
    policy: Policy,
    state: Mapping[str, Any],
    *,
    more: Mapping[str, Any] | None = None,
    with_optimizer: bool = True,
) -> None:
    """Write the policy into `folder`; `state` is what the stage needs to go on, as JSON values, `more` with tensors."""
    save_file(trainable_state(policy.model), folder / WEIGHTS_NAME)
    if with_optimizer:
        torch.save(policy.optimizer.state_dict(), folder / OPTIMIZER_NAME)
    if more:
        torch.save(dict(more), folder / MORE_NAME)
    content = {"policy_version": policy.version, "files": sorted(path.name for path in folder.iterdir()), **state}
    write_file(folder / STATE_NAME, json.dumps(content, indent=2).encode() + b"\n")


def load_checkpoint(folder: Path, policy: Policy) -> Saved:
    """Put the saved weights and optimizer back into `policy`, in place; returns all that was saved.

    Raises InputError as `read_checkpoint` does, and where the weights are not the policy's.
    """
    saved = read_checkpoint(folder, device=policy.device)
    load_trainable_state(policy.model, saved.weights)
    if saved.optimizer is not None:
        policy.optimizer.load_state_dict(saved.optimizer)
    policy.version = int(saved.state["policy_version"])
    return saved


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What a checkpoint holds, read.

    Example: ``Saved(weights={"lm_head.weight": weight}, optimizer=None, state={"step": 12, "policy_version": 12},
    more={})``
    """

    weights: dict[str, Tensor]
    optimizer: dict[str, Any] | None
    state: dict[str, Any]
    more: dict[str, Any]


def read_checkpoint(folder: Path, *, device: torch.device | str = "cpu") -> Saved:
    """Read what `save_checkpoint` wrote. Raises InputError where a file is missing, cut short or otherwise damaged."""

    state = _read(folder / STATE_NAME, _state)

    def tensors(name: str) -> Any:
        path = folder / name
        if not path.exists() and name not in state.get("files", ()):
            return None
        return _read(path, lambda found: torch.load(found, map_location=device, weights_only=True))

    return Saved(
        weights=_read(folder / WEIGHTS_NAME, load_file),
        optimizer=tensors(OPTIMIZER_NAME),
        state=state,
        more=tensors(MORE_NAME) or {},
    )


def newest_readable(folders: Sequence[Path], say: Callable[[str], None]) -> int | None:
    """The place of the last of `folders` whose checkpoint can be read; `say` hears of each one that can't.

    None where there are no folders. Raises the newest one's InputError where none can be read.
    """
    first_error: InputError | None = None
    for place in reversed(range(len(folders))):
        try:
            read_checkpoint(folders[place])
        except InputError as error:
            first_error = first_error or error
            say(f"{error.wrong} ({error.received}); going on from the one before it")
        else:
            return place
    if first_error:
        raise first_error
    return None


def _state(path: Path) -> dict[str, Any]:
    state: dict[str, Any] = dict(json.loads(path.read_bytes()))
    for name in ("policy_version", "step", "cursor"):
        int(state[name])
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
            received=f"{type(error).__name__}: {(str(error).splitlines() or ['no more is known'])[0][:160]}",
            instead="the files as they were, from a copy; without one, a new run",
        ) from error
