"""The policy loss of an update: what must be known before its first gradient, each batch's part of it, its metrics."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from tahr.losses.config import PolicyLossConfig
from tahr.losses.diagnostics import policy_metrics
from tahr.losses.policy import PolicyTokens, policy_loss
from tahr.losses.selection import covariance_clipped, covariance_held, covariances, most_uncertain
from tahr.training.batch import Batch
from tahr.training.reference import Reference
from tahr.training.step import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a batch's M tokens before the update: each (M,) or None where the loss has no use for it.

    Example: ``Known(proximal_logprobs=logprobs, reference_logprobs=None, gate=None, held=None)``
    """

    proximal_logprobs: Tensor | None = None
    reference_logprobs: Tensor | None = None
    gate: Tensor | None = None
    held: Tensor | None = None


def start_of_step(
    policy: Policy,
    batches: Sequence[Batch],
    config: PolicyLossConfig,
    *,
    reference: Reference | None,
    temperature: float,
    several_updates: bool,
) -> list[Known]:
    """Log-probabilities under the proximal and the reference policy, before the first update of a step.

    With one update a step the proximal policy is the one that is differentiated: its forward pass is not made twice.
    """
    found: list[Known] = []
    for batch in batches:
        proximal = None
        if config.proximal == "recomputed" and several_updates:
            proximal = policy_pass(policy, batch, temperature)[0]
        in_loss = reference is not None and config.kl.place == "loss"
        found.append(
            Known(
                proximal_logprobs=proximal,
                reference_logprobs=reference.logprobs(policy, batch, temperature=temperature)
                if reference is not None and in_loss
                else None,
            )
        )
    return found


def select_tokens(
    policy: Policy,
    batches: Sequence[Batch],
    known: Sequence[Known],
    config: PolicyLossConfig,
    *,
    temperature: float,
    seed: int,
) -> list[Known]:
    """`known` with the tokens chosen that have a part in this update's gradient, or are held by kl-cov."""
    by_entropy, by_covariance = config.entropy.top_share < 1, config.covariance.form != "none"
    if not (by_entropy or by_covariance):
        return list(known)
    passes = [policy_pass(policy, batch, temperature) for batch in batches]
    sizes = [len(batch.targets) for batch in batches]
    gate = torch.ones(sum(sizes), dtype=torch.bool, device=policy.device)
    held = None
    if by_entropy:
        gate &= most_uncertain(torch.cat([entropies for _, entropies in passes]), config.entropy.top_share)
    if by_covariance:
        advantages = torch.cat([batch.advantages for batch in batches])
        covariance = covariances(torch.cat([logprobs for logprobs, _ in passes]), advantages)
        if config.covariance.form == "clip":
            gate &= ~covariance_clipped(covariance, config.covariance, seed=seed)
        else:
            held = covariance_held(covariance, config.covariance)
    gates = gate.split(sizes)
    holds = held.split(sizes) if held is not None else [None] * len(sizes)
    return [replace(one, gate=g, held=h) for one, g, h in zip(known, gates, holds, strict=True)]


@torch.no_grad()
def policy_pass(policy: Policy, batch: Batch, temperature: float) -> tuple[Tensor, Tensor]:
    """Log-probabilities of the batch's targets and entropies there, both (M,), without gradients."""
    return policy.logprobs(batch.tokens, batch.rows, batch.targets, temperature=temperature)


@dataclass(slots=True)
class PolicyObjective:
    """The loss of one update, batch by batch in the order of `known`; it keeps what the metrics need.

    `domains` has the domain of each sequence.

    Example: ``step(policy, batches, PolicyObjective(config, known, domains))``
    """

    config: PolicyLossConfig
    known: Sequence[Known]
    domains: Sequence[str]
    _seen: list[PolicyTokens] = field(default_factory=list[PolicyTokens])
    _slopes: list[Tensor] = field(default_factory=list[Tensor])

    def __call__(self, batch: Batch, policy_logprobs: Tensor, entropies: Tensor) -> Tensor:
        """The batch's part of the update's loss."""
        known = self.known[len(self._seen)]
        proximal = known.proximal_logprobs
        if self.config.proximal == "recomputed" and proximal is None:
            proximal = policy_logprobs.detach()
        tokens = PolicyTokens(
            policy_logprobs=policy_logprobs,
            sampler_logprobs=batch.sampler_logprobs,
            advantages=batch.advantages,
            weights=batch.weights,
            sequences=batch.sequences,
            proximal_logprobs=proximal,
            reference_logprobs=known.reference_logprobs,
            entropies=entropies if self.config.entropy.bonus else None,
            gate=known.gate,
            held=known.held,
        )
        self._seen.append(replace(tokens, policy_logprobs=policy_logprobs.detach(), entropies=None))
        policy_logprobs.register_hook(self._slopes.append)
        return policy_loss(tokens, self.config)

    def metrics(self) -> dict[str, float]:
        """`policy_metrics` over the whole update; and the gradient's share of each domain where there are several.

        ``grad_share/DOMAIN`` is the norm of the loss's gradient with respect to the log-probabilities of the domain's
        tokens, over the sum of those norms.
        """
        if not self._seen:
            return {}
        whole = PolicyTokens(
            policy_logprobs=torch.cat([one.policy_logprobs for one in self._seen]),
            sampler_logprobs=torch.cat([one.sampler_logprobs for one in self._seen]),
            advantages=torch.cat([one.advantages for one in self._seen]),
            weights=torch.cat([one.weights for one in self._seen]),
            sequences=torch.cat([one.sequences for one in self._seen]),
            proximal_logprobs=_cat([one.proximal_logprobs for one in self._seen]),
            reference_logprobs=_cat([one.reference_logprobs for one in self._seen]),
        )
        return policy_metrics(whole, self.config) | self._domain_shares()

    def _domain_shares(self) -> dict[str, float]:
        if len(set(self.domains)) < 2:
            return {}
        squares: defaultdict[str, float] = defaultdict(float)
        for tokens, slope in zip(self._seen, self._slopes, strict=True):
            per_sequence = torch.zeros(len(self.domains), dtype=torch.float64, device=slope.device)
            per_sequence.index_add_(0, tokens.sequences, slope.double().square())
            for domain, square in zip(self.domains, per_sequence.tolist(), strict=True):
                squares[domain] += square
        norms = {domain: math.sqrt(square) for domain, square in squares.items()}
        total = sum(norms.values())
        return {f"grad_share/{domain}": norm / total if total else 0.0 for domain, norm in norms.items()}


def _cat(parts: Sequence[Tensor | None]) -> Tensor | None:
    """All parts in one, or None where they are absent, as they are everywhere or nowhere."""
    present = [part for part in parts if part is not None]
    return torch.cat(present) if len(present) == len(parts) else None
