"""A short name for what a model computes: equal names, equal outputs."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import torch
from torch import nn

WITHOUT_EFFECT = frozenset({
    "name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype", "use_cache", "return_dict",
    "output_attentions", "output_hidden_states", "id2label", "label2id", "num_labels", "problem_type", "pad_token_id",
    "bos_token_id", "eos_token_id", "sep_token_id", "unk_token_id", "decoder_start_token_id", "tokenizer_class",
    "initializer_range", "task_specific_params", "finetuning_task", "pretraining_tp", "quantization_config",
})  # fmt: skip
"""Keys of a config that say nothing about what the weights compute (their dtype is hashed with them)."""


def model_hash(model: nn.Module) -> str:
    """Hash of all that decides a model's outputs, as 16 hexadecimal digits.

    In it are every parameter's and kept buffer's name, type, shape and bytes (tied weights count once), the config
    (the same weights under another base of the rotary embedding are another model), and what adapters are scaled by.
    """
    digest = hashlib.blake2b(digest_size=8)
    parameters = dict(model.named_parameters())
    tied = {parameter.data_ptr() for parameter in parameters.values()}
    kept = {name: tensor for name, tensor in model.state_dict().items() if tensor.data_ptr() not in tied}
    for name, tensor in sorted({**kept, **parameters}.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        data = tensor.detach().cpu().contiguous().flatten().view(torch.uint8)
        digest.update(data.numpy().tobytes())
    digest.update(json.dumps(_deciding(model), sort_keys=True, default=str).encode())
    return digest.hexdigest()


def joined(*names: str) -> str:
    """One name of 16 hexadecimal digits for several."""
    return hashlib.blake2b(" ".join(names).encode(), digest_size=8).hexdigest()


def _deciding(model: nn.Module) -> dict[str, Any]:
    """The settings beside the weights that decide what they compute."""
    config: Any = getattr(model, "config", None)
    values: dict[str, Any] = config.to_dict() if hasattr(config, "to_dict") else {}
    found = {key: value for key, value in values.items() if key not in WITHOUT_EFFECT and not key.startswith("_")}
    scalings = {name: part.scaling for name, part in model.named_modules() if hasattr(part, "scaling")}
    return {"config": found, "scaling": scalings}
