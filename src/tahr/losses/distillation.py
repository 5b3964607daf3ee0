"""Divergences of a student from its teacher at one position: exact over the vocabulary, or of the sampled token.

On-policy distillation (GKD, Agarwal et al. 2023, arXiv:2306.13649; MiniLLM, Gu et al. 2023, arXiv:2306.08543) takes
them where the student's own samples lead; no gradient flows through what was sampled.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tahr.losses.distillation_config import DistillationLossConfig
from tahr.losses.kl import kl_penalty


def kl_divergence(left_logprobs: Tensor, right_logprobs: Tensor) -> Tensor:
    """KL(left || right) in nats, (M,), of two (M, V) log-distributions; what `left` rules out counts 0."""
    ratio = left_logprobs - right_logprobs
    return torch.where(left_logprobs > -torch.inf, left_logprobs.exp() * ratio, 0.0).sum(-1)


def token_divergence(student_logprobs: Tensor, teacher_logprobs: Tensor, config: DistillationLossConfig) -> Tensor:
    """The configured divergence of each row, (M,) in nats, from log-distributions (M, V); gradients to both.

    ``jsd`` is ``beta KL(teacher || mixture) + (1 - beta) KL(student || mixture)`` with the mixture ``beta teacher +
    (1 - beta) student`` (Agarwal et al. 2023, eq. 1).
    """
    if config.divergence == "reverse_kl":
        return kl_divergence(student_logprobs, teacher_logprobs)
    if config.divergence == "forward_kl":
        return kl_divergence(teacher_logprobs, student_logprobs)
    beta = config.beta
    mixture = torch.logaddexp(teacher_logprobs + math.log(beta), student_logprobs + math.log1p(-beta))
    of_teacher, of_student = kl_divergence(teacher_logprobs, mixture), kl_divergence(student_logprobs, mixture)
    return beta * of_teacher + (1 - beta) * of_student


def sampled_divergence(student_logprobs: Tensor, teacher_logprobs: Tensor) -> Tensor:
    """The estimate of KL(student || teacher) from tokens that the student sampled, all (M,).

    Its value is the log-ratio, its gradient that of the divergence in expectation: a policy gradient with the negative
    log-ratio as each token's own advantage.
    """
    return kl_penalty(student_logprobs - teacher_logprobs, estimator="k1", gradient="exact")
