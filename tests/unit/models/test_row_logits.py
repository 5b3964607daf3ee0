"""Rows a few at a time give what all at once give, gradients too."""

from __future__ import annotations

import pytest
import torch

from small_models import small_model
from tahr.losses.distillation import token_divergence
from tahr.losses.distillation_config import DistillationLossConfig
from tahr.models.logprobs import PolicyLogprobs
from tahr.models.packing import pack_blocks
from tahr.models.row_logits import RowLogits, by_rows

M, V = 11, 40


def tensors():
    torch.manual_seed(1)
    make = [torch.randn(M, 6), torch.randn(V, 6), torch.randn(M, 8), torch.randn(V + 3, 8)]
    return [one.double().requires_grad_(place < 2) for place, one in enumerate(make)]


def reduce(student, teacher, targets):
    divergence = token_divergence(student, teacher, DistillationLossConfig())
    return divergence, student.detach().gather(1, targets[:, None]).squeeze(1)


@pytest.mark.parametrize("rows", [1, 4, 100])
def test_chunks_change_nothing(rows):
    hidden, weight, teacher_hidden, teacher_weight = tensors()
    targets, weights = torch.arange(M), torch.linspace(0.1, 1, M)
    found, chosen = by_rows(
        RowLogits(values=hidden, weight=weight),
        RowLogits(values=teacher_hidden, weight=teacher_weight),
        reduce,
        targets,
        temperature=1.5,
        chunk_bytes=4 * V * rows,
    )
    gradients = torch.autograd.grad((weights * found).sum(), (hidden, weight))
    student = (hidden @ weight.t() / 1.5).float().log_softmax(-1)
    # the teacher's matrix is padded to three more tokens, which don't count
    teacher = (teacher_hidden @ teacher_weight[:V].t() / 1.5).float().log_softmax(-1)
    dense = token_divergence(student, teacher, DistillationLossConfig())
    expected = torch.autograd.grad((weights * dense).sum(), (hidden, weight))
    assert torch.allclose(found, dense, atol=1e-5)
    assert torch.allclose(chosen, student[torch.arange(M), targets], atol=1e-5)
    for left, right in zip(gradients, expected, strict=True):
        assert torch.allclose(left, right, atol=1e-5)


def test_no_more_rows_exist_at_once_than_asked_for():
    hidden, weight, teacher_hidden, teacher_weight = tensors()
    seen = []

    def counting(student, teacher, targets):
        seen.append(student.shape)
        return (student.exp().sum(-1),)

    found = by_rows(
        RowLogits(values=hidden, weight=weight),
        RowLogits(values=teacher_hidden, weight=teacher_weight),
        counting,
        torch.arange(M),
        temperature=1.0,
        chunk_bytes=4 * V * 4,
    )
    assert [tuple(shape) for shape in seen] == [(4, V), (4, V), (3, V)]
    found[0].sum().backward()
    assert len(seen) == 6  # made again on the way back


def test_both_paths_through_a_model_give_the_same_logits():
    model = small_model("llama")
    tokens, rows = pack_blocks([((5, 6, 7), [(8, 9), (10, 11, 12)])]), torch.tensor([2, 3, 6])
    fast = PolicyLogprobs(model).row_logits(tokens, rows)
    exact = PolicyLogprobs(model, exact=True).row_logits(tokens, rows)
    assert fast.weight is not None
    assert exact.weight is None
    assert torch.allclose(fast.values @ fast.weight.t(), exact.values, atol=1e-4)
    assert fast.vocabulary == exact.vocabulary == 96
