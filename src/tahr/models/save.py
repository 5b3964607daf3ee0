"""Save a model as an ordinary transformers folder, and the trainable weights of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, PreTrainedModel, PreTrainedTokenizerBase

from tahr.core.errors import InputError
from tahr.models.folder import written_whole
from tahr.models.lora import has_lora, merged_state, save_adapter
from tahr.models.portable import make_portable
from tahr.models.quiet import quiet_transformers

ADAPTER_FOLDER = "adapter"


def save_model(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Write safetensors, configuration, tokenizer, chat template and generation settings.

    With LoRA the weights are a merged copy (the live model stays as it is) and the adapter alone lies in ``adapter/``.
    The folder appears whole or not at all; an earlier model there is replaced. Raises InputError where `folder` holds
    something else, ResourceError where the disk is full.
    """
    with quiet_transformers(), written_whole(folder) as temporary:
        if has_lora(model):
            _merged(model).save_pretrained(temporary)
            save_adapter(model, temporary / ADAPTER_FOLDER)
        else:
            model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        make_portable(temporary)


def trainable_state(model: PreTrainedModel) -> dict[str, Tensor]:
    """The weights that training changes, by name; tied ones once. The tensors share the model's memory."""
    return {name: parameter.detach() for name, parameter in model.named_parameters() if parameter.requires_grad}


@torch.no_grad()
def load_trainable_state(model: PreTrainedModel, state: Mapping[str, Tensor]) -> None:
    """Copy `state` (of `trainable_state`) into the model, in place.

    Raises InputError, before anything is changed, where names or shapes differ from the model's.
    """
    own = trainable_state(model)
    odd = sorted(own.keys() ^ state.keys())
    odd = odd or sorted(name for name in own if own[name].shape != state[name].shape)
    if odd:
        raise InputError(
            "the checkpoint's weights do not fit the model",
            received=f"{len(odd)} names or shapes differ, {odd[0]} among them",
            instead="the [model] section that the checkpoint was made with",
        )
    for name, parameter in own.items():
        parameter.copy_(state[name])


def _merged(model: PreTrainedModel) -> PreTrainedModel:
    """The same model without adapters; built without memory of its own, then given the merged tensors."""
    with torch.device("meta"):
        bare: PreTrainedModel = AutoModelForCausalLM.from_config(model.config, dtype=model.dtype)
    bare.load_state_dict(merged_state(model), strict=False, assign=True)
    bare.tie_weights()
    bare.generation_config = model.generation_config
    return bare
