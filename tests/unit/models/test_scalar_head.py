"""Scores and values in full precision, whatever the weights' type."""

import pytest
import torch

from tahr.models.scalar_head import scalar_head


def test_one_number_for_each_row():
    hidden = torch.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
    weight, bias = torch.tensor([[3.0, -1.0]], requires_grad=True), torch.tensor([0.25], requires_grad=True)
    found = scalar_head(hidden, weight, bias)
    assert found.tolist() == [1.25, 2.75]
    assert scalar_head(hidden, weight).tolist() == [1.0, 2.5]
    found.sum().backward()
    assert hidden.grad is not None and hidden.grad.tolist() == [[3.0, -1.0], [3.0, -1.0]]
    assert weight.grad is not None and weight.grad.tolist() == [[1.5, 1.0]]
    assert bias.grad is not None and bias.grad.tolist() == [2.0]


def test_bfloat16_weights_give_numbers_that_bfloat16_could_not_tell_apart():
    hidden = torch.tensor([[1.0, 1.0], [1.0, 1.0078125]], dtype=torch.bfloat16)
    weight = torch.tensor([[8.0, 0.125]], dtype=torch.bfloat16)
    found = scalar_head(hidden, weight)
    assert found.dtype == torch.float32
    assert found.tolist() == pytest.approx([8.125, 8.1259765625], abs=1e-7)
