"""The supervised loss: a weighted sum of negative log-likelihoods."""

from __future__ import annotations

from torch import Tensor


def supervised_loss(logprobs: Tensor, weights: Tensor) -> Tensor:
    """``-sum(weight * logprob)`` over M target tokens, both (M,); a scalar with gradient."""
    return -(weights * logprobs).sum()
