"""Losses of pairs of answers, one of them preferred; each is a function of P pairs' log-probabilities.

`ratio` stands for log(policy / reference) of a whole answer, in nats; `mean` for the mean log-probability of its
tokens. Every loss gives one value a pair, (P,): a step's loss is their weighted sum, so that it is the same however a
step is cut, as long as no pair is. KTO's baseline is of a whole step and handed in.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from tahr.losses.preference_config import PreferenceLossConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLogprobs:
    """Log-probabilities of P pairs of answers, summed over an answer's tokens, in nats, and the numbers of tokens.

    Each (P,). `policy_*` carry the gradient. Losses without a reference never read `reference_*`.

    Example: ``PairLogprobs(policy_chosen=tensor([-9.0]), policy_rejected=tensor([-14.0]),
    reference_chosen=tensor([-10.0]), reference_rejected=tensor([-12.0]), chosen_lengths=tensor([3.0]),
    rejected_lengths=tensor([7.0]))``
    """

    policy_chosen: Tensor
    policy_rejected: Tensor
    reference_chosen: Tensor
    reference_rejected: Tensor
    chosen_lengths: Tensor
    rejected_lengths: Tensor

    @property
    def chosen_ratio(self) -> Tensor:
        """log(policy / reference) of the chosen answers."""
        return self.policy_chosen - self.reference_chosen

    @property
    def rejected_ratio(self) -> Tensor:
        """log(policy / reference) of the rejected answers."""
        return self.policy_rejected - self.reference_rejected

    @property
    def chosen_mean(self) -> Tensor:
        """Mean log-probability of the chosen answers' tokens."""
        return self.policy_chosen / self.chosen_lengths

    @property
    def rejected_mean(self) -> Tensor:
        """Mean log-probability of the rejected answers' tokens."""
        return self.policy_rejected / self.rejected_lengths


def dpo_loss(chosen_ratio: Tensor, rejected_ratio: Tensor, *, beta: float, label_smoothing: float = 0.0) -> Tensor:
    """``-log sigmoid(beta * (c - r))``, Rafailov et al. 2023, "Direct Preference Optimization", equation 7.

    With ratios averaged over tokens it is the length-normalised form (Lambert et al. 2024, "Tulu 3", section 5.1). With
    `label_smoothing` e it is conservative DPO: ``(1 - e) * loss(c, r) + e * loss(r, c)`` (Mitchell 2023, "A note on DPO
    with noisy preferences").
    """
    gap = beta * (chosen_ratio - rejected_ratio)
    if not label_smoothing:
        return -logsigmoid(gap)
    return -(1 - label_smoothing) * logsigmoid(gap) - label_smoothing * logsigmoid(-gap)


def ipo_loss(chosen_ratio: Tensor, rejected_ratio: Tensor, *, beta: float) -> Tensor:
    """``(c - r - 1 / (2 * beta))**2``, Azar et al. 2023, "A General Theoretical Paradigm", equation 17.

    The ratios are averaged over an answer's tokens, as TRL reports from its authors; of sums, the same
    gap would be asked of short answers and of long ones.
    """
    return (chosen_ratio - rejected_ratio - 1 / (2 * beta)).square()


def simpo_loss(chosen_mean: Tensor, rejected_mean: Tensor, *, beta: float, gamma: float) -> Tensor:
    """``-log sigmoid(beta * (c - r) - gamma)`` of mean log-probabilities, without a reference.

    Meng et al. 2024, "SimPO", equation 6. `gamma` is the margin itself, not its ratio to `beta`.
    """
    return -logsigmoid(beta * (chosen_mean - rejected_mean) - gamma)


def kto_loss(
    chosen_ratio: Tensor,
    rejected_ratio: Tensor,
    baseline: Tensor,
    *,
    beta: float,
    desirable_weight: float = 1.0,
    undesirable_weight: float = 1.0,
) -> Tensor:
    """Each answer judged alone against `baseline`, a scalar; the mean of the pair's two losses.

    ``w * (1 - sigmoid(beta * (c - baseline)))`` and ``w * (1 - sigmoid(beta * (baseline - r)))``: Ethayarajh et al.
    2024, "KTO", equation 8. No gradient goes through the baseline (`kto_baseline`).
    """
    baseline = baseline.detach()
    chosen = desirable_weight * torch.sigmoid(-beta * (chosen_ratio - baseline))
    rejected = undesirable_weight * torch.sigmoid(-beta * (baseline - rejected_ratio))
    return (chosen + rejected) / 2


