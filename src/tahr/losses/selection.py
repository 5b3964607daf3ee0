"""Which tokens of an update have a part in its policy gradient, chosen over the whole update before it is cut up."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tahr.losses.config import CovarianceConfig


def most_uncertain(entropies: Tensor, share: float) -> Tensor:
    """True (M,) for the `share` of tokens with the highest entropy, and those tied with the last of them.

    Wang et al. 2025, "Beyond the 80/20 Rule" (arXiv:2506.01939). As there, the other tokens stay in the loss's
    denominators. Ours differs in that the share is of the update, not of each micro-batch.
    """
    count = max(1, math.ceil(share * len(entropies) - 1e-9))
    return entropies >= entropies.topk(min(count, len(entropies))).values[-1]


def covariances(logprobs: Tensor, advantages: Tensor) -> Tensor:
    """Each token's product of centred log-probability and centred advantage (Cui et al. 2025, arXiv:2505.22617)."""
    return (logprobs - logprobs.mean()) * (advantages - advantages.mean())


def covariance_clipped(covariance: Tensor, config: CovarianceConfig, *, seed: int) -> Tensor:
    """Clip-Cov: True (M,) for the tokens that lose their gradient, drawn from those between `low` and `high`."""
    chosen = torch.zeros_like(covariance, dtype=torch.bool)
    candidates = ((covariance > config.low) & (covariance < config.high)).nonzero().flatten()
    count = min(len(candidates), max(1, int(config.share * len(covariance))))
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(candidates), generator=generator)[:count].to(covariance.device)
    chosen[candidates[order]] = True
    return chosen


def covariance_held(covariance: Tensor, config: CovarianceConfig) -> Tensor:
    """KL-Cov: True (M,) for the `share` of tokens with the highest covariance, at least one."""
    count = min(len(covariance), max(1, int(config.share * len(covariance))))
    held = torch.zeros_like(covariance, dtype=torch.bool)
    held[covariance.topk(count).indices] = True
    return held
