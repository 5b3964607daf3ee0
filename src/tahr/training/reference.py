"""The policy that a stage started from, kept beside the one that learns; for KL penalties."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import PreTrainedModel

from tahr.core.errors import InputError
from tahr.models.save import trainable_state
from tahr.store.files import disk_errors
from tahr.training.batch import Batch
from tahr.training.step import Policy

REFERENCE_NAME = "reference.safetensors"


class Reference:
    """The trainable weights as they were; they take the live ones' place for a forward pass, so there is one model."""

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        self._weights = dict(weights)

    @classmethod
    def open(cls, folder: Path, model: PreTrainedModel, *, at_start: bool = True) -> Reference:
        """The reference kept in the run `folder`; at a stage's start, where there is none, `model` as it is now.

        Raises InputError where the file is damaged, or missing in the midst of a stage, ResourceError on a full disk.
        """
        path = folder / REFERENCE_NAME
        own = trainable_state(model)
        if path.exists() or not at_start:
            return cls(_read(path, own))
        copy = {name: weight.clone() for name, weight in own.items()}
        temporary = path.with_name(f".tmp-{REFERENCE_NAME}")
        with disk_errors(path):
            save_file(copy, temporary)
            temporary.rename(path)
        return cls(copy)

    @torch.no_grad()
    def logprobs(self, policy: Policy, batch: Batch, *, temperature: float) -> Tensor:
        """The reference's log-probabilities (M,) of the batch's targets, in nats."""
        with _in_place(policy.model, self._weights):
            return policy.logprobs(batch.tokens, batch.rows, batch.targets, temperature=temperature)[0]


def _read(path: Path, own: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights kept at `path`, which must be those of a model whose trainable ones are `own`."""
    try:
        found = load_file(path)
        for name, weight in own.items():
            if found[name].shape != weight.shape:
                raise ValueError(f"{name} is {tuple(found[name].shape)}, not {tuple(weight.shape)}")
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise InputError(
            f"the reference policy {path} is missing or damaged",
            received=f"{type(error).__name__}: {str(error)[:160]}",
            instead="the file as it was, from a copy; without one, a new run",
        ) from error
    return {name: found[name].to(weight.device) for name, weight in own.items()}


@contextmanager
def _in_place(model: PreTrainedModel, weights: Mapping[str, Tensor]) -> Generator[None]:
    """While open, `model` computes with `weights`. No memory moves: parameters point elsewhere."""
    parameters = {name: one for name, one in model.named_parameters() if one.requires_grad}
    kept = {name: parameter.data for name, parameter in parameters.items()}
    try:
        for name, parameter in parameters.items():
            parameter.data = weights[name]
        yield
    finally:
        for name, parameter in parameters.items():
            parameter.data = kept[name]
