"""The elementwise parts of a decoder layer, each with a hand-written gradient that keeps little memory.

Left to autograd, a layer of these keeps about twice as many activations as the matrix products need.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional


class _RmsNorm(torch.autograd.Function):
    """Keeps `x` (which the residual stream holds anyway) and one number a row."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
        wide = x.float()
        inverse = torch.linalg.vector_norm(wide, dim=-1, keepdim=True)
        inverse = inverse.square_().mul_(1.0 / x.shape[-1]).add_(epsilon).rsqrt_()
        ctx.save_for_backward(x, weight, inverse)
        return (wide * inverse).to(x.dtype) * weight

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (grad,) = grads
        x, weight, inverse = ctx.saved_tensors
        normed = x.float() * inverse
        scaled = (grad * weight).float()
        inner = (scaled * normed).mean(-1, keepdim=True)
        grad_weight = None
        if ctx.needs_input_grad[1]:
            grad_weight = (grad.float() * normed).sum(tuple(range(x.dim() - 1))).to(weight.dtype)
        grad_x = scaled.addcmul_(normed, inner, value=-1.0).mul_(inverse).to(x.dtype)
        return grad_x, grad_weight, None


def rms_norm(x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    """Root-mean-square norm over the last axis (Zhang and Sennrich 2019), computed in fp32; shape of `x`."""
    return _RmsNorm.apply(x, weight, epsilon)


class _SwiGlu(torch.autograd.Function):
    """Keeps the two inputs and recomputes the gate."""

    @staticmethod
    def forward(ctx: Any, gate: Tensor, up: Tensor) -> Tensor:
        ctx.save_for_backward(gate, up)
        return functional.silu(gate).mul_(up)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (grad,) = grads
        gate, up = ctx.saved_tensors
        sigmoid = torch.sigmoid(gate)
        silu = gate * sigmoid
        grad_up = grad * silu
        # d silu = sigmoid * (1 + gate * (1 - sigmoid)) = sigmoid + silu * (1 - sigmoid)
        slope = sigmoid.add_(silu.mul_(1.0 - sigmoid))
        return slope.mul_(grad).mul_(up), grad_up


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """``silu(gate) * up`` (Shazeer 2020); all of one shape."""
    return _SwiGlu.apply(gate, up)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions (Su et al. 2021), no gradient: `x` (N, heads, D), `cos` and `sin` (N, 1, D/2)."""
    first, second = x.chunk(2, dim=-1)
    rotated = torch.empty_like(x)
    half = first.shape[-1]
    torch.mul(first, cos, out=rotated[..., :half]).addcmul_(second, sin, value=-1.0)
    torch.mul(second, cos, out=rotated[..., half:]).addcmul_(first, sin)
    return rotated


class _Rotary(torch.autograd.Function):
    """A rotation: its gradient is the rotation backwards."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        ctx.save_for_backward(cos, sin)
        return rotate(x, cos, sin)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        cos, sin = ctx.saved_tensors
        return rotate(grads[0], cos, -sin), None, None


def rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """`rotate` with a gradient for `x`."""
    return _Rotary.apply(x, cos, sin)


class _Take(torch.autograd.Function):
    """Rows by index whose gradient is a copy of rows, never a scatter-add."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Tensor, inverse: Tensor | None) -> Tensor:
        ctx.save_for_backward(rows, inverse)
        ctx.num_rows = x.shape[0]
        return x.index_select(0, rows)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (grad,) = grads
        rows, inverse = ctx.saved_tensors
        if inverse is not None:
            return grad.index_select(0, inverse), None, None
        return grad.new_zeros(ctx.num_rows, *grad.shape[1:]).index_copy_(0, rows, grad), None, None


def take_rows(x: Tensor, rows: Tensor, inverse: Tensor | None = None) -> Tensor:
    """``x[rows]`` for `x` (N, ...); `rows` must be distinct unless `inverse` is given.

    With `inverse` (N,), row i of x stands at ``inverse[i]`` of the result and only that place's gradient reaches it:
    the other repeats are padding, whose gradient is 0.
    """
    return _Take.apply(x, rows, inverse)
