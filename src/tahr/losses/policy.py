"""The policy loss: one weighted sum over sampled tokens, of which the published algorithms are settings.

A token's loss is ``-gate * correction * surrogate(ratio, advantage) + penalties``, where ``ratio`` is the policy's
probability of the token over the proximal policy's. `tahr.losses.surrogates` lists the surrogates,
`tahr.losses.presets` the algorithms.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tahr.losses.config import CorrectionConfig, PolicyLossConfig
from tahr.losses.kl import LOG_BOUND, kl_estimate, kl_penalty
from tahr.losses.surrogates import SURROGATES, segment_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyTokens:
    """What the loss needs of M sampled tokens, each tensor (M,). Whole sequences only: `sequences` numbers them.

    `sampler_logprobs` are of the distribution that the token was drawn from; `proximal_logprobs` of the policy at the
    start of the step, None where those are the sampler's; `reference_logprobs` of the stage's first policy. `weights`
    come from `tahr.losses.aggregation.token_weights`. `entropies` carry a gradient where they are rewarded. `gate` is
    0 where a token has no part in the policy gradient, `held` True where kl-cov holds it.

    Example: ``PolicyTokens(policy_logprobs=p, sampler_logprobs=s, advantages=a, weights=w, sequences=q)``
    """

    policy_logprobs: Tensor
    sampler_logprobs: Tensor
    advantages: Tensor
    weights: Tensor
    sequences: Tensor
    proximal_logprobs: Tensor | None = None
    reference_logprobs: Tensor | None = None
    entropies: Tensor | None = None
    gate: Tensor | None = None
    held: Tensor | None = None

    @property
    def proximal(self) -> Tensor:
        """Log-probabilities of the ratio's denominator, without gradient."""
        return (self.sampler_logprobs if self.proximal_logprobs is None else self.proximal_logprobs).detach()


def policy_loss(tokens: PolicyTokens, config: PolicyLossConfig) -> Tensor:
    """The update's loss over these tokens, a scalar with gradient; any cut of an update into whole sequences adds up.

    On the first update after sampling every ratio is 1, and the gradient of every surrogate is that of
    ``-sum(weight * advantage * logprob)``.
    """
    log_ratio = (tokens.policy_logprobs - tokens.proximal).clamp(-LOG_BOUND, LOG_BOUND)
    held_log_ratio = log_ratio
    if config.ratio == "sequence":
        log_ratio = segment_mean(log_ratio, tokens.sequences)
    gain = SURROGATES[config.surrogate](tokens, log_ratio, config)
    if config.correction.form != "none":
        gain = gain * correction_weights(tokens, config.correction)
    if tokens.gate is not None:
        gain = torch.where(tokens.gate > 0, gain, 0.0)
    loss = -gain
    if config.kl.coefficient and config.kl.place == "loss" and tokens.reference_logprobs is not None:
        gap = tokens.policy_logprobs - tokens.reference_logprobs
        loss = loss + config.kl.coefficient * kl_penalty(
            gap, estimator=config.kl.estimator, gradient=config.kl.gradient
        )
    if tokens.held is not None:
        # k3 of KL(proximal || policy), whose tokens are the proximal policy's: its own gradient is the right one
        hold = config.covariance.coefficient * kl_estimate(-held_log_ratio, "k3")
        loss = loss + torch.where(tokens.held, hold, 0.0)
    if config.entropy.bonus and tokens.entropies is not None:
        loss = loss - config.entropy.bonus * tokens.entropies
    return (tokens.weights * loss).sum()


@torch.no_grad()
def correction_weights(tokens: PolicyTokens, config: CorrectionConfig) -> Tensor:
    """The importance weight (M,) of each token, proximal policy over sampler, bounded as `config` says.

    Truncated: Espeholt et al. 2018 (V-trace) and Yao et al. 2025 for sampler mismatch; masked by token: IcePop (Ling
    team 2025); masked by sequence: Liu et al. 2025. A geometric sequence weight is the product's root of its length.
    """
    log_weight = tokens.proximal - tokens.sampler_logprobs
    if config.level != "token":
        counts = segment_mean(torch.ones_like(log_weight), tokens.sequences, total=True)
        log_weight = segment_mean(log_weight, tokens.sequences)
        if config.level == "sequence":
            log_weight = log_weight * counts
    weight = log_weight.clamp(-LOG_BOUND, LOG_BOUND).exp()
    if config.form == "truncate":
        return weight.clamp(max=config.high)
    if config.form == "clamp":
        return weight.clamp(config.low, config.high)
    return torch.where((weight >= config.low) & (weight <= config.high), weight, 0.0)
