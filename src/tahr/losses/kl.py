"""Estimates of the KL divergence of the policy from a reference, one a sampled token.

With ``x = log policy - log reference`` of a token that the policy sampled (Schulman, "Approximating KL Divergence",
2020): ``k1 = x`` and ``k3 = exp(-x) - 1 + x`` have the divergence as their mean, ``k2 = x**2 / 2`` nearly so.

Their gradients are another matter. The mean of k1's gradient is 0, that of k3's belongs to the divergence the other
way round, and only k2's is the gradient of KL(policy || reference) (Tang and Munos 2025, arXiv:2506.09477). So the
value and the gradient are chosen apart: "exact" gives k2's gradient to every estimator.
"""

from __future__ import annotations

import torch
from torch import Tensor

LOG_BOUND = 20.0
"""Log-ratios are cut to this size before they are exponentiated: e**20 is far outside what any clip keeps."""


def kl_estimate(log_ratio: Tensor, estimator: str) -> Tensor:
    """The estimate of each token, in nats; `log_ratio` (M,) is log policy - log reference."""
    if estimator == "k1":
        return log_ratio
    if estimator == "k2":
        return log_ratio.square() / 2
    if estimator == "k3":
        return torch.expm1(-log_ratio.clamp(-LOG_BOUND, LOG_BOUND)) + log_ratio
    raise ValueError(f"unknown KL estimator {estimator!r}")


def kl_penalty(log_ratio: Tensor, *, estimator: str, gradient: str) -> Tensor:
    """As `kl_estimate`, with the gradient of KL(policy || reference) in expectation where `gradient` is "exact"."""
    value = kl_estimate(log_ratio, estimator)
    if gradient == "estimator":
        return value
    right = kl_estimate(log_ratio, "k2")
    return value.detach() + right - right.detach()
