"""A linear layer as the decoder sees it: a plain `nn.Linear`, or one with a LoRA adapter around it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from tahr.models.linear import linear


def project(module: nn.Module, x: Tensor) -> Tensor:
    """Apply `module` to `x` (N, K) with gradients; adapters add ``scaling * B(A(dropout(x)))`` (Hu et al. 2021)."""
    if isinstance(module, nn.Linear):
        return linear(x, module.weight, module.bias)
    base, adapters = _lora_parts(module)
    result = linear(x, base.weight, base.bias)
    for down, up, dropout, scaling in adapters:
        result = result + linear(linear(dropout(x), down.weight), up.weight) * scaling
    return result


def effective_weight(module: nn.Module) -> tuple[Tensor, Tensor | None]:
    """Weight (M, K) and bias (M,) that give the same result as `project`, adapters added in; no gradients."""
    if isinstance(module, nn.Linear):
        return module.weight.detach(), _detached(module.bias)
    base, adapters = _lora_parts(module)
    weight = base.weight.detach()
    for down, up, _, scaling in adapters:
        weight = torch.addmm(weight, up.weight.detach(), down.weight.detach(), alpha=scaling)
    return weight, _detached(base.bias)


def is_projection(module: nn.Module) -> bool:
    """Whether `project` can apply this module exactly."""
    if isinstance(module, nn.Linear):
        return type(module) is nn.Linear
    try:
        base, _ = _lora_parts(module)
    except (AttributeError, TypeError):
        return False
    return type(base) is nn.Linear


def _detached(bias: Tensor | None) -> Tensor | None:
    return None if bias is None else bias.detach()


def _lora_parts(module: Any) -> tuple[nn.Linear, list[tuple[nn.Linear, nn.Linear, nn.Module, float]]]:
    """The base layer and the active adapters of a peft LoRA layer. Raises TypeError on variants with other formulas."""
    if module.merged or any(module.use_dora.values()):
        raise TypeError("merged adapters and DoRA are not plain LoRA")
    adapters = [
        (module.lora_A[name], module.lora_B[name], module.lora_dropout[name], float(module.scaling[name]))
        for name in module.active_adapters
        if name in module.lora_A and not module.disable_adapters
    ]
    return module.base_layer, adapters
