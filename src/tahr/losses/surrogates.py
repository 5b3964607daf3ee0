"""What a token's ratio and advantage are worth: the part of the policy loss in which the algorithms differ.

Each is ``(tokens, log_ratio, config) -> gain``, all (M,), to be maximised; ``ratio = exp(log_ratio)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from tahr.losses.config import PolicyLossConfig

if TYPE_CHECKING:
    from tahr.losses.policy import PolicyTokens

Surrogate = Callable[["PolicyTokens", Tensor, PolicyLossConfig], Tensor]


def segment_mean(values: Tensor, sequences: Tensor, *, total: bool = False) -> Tensor:
    """Each token's mean (or `total`) of `values` over its sequence; (M,) -> (M,), with gradient."""
    if len(values) == 0:
        return values
    size = int(sequences.max()) + 1
    sums = values.new_zeros(size).index_add(0, sequences, values)
    if total:
        return sums[sequences]
    counts = values.new_zeros(size).index_add(0, sequences, torch.ones_like(values))
    return (sums / counts.clamp(min=1))[sequences]


def clip(tokens: PolicyTokens, log_ratio: Tensor, config: PolicyLossConfig) -> Tensor:
    """``min(r A, clip(r) A)`` (Schulman et al. 2017); with `dual_clip` c, at least ``c A`` where A < 0 (Ye 2020)."""
    ratio, advantages = log_ratio.exp(), tokens.advantages
    gain = torch.minimum(ratio * advantages, ratio.clamp(1 - config.clip_low, 1 + config.clip_high) * advantages)
    if config.dual_clip:
        gain = torch.where(advantages < 0, torch.maximum(gain, config.dual_clip * advantages), gain)
    return gain


def cispo(tokens: PolicyTokens, log_ratio: Tensor, config: PolicyLossConfig) -> Tensor:
    """``stop_gradient(clip(r)) A log policy``: no token loses its gradient (MiniMax-M1 2025, arXiv:2506.13585)."""
    weight = log_ratio.detach().exp().clamp(max(0.0, 1 - config.clip_low), 1 + config.clip_high)
    return weight * tokens.advantages * tokens.policy_logprobs


def sapo(tokens: PolicyTokens, log_ratio: Tensor, config: PolicyLossConfig) -> Tensor:
    """``4 / t * sigmoid(t (r - 1)) A``, a gate whose slope at 1 is 1 (Qwen 2025, arXiv:2511.20347)."""
    advantages = tokens.advantages
    positive, negative = config.gates
    temperature = torch.full_like(advantages, negative).masked_fill(advantages > 0, positive)
    return 4 / temperature * torch.sigmoid(temperature * (log_ratio.exp() - 1)) * advantages


def gmpo(tokens: PolicyTokens, log_ratio: Tensor, config: PolicyLossConfig) -> Tensor:
    """The geometric mean of a sequence's clipped ratios, times A (Zhao et al. 2025, arXiv:2507.20673).

    The clip is PPO's, on the log-ratio: whichever of the two is worse for the advantage.
    """
    clipped = log_ratio.clamp(-config.clip_low, config.clip_high)
    worse = torch.where(tokens.advantages >= 0, torch.minimum(log_ratio, clipped), torch.maximum(log_ratio, clipped))
    return segment_mean(worse, tokens.sequences).exp() * tokens.advantages


def dppo(tokens: PolicyTokens, log_ratio: Tensor, config: PolicyLossConfig) -> Tensor:
    """``r A``, without gradient where the token's probability moved too far and would move on (arXiv:2602.04879).

    How far is the divergence of the two policies on the sampled token against all others: total variation or KL.
    """
    with torch.no_grad():
        distance = binary_divergence(tokens.proximal, tokens.policy_logprobs, config.divergence)
        outward = torch.where(tokens.advantages > 0, log_ratio > 0, log_ratio < 0)
        kept = ~((distance > config.max_divergence) & outward)
    return torch.where(kept, log_ratio.exp() * tokens.advantages, 0.0)


def bare_ratio(tokens: PolicyTokens, log_ratio: Tensor, config: PolicyLossConfig) -> Tensor:
    """``r A``: the importance-weighted policy gradient, with no bound."""
    return log_ratio.exp() * tokens.advantages


def bare_logprob(tokens: PolicyTokens, log_ratio: Tensor, config: PolicyLossConfig) -> Tensor:
    """``A log policy`` (REINFORCE, Williams 1992): whoever sampled, it is taken for the policy itself."""
    return tokens.advantages * tokens.policy_logprobs


def binary_divergence(old: Tensor, new: Tensor, kind: str) -> Tensor:
    """Divergence of (p, 1 - p) from (q, 1 - q), with p and q the probabilities `old` and `new` of the sampled token."""
    p, q = old.double().exp().clamp(max=1.0), new.double().exp().clamp(max=1.0)
    if kind == "tv":
        return (p - q).abs().to(old.dtype)
    tiny = 1e-12
    other = torch.where(p < 1, (1 - p) * ((1 - p).clamp(min=tiny).log() - (1 - q).clamp(min=tiny).log()), 0.0)
    return (p * (old - new).double() + other).to(old.dtype)


SURROGATES: dict[str, Surrogate] = {
    "clip": clip,
    "cispo": cispo,
    "sapo": sapo,
    "gmpo": gmpo,
    "dppo": dppo,
    "ratio": bare_ratio,
    "logprob": bare_logprob,
}
