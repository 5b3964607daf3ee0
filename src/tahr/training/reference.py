"""The policy that a stage started from, kept beside the one that learns; for KL penalties."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import PreTrainedModel

from tahr.core.errors import InputError
from tahr.models.save import trainable_state
from tahr.store.files import written_whole
from tahr.training.batch import Batch
from tahr.training.step import Policy

REFERENCE_NAME = "reference.safetensors"


class Reference:
    """The trainable weights as they were; they take the live ones' place for a forward pass, so there is one model."""

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        self._weights = dict(weights)

    @classmethod
    def open(cls, folder: Path, model: PreTrainedModel, *, at_start: bool = True) -> Reference:
        """At a stage's start `model` as it is now, which is kept in the run `folder`; later what is kept there.

        Raises InputError where the file is missing or damaged, ResourceError on a full disk.
        """
        own = trainable_state(model)
        if not at_start:
            check_reference(folder, model)
            found = load_file(folder / REFERENCE_NAME)
            return cls({name: found[name].to(weight.device) for name, weight in own.items()})
        copy = {name: weight.clone() for name, weight in own.items()}
        with written_whole(folder / REFERENCE_NAME) as temporary:
            save_file(copy, temporary)
        return cls(copy)

    @torch.no_grad()
    def logprobs(self, policy: Policy, batch: Batch, *, temperature: float) -> Tensor:
        """The reference's log-probabilities (M,) of the batch's targets, in nats."""
        with _in_place(policy.model, self._weights):
            return policy.logprobs(batch.tokens, batch.rows, batch.targets, temperature=temperature)[0]


def check_reference(folder: Path, model: PreTrainedModel) -> None:
    """Raise InputError where the run `folder` does not keep a reference of `model`'s trainable weights."""
    path = folder / REFERENCE_NAME
    try:
        with safe_open(path, "pt") as file:
            for name, weight in trainable_state(model).items():
                shape = tuple(file.get_slice(name).get_shape())
                if shape != weight.shape:
                    raise ValueError(f"{name} is {shape}, not {tuple(weight.shape)}")
    except (OSError, ValueError, SafetensorError) as error:
        raise InputError(
            f"the reference policy {path} is missing or damaged",
            received=f"{type(error).__name__}: {str(error)[:160]}",
            instead="the file as it was, from a copy; without one, a new run",
        ) from error


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
