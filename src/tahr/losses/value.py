"""The critic's loss."""

from __future__ import annotations

import torch
from torch import Tensor


def value_loss(values: Tensor, old_values: Tensor, returns: Tensor, *, clip: float) -> Tensor:
    """``mean(max((V - R)**2, (clip(V, V_old - c, V_old + c) - R)**2)) / 2``, a scalar with gradient; inputs (M,).

    The clipped form of PPO's published code (Schulman et al. 2017; Huang et al. 2022, "The 37 Implementation Details",
    detail 9). `old_values` are those that the advantages were made from.
    """
    clipped = old_values + (values - old_values).clamp(-clip, clip)
    worse = torch.maximum((values - returns).square(), (clipped - returns).square())
    return worse.mean() / 2


def explained_variance(values: Tensor, returns: Tensor) -> float:
    """``1 - var(returns - values) / var(returns)``: 1 for a perfect critic, 0 for one that says nothing; NaN-free.

    0 where all returns are equal.
    """
    spread = float(returns.var(unbiased=False))
    return 1 - float((returns - values).var(unbiased=False)) / spread if spread > 0 else 0.0
