"""The policy loss around its surrogate, on literal numbers: weights, gates, corrections, entropy, metrics."""

from __future__ import annotations

import math

import pytest
import torch

from tahr.losses.config import PolicyLossConfig
from tahr.losses.diagnostics import policy_metrics
from tahr.losses.policy import PolicyTokens, correction_weights, policy_loss
from tahr.losses.supervised import supervised_loss


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def tokens(ratios, advantages, weights, **more):
    """Tokens of one sequence whose sampler gave them probability 1, and the policy `ratios`."""
    policy = tensor([math.log(ratio) for ratio in ratios]).requires_grad_()
    return policy, PolicyTokens(
        policy_logprobs=policy,
        sampler_logprobs=tensor([0.0] * len(ratios)),
        advantages=tensor(advantages),
        weights=tensor(weights),
        sequences=more.pop("sequences", torch.zeros(len(ratios), dtype=torch.int64)),
        **more,
    )


def value_and_gradient(policy, given, **settings):
    loss = policy_loss(given, PolicyLossConfig.model_validate(settings))
    loss.backward()
    return float(loss.detach()), policy.grad.tolist()


def test_the_loss_is_the_weighted_sum():
    loss, gradient = value_and_gradient(*tokens([1.0, 1.0], [1.0, -3.0], [0.25, 0.5]))
    assert loss == pytest.approx(-(0.25 * 1.0 + 0.5 * -3.0))
    assert gradient == pytest.approx([-0.25, 1.5])


@pytest.mark.parametrize("surrogate", ["clip", "cispo", "sapo", "gmpo", "dppo", "ratio", "logprob"])
def test_at_a_ratio_of_one_every_surrogate_is_the_plain_policy_gradient(surrogate):
    _, gradient = value_and_gradient(*tokens([1.0, 1.0], [2.0, 2.0], [0.5, 0.5]), surrogate=surrogate)
    assert gradient == pytest.approx([-1.0, -1.0])


def test_a_gate_takes_the_gain_and_leaves_the_penalties():
    gate = torch.tensor([True, False])
    given = tokens([1.0, 1.0], [2.0, 2.0], [0.5, 0.5], gate=gate, reference_logprobs=tensor([-1.0, -1.0]))
    loss, gradient = value_and_gradient(*given, kl={"coefficient": 0.1, "estimator": "k2"})
    # k2 of a log-ratio of 1 is 0.5, its slope 1
    assert loss == pytest.approx(-1.0 + 0.1 * 0.5)
    assert gradient == pytest.approx([-1.0 + 0.05, 0.05])


def test_held_tokens_pay_for_leaving_the_proximal_policy():
    given = tokens([2.0, 2.0], [0.0, 0.0], [1.0, 1.0], held=torch.tensor([True, False]))
    loss, gradient = value_and_gradient(*given, covariance={"form": "kl", "coefficient": 0.5})
    # 0.5 (r - 1 - log r) at r = 2; its slope in log r is 0.5 (r - 1)
    assert loss == pytest.approx(0.5 * 0.3068528)
    assert gradient == pytest.approx([0.5, 0.0])


def test_the_entropy_bonus_is_taken_off_and_has_a_gradient():
    entropies = tensor([1.0, 2.0]).requires_grad_()
    _, given = tokens([1.0, 1.0], [0.0, 0.0], [0.25, 0.5], entropies=entropies)
    loss = policy_loss(given, PolicyLossConfig.model_validate({"entropy": {"bonus": 0.1}}))
    loss.backward()
    assert float(loss.detach()) == pytest.approx(-0.1 * (0.25 + 1.0))
    assert entropies.grad is not None
    assert entropies.grad.tolist() == pytest.approx([-0.025, -0.05])


# proximal over sampler 2.0 and 0.4 in one sequence (product 0.8, root 0.8944272), 3.0 in another
CORRECTIONS = [
    ("truncate", "token", [1.5, 0.4, 1.5]),
    ("clamp", "token", [1.5, 0.5, 1.5]),
    ("mask", "token", [0.0, 0.0, 0.0]),
    ("truncate", "sequence", [0.8, 0.8, 1.5]),
    ("mask", "sequence", [0.8, 0.8, 0.0]),
    ("clamp", "geometric", [0.8944272, 0.8944272, 1.5]),
]


@pytest.mark.parametrize(("form", "level", "weights"), CORRECTIONS)
def test_correction_weights(form, level, weights):
    proximal = tensor([math.log(2.0), math.log(0.4), math.log(3.0)])
    settings = {"form": form, "level": level, "low": 0.5, "high": 1.5}
    config = PolicyLossConfig.model_validate({"proximal": "recomputed", "correction": settings})
    _, given = tokens(
        [2.0, 0.4, 3.0], [1.0] * 3, [1.0] * 3, proximal_logprobs=proximal, sequences=torch.tensor([0, 0, 1])
    )
    assert correction_weights(given, config.correction).tolist() == pytest.approx(weights)
    policy = given.policy_logprobs
    policy_loss(given, config).backward()
    assert policy.grad.tolist() == pytest.approx([-weight for weight in weights])


def test_metrics():
    _, given = tokens([1.0, 1.5, 0.5, 1.5], [1.0, 1.0, -1.0, -1.0], [1.0] * 4)
    metrics = policy_metrics(given, PolicyLossConfig(clip_low=0.2, clip_high=0.3))
    assert metrics["clipfrac_high"] == 0.25
    assert metrics["clipfrac_low"] == 0.25
    assert metrics["ratio_mean"] == pytest.approx(4.5 / 4)
    assert metrics["ratio_max"] == pytest.approx(1.5)
    # r - 1 - log r: 0, 0.0945349, 0.1931472, 0.0945349
    assert metrics["approx_kl"] == pytest.approx(0.3822170 / 4)
    # log r: 0, 0.4054651, 0.6931472, 0.4054651
    assert metrics["logprob_gap_mean"] == pytest.approx(1.5040774 / 4)
    assert metrics["logprob_gap_max"] == pytest.approx(0.6931472)
    # 4.5^2 / (4 (1 + 2.25 + 0.25 + 2.25))
    assert metrics["effective_sample_share"] == pytest.approx(20.25 / 23)


def test_the_supervised_loss_is_the_weighted_negative_log_likelihood():
    logprobs = torch.tensor([-1.0, -2.0], requires_grad=True)
    loss = supervised_loss(logprobs, torch.tensor([0.5, 0.25]))
    loss.backward()
    assert float(loss.detach()) == 1.0
    assert logprobs.grad.tolist() == [-0.5, -0.25]