def kto_baseline(policy: Tensor, reference: Tensor) -> Tensor:
    """The policy's divergence from the reference, never below 0, from answers under prompts that they don't answer.

    Both (K,), log-probabilities of whole answers; Ethayarajh et al. 2024, section 4.1.
    """
    return (policy - reference).detach().mean().clamp(min=0)


def orpo_loss(chosen_mean: Tensor, rejected_mean: Tensor, *, beta: float) -> Tensor:
    """``-beta * log sigmoid(log odds(chosen) - log odds(rejected))``, Hong et al. 2024, "ORPO", equation 7.

    odds = p / (1 - p), with log p the mean log-probability of an answer's tokens. The paper's loss has the supervised
    one added (`preference_losses`), and calls `beta` lambda.
    """
    gap = _log_odds(chosen_mean) - _log_odds(rejected_mean)
    return -beta * logsigmoid(gap)


def _log_odds(mean: Tensor) -> Tensor:
    """log p - log(1 - p); a policy that is certain, p = 1, has finite odds all the same."""
    return mean - torch.log(-torch.expm1(mean.clamp(max=-torch.finfo(mean.dtype).eps)))


def preference_losses(pairs: PairLogprobs, config: PreferenceLossConfig, baseline: Tensor | None = None) -> Tensor:
    """The configured loss of each pair, (P,), the supervised part included: ``sft_weight * -mean(chosen)``.

    `baseline` is KTO's, and None with any other loss. A supervised part beside a preference loss: Pang et al. 2024,
    "Iterative Reasoning Preference Optimization", equation 3, with the same length normalisation.
    """
    losses = _compare(pairs, config, baseline)
    share = config.supervised_share
    return losses - share * pairs.chosen_mean if share else losses


def _compare(pairs: PairLogprobs, config: PreferenceLossConfig, baseline: Tensor | None) -> Tensor:
    beta, chosen, rejected = config.strength, pairs.chosen_ratio, pairs.rejected_ratio
    match config.name:
        case "dpo":
            return dpo_loss(chosen, rejected, beta=beta)
        case "cdpo":
            return dpo_loss(chosen, rejected, beta=beta, label_smoothing=config.label_smoothing)
        case "dpo_norm":
            return dpo_loss(chosen / pairs.chosen_lengths, rejected / pairs.rejected_lengths, beta=beta)
        case "ipo":
            return ipo_loss(chosen / pairs.chosen_lengths, rejected / pairs.rejected_lengths, beta=beta)
        case "simpo":
            return simpo_loss(pairs.chosen_mean, pairs.rejected_mean, beta=beta, gamma=config.gamma)
        case "orpo":
            return orpo_loss(pairs.chosen_mean, pairs.rejected_mean, beta=beta)
        case "kto":
            if baseline is None:
                raise ValueError("kto needs its baseline")
            return kto_loss(
                chosen,
                rejected,
                baseline,
                beta=beta,
                desirable_weight=config.desirable_weight,
                undesirable_weight=config.undesirable_weight,
            )


def implicit_rewards(pairs: PairLogprobs, config: PreferenceLossConfig) -> tuple[Tensor, Tensor]:
    """What the loss takes each answer to be worth, chosen and rejected, both (P,) and without gradient."""
    if not config.needs_reference:
        chosen, rejected = pairs.chosen_mean, pairs.rejected_mean
    elif config.name in ("dpo_norm", "ipo"):
        chosen, rejected = pairs.chosen_ratio / pairs.chosen_lengths, pairs.rejected_ratio / pairs.rejected_lengths
    else:
        chosen, rejected = pairs.chosen_ratio, pairs.rejected_ratio
    return config.strength * chosen.detach(), config.strength * rejected.detach()
