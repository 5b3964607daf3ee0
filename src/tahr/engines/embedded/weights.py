"""The policy's weights as the engine multiplies by them: projections fused, and packed for oneDNN on a CPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from tahr.models.decoder import Decoder, Layer
from tahr.models.linear import PackedLinear
from tahr.models.projection import effective_weight


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedLayer:
    """One layer: `qkv` is one product. `qkv`, `gate` and `up` hold the weight of the norm before them.

    Example: ``fuse_layer(decoder.layers[0], num_rows=64)``
    """

    qkv: PackedLinear
    o: PackedLinear
    gate: PackedLinear
    up: PackedLinear
    down: PackedLinear
    q_norm: Any
    k_norm: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedWeights:
    """All layers and the output head of one version of the policy.

    Example: ``fuse(decoder, num_rows=64)``
    """

    layers: tuple[FusedLayer, ...]
    head: PackedLinear


@torch.no_grad()
def fuse(decoder: Decoder, *, num_rows: int) -> FusedWeights:
    """Copy the weights into the layout for batches of about `num_rows` rows."""
    return FusedWeights(
        layers=tuple(fuse_layer(layer, num_rows=num_rows) for layer in decoder.layers),
        head=_fused((decoder.head,), num_rows, norm=decoder.final_norm),
    )


def fuse_layer(layer: Layer, *, num_rows: int) -> FusedLayer:
    """Fuse one layer's projections, adapters added in."""
    return FusedLayer(
        qkv=_fused((layer.q, layer.k, layer.v), num_rows, norm=layer.input_norm),
        o=_fused((layer.o,), num_rows),
        gate=_fused((layer.gate,), num_rows, norm=layer.post_norm),
        up=_fused((layer.up,), num_rows, norm=layer.post_norm),
        down=_fused((layer.down,), num_rows),
        q_norm=layer.q_norm,
        k_norm=layer.k_norm,
    )


def _fused(modules: tuple[nn.Module, ...], num_rows: int, *, norm: Any = None) -> PackedLinear:
    """One product for modules that read the same input, its columns scaled by the weight of the `norm` before it."""
    parts = [effective_weight(module) for module in modules]
    weight = parts[0][0] if len(parts) == 1 else torch.cat([part for part, _ in parts])
    if norm is not None:
        weight = weight * norm.weight.detach()
    biases: list[Tensor] = [bias for _, bias in parts if bias is not None]
    bias = torch.cat(biases) if biases else None
    return PackedLinear(weight, bias, num_rows=num_rows)
