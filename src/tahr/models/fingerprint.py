"""A short name for a model's weights."""

from __future__ import annotations

import hashlib

import torch
from torch import nn


def weights_hash(model: nn.Module) -> str:
    """Hash of every parameter's name, type, shape and bytes, as 16 hexadecimal digits; tied weights count once."""
    digest = hashlib.blake2b(digest_size=8)
    for name, parameter in sorted(model.named_parameters()):
        digest.update(f"{name} {parameter.dtype} {tuple(parameter.shape)}".encode())
        data = parameter.detach().cpu().contiguous().flatten().view(torch.uint8)
        digest.update(data.numpy().tobytes())
    return digest.hexdigest()
