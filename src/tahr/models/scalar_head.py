"""One number for a hidden state: the score of a reward model, the value of a critic."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional


def scalar_head(hidden: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Numbers (M,) of hidden states (M, H) by one row of weights (1, H), fp32 with gradient.

    Computed in fp32 whatever the types: bfloat16 keeps three digits, and scores and values are told apart by less.
    """
    return functional.linear(hidden.float(), weight.float(), None if bias is None else bias.float()).squeeze(1)
