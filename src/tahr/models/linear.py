"""Matrix products at the machine's own rate.

PyTorch sends fp32 products on a CPU to MKL, which holds back on processors that are not Intel's; oneDNN, in the same
wheel, does not (on an AMD EPYC 9005 it is 2.3 times as fast). `linear` goes through oneDNN, forward and backward,
wherever it is built in, and through `torch.nn.functional.linear` elsewhere (GPUs, macOS, other types).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

HAS_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def uses_onednn(tensor: Tensor) -> bool:
    """Whether products with `tensor` go through oneDNN."""
    return HAS_ONEDNN and tensor.device.type == "cpu" and tensor.dtype == torch.float32


def matmul_transposed(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x @ weight.T + bias`` without autograd; `x` is (N, K), `weight` (M, K), both of any strides."""
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


class _OneDnnLinear(torch.autograd.Function):
    """``x @ weight.T + bias`` whose three products all go through oneDNN."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        return matmul_transposed(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (grad,) = grads
        x, weight = ctx.saved_tensors
        needs_x, needs_weight, needs_bias = ctx.needs_input_grad
        grad_x = matmul_transposed(grad, weight.t()) if needs_x else None
        grad_weight = matmul_transposed(grad.t(), x.t()) if needs_weight else None
        grad_bias = grad.sum(0) if ctx.has_bias and needs_bias else None
        return grad_x, grad_weight, grad_bias


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x @ weight.T + bias`` with gradients; `x` is (N, K), `weight` (M, K), `bias` (M,); returns (N, M)."""
    if not uses_onednn(x) or x.shape[0] == 0:
        return functional.linear(x, weight, bias)
    return _OneDnnLinear.apply(x, weight, bias)


class PackedLinear:
    """A weight copied into oneDNN's blocked layout for products with about `num_rows` rows; no gradients.

    Elsewhere than on an fp32 CPU it holds the weight as it is, so that nothing is copied. `silu`, `times` and `plus`
    are applied while the product is still in registers where oneDNN makes it.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, *, num_rows: int) -> None:
        self._packed = uses_onednn(weight)
        source = weight.detach()
        self._weight = torch.ops.mkldnn._reorder_linear_weight(source, num_rows) if self._packed else source
        self._bias = None if bias is None else bias.detach()

    def __call__(self, x: Tensor) -> Tensor:
        """``x @ weight.T + bias`` for `x` (N, K)."""
        if self._packed:
            return torch.ops.mkldnn._linear_pointwise(x, self._weight, self._bias, "none", [], "")
        return functional.linear(x, self._weight, self._bias)

    def silu(self, x: Tensor) -> Tensor:
        """``silu(x @ weight.T + bias)``."""
        if self._packed:
            return torch.ops.mkldnn._linear_pointwise(x, self._weight, self._bias, "swish", [], "")
        return functional.silu(functional.linear(x, self._weight, self._bias))

    def times(self, x: Tensor, factor: Tensor) -> Tensor:
        """``(x @ weight.T + bias) * factor`` for `factor` (N, M)."""
        if self._packed:
            return torch.ops.mkldnn._linear_pointwise(x, factor, self._weight, self._bias, "mul")
        return functional.linear(x, self._weight, self._bias) * factor

    def plus(self, x: Tensor, term: Tensor) -> Tensor:
        """``x @ weight.T + bias + term`` for `term` (N, M)."""
        if self._packed:
            return torch.ops.mkldnn._linear_pointwise(x, term, self._weight, self._bias, "add")
        return functional.linear(x, self._weight, self._bias) + term
