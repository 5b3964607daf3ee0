"""Divergences worked out by hand: the student chooses with (3/4, 1/4), its teacher with (1/2, 1/2)."""

from __future__ import annotations

import math

import pytest
import torch

from tahr.losses.distillation import kl_divergence, sampled_divergence, token_divergence
from tahr.losses.distillation_config import DistillationLossConfig

STUDENT = torch.tensor([[0.75, 0.25]], dtype=torch.float64).log()
TEACHER = torch.tensor([[0.5, 0.5]], dtype=torch.float64).log()

VALUES = {
    # 3/4 ln 3/2 + 1/4 ln 1/2
    "reverse_kl": ({"divergence": "reverse_kl"}, 0.1308120359),
    # 1/2 ln 2/3 + 1/2 ln 2
    "forward_kl": ({"divergence": "forward_kl"}, 0.1438410362),
    # the mixture is (5/8, 3/8): half of 1/2 ln 16/15, half of 3/4 ln 6/5 + 1/4 ln 2/3
    "jsd": ({"divergence": "jsd"}, 0.0338220756),
    # the mixture is (11/16, 5/16): 1/4 of 0.0757749491, 3/4 of 0.0094726449
    "jsd_quarter": ({"divergence": "jsd", "beta": 0.25}, 0.0260482209),
}


@pytest.mark.parametrize("name", VALUES)
def test_divergences(name):
    settings, expected = VALUES[name]
    found = token_divergence(STUDENT, TEACHER, DistillationLossConfig(**settings))
    assert found.tolist() == pytest.approx([expected], abs=1e-9)
    assert token_divergence(TEACHER, TEACHER, DistillationLossConfig(**settings)).tolist() == pytest.approx([0.0])


def test_the_ends_of_jsd_are_the_two_kls():
    """Over beta towards 0 it is KL(teacher || student), over 1 - beta towards 1 the other way."""
    low = token_divergence(STUDENT, TEACHER, DistillationLossConfig(divergence="jsd", beta=1e-6)) / 1e-6
    high = token_divergence(STUDENT, TEACHER, DistillationLossConfig(divergence="jsd", beta=1 - 1e-6)) / 1e-6
    assert float(low) == pytest.approx(0.1438410362, rel=1e-4)
    assert float(high) == pytest.approx(0.1308120359, rel=1e-4)


def test_the_gradient_of_the_reverse_kl_with_respect_to_the_logits():
    logits = STUDENT.clone().requires_grad_(True)
    token_divergence(logits.log_softmax(-1), TEACHER, DistillationLossConfig()).sum().backward()
    # p (ln p/q - KL): 3/4 (0.4054651081 - 0.1308120359), and its negative
    assert logits.grad is not None
    assert logits.grad[0].tolist() == pytest.approx([0.2059898042, -0.2059898042], abs=1e-9)


def test_a_sampled_token():
    own = torch.tensor([-1.0], requires_grad=True)
    found = sampled_divergence(own, torch.tensor([-3.0]))
    found.sum().backward()
    assert found.tolist() == [2.0]
    assert own.grad is not None
    assert own.grad.tolist() == [2.0]


def test_the_sampled_estimate_has_the_exact_gradient_in_expectation():
    logits = torch.tensor([[0.3, -1.0, 2.0, 0.1]], dtype=torch.float64, requires_grad=True)
    teacher = torch.tensor([[1.0, 0.2, -0.5, 0.0]], dtype=torch.float64).log_softmax(-1)
    student = logits.log_softmax(-1)
    (exact,) = torch.autograd.grad(token_divergence(student, teacher, DistillationLossConfig()).sum(), logits)
    student = logits.log_softmax(-1)
    mean = (student.detach().exp() * sampled_divergence(student, teacher)).sum()
    (estimated,) = torch.autograd.grad(mean, logits)
    assert torch.allclose(exact, estimated, atol=1e-12)
    assert float(mean.detach()) == pytest.approx(float(kl_divergence(student, teacher).detach()))


def test_what_the_student_rules_out_counts_nothing():
    student = torch.tensor([[0.0, -math.inf]])
    assert kl_divergence(student, TEACHER.float()).tolist() == pytest.approx([math.log(2)])


@pytest.mark.parametrize("name", VALUES)
def test_gradients_are_right_on_random_distributions(name):
    torch.manual_seed(0)
    config = DistillationLossConfig(**VALUES[name][0])
    teacher = torch.randn(3, 5, dtype=torch.float64).log_softmax(-1)
    logits = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda z: token_divergence(z.log_softmax(-1), teacher, config), (logits,))
