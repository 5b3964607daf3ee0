"""Log-probabilities of chosen tokens without ever holding all logits.

The vocabulary is walked in tiles: each tile's logits are made, reduced and dropped, and made again on the way back.
A tile over all rows (rather than rows over all the vocabulary) writes each row of the weight's gradient once.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tahr.models.linear import matmul_transposed, uses_onednn

TILE_BYTES = 16 * 2**20
"""Logits held at a time; small enough for a last-level cache to keep them between the passes over a tile."""


def _product(x: Tensor, weight: Tensor) -> Tensor:
    """``x @ weight.T`` without gradients."""
    return matmul_transposed(x, weight) if uses_onednn(x) else x @ weight.t()


def _tile_size(num_rows: int, vocabulary: int) -> int:
    columns = TILE_BYTES // (4 * max(num_rows, 1))
    return max(512, min(vocabulary, columns // 64 * 64))


class _HeadLogprobs(torch.autograd.Function):
    """Forward keeps the hidden states and each row's normaliser; backward makes the logits again."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, targets: Tensor, inverse_temperature: float) -> Any:
        num_rows, vocabulary = hidden.shape[0], weight.shape[0]
        maximum = hidden.new_full((num_rows,), -torch.inf, dtype=torch.float32)
        total = torch.zeros_like(maximum)  # sum of exp(logit - maximum)
        moment = torch.zeros_like(maximum)  # sum of exp(logit - maximum) * (logit - maximum)
        chosen = torch.zeros_like(maximum)
        size = _tile_size(num_rows, vocabulary)
        for start in range(0, vocabulary, size):
            logits = _product(hidden, weight[start : start + size]).float().mul_(inverse_temperature)
            inside = (targets >= start) & (targets < start + logits.shape[1])
            local = (targets - start).clamp_(0, logits.shape[1] - 1)
            chosen = torch.where(inside, logits.gather(1, local[:, None]).squeeze(1), chosen)
            higher = torch.maximum(maximum, logits.amax(1))
            shift = maximum - higher
            decay = shift.exp()
            # exp(-inf) is 0 in the first tile, where shift * 0 would be NaN
            moment = torch.where(decay > 0, decay * (moment + shift * total), 0.0)
            total = decay * total
            logits.sub_(higher[:, None])
            weights = logits.exp()
            total += weights.sum(1)
            moment += torch.linalg.vecdot(weights, logits)
            maximum = higher
        normaliser = maximum + total.log()
        entropy = total.log() - moment / total
        ctx.save_for_backward(hidden, weight, targets, normaliser, entropy)
        ctx.inverse_temperature = inverse_temperature
        ctx.set_materialize_grads(False)  # an entropy that the loss doesn't use costs nothing on the way back
        return chosen - normaliser, entropy

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        hidden, weight, targets, normaliser, entropy = ctx.saved_tensors
        scaled = [None if grad is None else grad.float() * ctx.inverse_temperature for grad in grads]
        grad = torch.zeros_like(normaliser) if scaled[0] is None else scaled[0]
        grad_entropy = scaled[1]
        num_rows, vocabulary = hidden.shape[0], weight.shape[0]
        grad_hidden = torch.zeros_like(hidden)
        grad_weight = torch.empty_like(weight) if ctx.needs_input_grad[1] else None
        size = _tile_size(num_rows, vocabulary)
        for start in range(0, vocabulary, size):
            tile = weight[start : start + size]
            slope = _product(hidden, tile).float().mul_(ctx.inverse_temperature)
            slope.sub_(normaliser[:, None])  # log-probabilities of the tile
            of_entropy = None if grad_entropy is None else _entropy_slope(slope, entropy, grad_entropy)
            slope.exp_().mul_(grad[:, None]).neg_()
            rows = ((targets >= start) & (targets < start + tile.shape[0])).nonzero().flatten()
            slope[rows, targets[rows] - start] += grad[rows]
            if of_entropy is not None:
                slope += of_entropy
            slope = slope.to(hidden.dtype)
            grad_hidden += _product(slope, tile.t())
            if grad_weight is not None:
                grad_weight[start : start + size] = _product(slope.t(), hidden.t())
        return grad_hidden, grad_weight, None, None


def _entropy_slope(logprobs: Tensor, entropy: Tensor, grad: Tensor) -> Tensor:
    """Gradient of the entropies with respect to a tile of logits: ``-p (log p + H)`` each."""
    return -grad[:, None] * logprobs.exp() * (logprobs + entropy[:, None])


def head_logprobs(hidden: Tensor, weight: Tensor, targets: Tensor, *, temperature: float) -> tuple[Tensor, Tensor]:
    """Log-probability of each row's target and entropy of each row's distribution, in nats, both (M,) fp32.

    `hidden` (M, hidden), `weight` (vocabulary, hidden), `targets` (M,) int64; logits are divided by `temperature`
    before the softmax, as the sampler does. Both carry gradients.
    """
    if hidden.shape[0] == 0:
        empty = hidden.new_zeros(0, dtype=torch.float32)
        return empty + hidden.sum(), empty
    return _HeadLogprobs.apply(hidden, weight, targets, 1.0 / temperature)
