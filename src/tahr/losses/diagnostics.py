"""What an update's tokens say about it, under the field's names."""

from __future__ import annotations

import torch
from torch import Tensor

from tahr.losses.config import PolicyLossConfig
from tahr.losses.kl import LOG_BOUND, kl_estimate
from tahr.losses.policy import PolicyTokens, correction_weights

_QUANTILE_LIMIT = 16_000_000
"""torch.quantile takes no more values than about this."""


@torch.no_grad()
def policy_metrics(tokens: PolicyTokens, config: PolicyLossConfig) -> dict[str, float]:
    """Over all M > 0 tokens of an update, each token counting the same.

    ``approx_kl``: k3 of KL(proximal || policy), ``r - 1 - log r``. ``clipfrac_low`` and ``_high``: tokens beyond the
    clip in the direction in which it acts. ``ratio_mean`` and ``_max``. ``logprob_gap_mean``, ``_max`` and ``_p99``:
    the size of log proximal - log sampler, or of log policy - log sampler where the sampler is the proximal policy.
    ``effective_sample_share``: ``(sum w)**2 / (M sum w**2)`` of the weights w = policy / sampler (Kish 1965).
    ``kl_reference``: k3 of KL(policy || reference). ``correction_mean`` and ``corrected_share``: the correction's
    weights, and how many its bounds changed.
    """
    log_ratio = (tokens.policy_logprobs - tokens.proximal).clamp(-LOG_BOUND, LOG_BOUND)
    ratio = log_ratio.exp()
    recomputed = tokens.proximal_logprobs is not None
    gap = ((tokens.proximal if recomputed else tokens.policy_logprobs) - tokens.sampler_logprobs).abs()
    weight = (tokens.policy_logprobs - tokens.sampler_logprobs).clamp(-LOG_BOUND, LOG_BOUND).double().exp()
    low, high = (1 - config.clip_low, 1 + config.clip_high)
    metrics = {
        "approx_kl": (log_ratio.expm1() - log_ratio).mean(),
        "clipfrac_low": ((ratio < low) & (tokens.advantages < 0)).double().mean(),
        "clipfrac_high": ((ratio > high) & (tokens.advantages > 0)).double().mean(),
        "ratio_mean": ratio.mean(),
        "ratio_max": ratio.max(),
        "logprob_gap_mean": gap.mean(),
        "logprob_gap_max": gap.max(),
        "logprob_gap_p99": _quantile(gap, 0.99),
        "effective_sample_share": weight.sum().square() / (len(weight) * weight.square().sum()),
    }
    if tokens.reference_logprobs is not None:
        metrics["kl_reference"] = kl_estimate(tokens.policy_logprobs - tokens.reference_logprobs, "k3").mean()
    if config.correction.form != "none":
        bounded = correction_weights(tokens, config.correction)
        loose = config.correction.model_copy(update={"form": "truncate", "high": float("inf")})
        metrics["correction_mean"] = bounded.mean()
        metrics["corrected_share"] = (bounded != correction_weights(tokens, loose)).double().mean()
    return {name: float(value) for name, value in metrics.items()}


def _quantile(values: Tensor, share: float) -> Tensor:
    return torch.quantile(values[:_QUANTILE_LIMIT].float(), share)
