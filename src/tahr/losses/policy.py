"""The clipped policy-gradient loss (Schulman et al. 2017), as a weighted sum over sampled tokens."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tahr.losses.config import PolicyLossConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyTokens:
    """What the loss needs of M sampled tokens, each tensor (M,).

    `sampler_logprobs` are of the distribution that the token was drawn from, `weights` come from
    `tahr.losses.aggregation.token_weights`.

    Example: ``PolicyTokens(policy_logprobs=p, sampler_logprobs=s, advantages=a, weights=w)``
    """

    policy_logprobs: Tensor
    sampler_logprobs: Tensor
    advantages: Tensor
    weights: Tensor


def policy_loss(tokens: PolicyTokens, config: PolicyLossConfig) -> Tensor:
    """``-sum(weight * min(ratio * A, clip(ratio, 1 - low, 1 + high) * A))``, a scalar with gradient.

    ``ratio = exp(policy_logprob - sampler_logprob)``. GRPO is this with group advantages; on the first update after
    sampling the ratio is 1 and the gradient is that of ``-sum(weight * A * logprob)``.
    """
    ratio = torch.exp(tokens.policy_logprobs - tokens.sampler_logprobs)
    clipped = ratio.clamp(1 - config.clip_low, 1 + config.clip_high)
    gain = torch.minimum(ratio * tokens.advantages, clipped * tokens.advantages)
    return -(tokens.weights * gain).sum()


@torch.no_grad()
def policy_sums(tokens: PolicyTokens, config: PolicyLossConfig) -> dict[str, float]:
    """Sums over tokens (and maxima, named ``*_max``) from which a step's metrics are made, however it was cut.

    ``approx_kl`` is the k3 estimate of KL(sampler || policy), ``r - 1 - log r`` with r the ratio (Schulman 2020).
    """
    gap = tokens.policy_logprobs - tokens.sampler_logprobs
    ratio = gap.exp()
    low = (ratio < 1 - config.clip_low) & (tokens.advantages < 0)
    high = (ratio > 1 + config.clip_high) & (tokens.advantages > 0)
    return {
        "approx_kl": float((gap.expm1() - gap).sum()),
        "clipfrac_low": float(low.sum()),
        "clipfrac_high": float(high.sum()),
        "ratio_mean": float(ratio.sum()),
        "logprob_gap_mean": float(gap.abs().sum()),
        "ratio_max": float(ratio.max()) if len(ratio) else 0.0,
        "logprob_gap_max": float(gap.abs().max()) if len(gap) else 0.0,
    }
