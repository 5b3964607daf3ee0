"""The clipped loss, value and gradient, on literal (ratio, advantage) pairs."""

from __future__ import annotations

import math

import pytest
import torch

from tahr.losses.aggregation import token_weights
from tahr.losses.config import PolicyLossConfig
from tahr.losses.policy import PolicyTokens, policy_loss, policy_sums
from tahr.losses.supervised import supervised_loss


def tokens(ratios, advantages, weights):
    policy = torch.tensor([math.log(ratio) for ratio in ratios], dtype=torch.float64, requires_grad=True)
    return policy, PolicyTokens(
        policy_logprobs=policy,
        sampler_logprobs=torch.zeros(len(ratios), dtype=torch.float64),
        advantages=torch.tensor(advantages, dtype=torch.float64),
        weights=torch.tensor(weights, dtype=torch.float64),
    )


# ratio, advantage, loss, gradient with respect to the log-probability; clipped at 0.8 and 1.3
TABLE = [
    (1.0, 2.0, -2.0, -2.0),
    (1.2, 2.0, -2.4, -2.4),
    (1.5, 2.0, -2.6, 0.0),  # clipped above: no gradient
    (0.5, 2.0, -1.0, -1.0),  # below the range, but the gain may still climb
    (1.5, -2.0, 3.0, 3.0),  # above the range, and the loss must still fall
    (0.5, -2.0, 1.6, 0.0),  # clipped below: no gradient
    (1.0, 0.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("ratio", "advantage", "loss", "gradient"), TABLE)
def test_value_and_gradient(ratio, advantage, loss, gradient):
    policy, given = tokens([ratio], [advantage], [1.0])
    got = policy_loss(given, PolicyLossConfig(clip_low=0.2, clip_high=0.3))
    got.backward()
    assert float(got.detach()) == pytest.approx(loss)
    assert float(policy.grad) == pytest.approx(gradient)


def test_the_loss_is_the_weighted_sum():
    policy, given = tokens([1.0, 1.0], [1.0, -3.0], [0.25, 0.5])
    loss = policy_loss(given, PolicyLossConfig())
    loss.backward()
    assert float(loss.detach()) == pytest.approx(-(0.25 * 1.0 + 0.5 * -3.0))
    assert policy.grad.tolist() == pytest.approx([-0.25, 1.5])


def test_sums_for_metrics():
    _, given = tokens([1.0, 1.5, 0.5, 1.5], [1.0, 1.0, -1.0, -1.0], [1.0] * 4)
    sums = policy_sums(given, PolicyLossConfig(clip_low=0.2, clip_high=0.3))
    assert sums["clipfrac_high"] == 1
    assert sums["clipfrac_low"] == 1
    assert sums["ratio_mean"] == pytest.approx(4.5)
    assert sums["ratio_max"] == pytest.approx(1.5)
    # r - 1 - log r: 0, 0.0945349, 0.1931472, 0.0945349
    assert sums["approx_kl"] == pytest.approx(0.3822170)


def test_weights_of_lengths_10_and_100():
    """N1: the token mean is over 110 tokens, the per-sequence form has a name of its own."""
    assert token_weights([10, 100], "token_mean", max_new_tokens=128) == [1 / 110, 1 / 110]
    assert token_weights([10, 100], "sequence_mean", max_new_tokens=128) == [1 / 20, 1 / 200]


def test_the_constant_divisor_depends_on_no_length():
    """N17: Dr.GRPO divides by sequences x the token budget, not by the padded length."""
    assert token_weights([10, 100], "constant", max_new_tokens=128) == [1 / 256, 1 / 256]
    assert token_weights([1, 2], "constant", max_new_tokens=128) == [1 / 256, 1 / 256]


def test_a_sequence_without_loss_tokens_is_in_no_denominator():
    """N3."""
    assert token_weights([4, 0], "sequence_mean", max_new_tokens=8) == [0.25, 0.0]
    assert token_weights([4, 0], "constant", max_new_tokens=8)[0] == 1 / 8
    assert token_weights([0, 0], "token_mean", max_new_tokens=8) == [0.0, 0.0]


def test_the_supervised_loss_is_the_weighted_negative_log_likelihood():
    logprobs = torch.tensor([-1.0, -2.0], requires_grad=True)
    loss = supervised_loss(logprobs, torch.tensor([0.5, 0.25]))
    loss.backward()
    assert float(loss.detach()) == 1.0
    assert logprobs.grad.tolist() == [-0.5, -0.25]
