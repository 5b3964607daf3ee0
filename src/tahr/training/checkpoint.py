"""What a checkpoint holds: the trained weights, the optimizer, and the few numbers that say where a run stands.

No generator's state is among them: every random stream derives from the run's seed and a step's number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from tahr.models.save import load_trainable_state, trainable_state
from tahr.store.files import write_file
from tahr.training.step import Policy

WEIGHTS_NAME = "trainable.safetensors"
OPTIMIZER_NAME = "optimizer.pt"
STATE_NAME = "state.json"


def save_checkpoint(folder: Path, policy: Policy, state: Mapping[str, Any], *, with_optimizer: bool = True) -> None:
    """Write the policy into `folder`; `state` is what the stage needs to go on, as JSON values."""
    save_file(trainable_state(policy.model), folder / WEIGHTS_NAME)
    if with_optimizer:
        torch.save(policy.optimizer.state_dict(), folder / OPTIMIZER_NAME)
    content = {"policy_version": policy.version, **state}
    write_file(folder / STATE_NAME, json.dumps(content, indent=2).encode() + b"\n")


def load_checkpoint(folder: Path, policy: Policy) -> dict[str, Any]:
    """Put the saved weights and optimizer back into `policy`, in place; returns the stage's state."""
    load_trainable_state(policy.model, load_file(folder / WEIGHTS_NAME))
    if (folder / OPTIMIZER_NAME).exists():
        saved = torch.load(folder / OPTIMIZER_NAME, map_location=policy.device, weights_only=True)
        policy.optimizer.load_state_dict(saved)
    state: dict[str, Any] = json.loads((folder / STATE_NAME).read_bytes())
    policy.version = int(state["policy_version"])
    return state
