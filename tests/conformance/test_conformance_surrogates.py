"""N15, N16 and N18: KL estimators and surrogates by closed forms and literal tables."""

from __future__ import annotations

import math

import pytest
import torch

from tahr.losses.config import PolicyLossConfig
from tahr.losses.policy import PolicyTokens, policy_loss

LOGITS, REFERENCE = [0.3, -0.5, 1.1], [0.2, 0.5, 0.3]


def expected_kl(estimator, gradient):
    """Value and gradient by the logits of the estimate's mean over what the policy samples from three tokens."""
    logits = torch.tensor(LOGITS, dtype=torch.float64, requires_grad=True)
    logprobs = torch.log_softmax(logits, 0)
    tokens = PolicyTokens(
        policy_logprobs=logprobs,
        sampler_logprobs=logprobs.detach(),
        advantages=torch.zeros(3, dtype=torch.float64),
        weights=logprobs.detach().exp(),
        sequences=torch.arange(3),
        reference_logprobs=torch.tensor(REFERENCE, dtype=torch.float64).log(),
    )
    kl = {"coefficient": 1.0, "estimator": estimator, "gradient": gradient}
    loss = policy_loss(tokens, PolicyLossConfig.model_validate({"kl": kl}))
    loss.backward()
    return float(loss.detach()), logits.grad.tolist()


def closed_form():
    """The policy's probabilities, log pi - log reference, and KL(policy || reference)."""
    policy = [math.exp(logit) / sum(math.exp(one) for one in LOGITS) for logit in LOGITS]
    gaps = [math.log(p / q) for p, q in zip(policy, REFERENCE, strict=True)]
    return policy, gaps, sum(p * x for p, x in zip(policy, gaps, strict=True))


@pytest.mark.parametrize("estimator", ["k1", "k2", "k3"])
def test_n15_the_exact_gradient_is_that_of_the_divergence(estimator):
    policy, gaps, divergence = closed_form()
    value, gradient = expected_kl(estimator, "exact")
    half_square = sum(p * x * x / 2 for p, x in zip(policy, gaps, strict=True))
    assert value == pytest.approx(half_square if estimator == "k2" else divergence, rel=1e-12)
    assert gradient == pytest.approx([p * (x - divergence) for p, x in zip(policy, gaps, strict=True)], rel=1e-12)


def test_n15_the_estimators_own_gradients_are_what_they_are():
    """k1's has mean 0; k2's is the divergence's; k3's is that of the divergence the other way round, pi - reference."""
    policy, gaps, divergence = closed_form()
    assert expected_kl("k1", "estimator")[1] == pytest.approx([0.0] * 3, abs=1e-15)
    right = [p * (x - divergence) for p, x in zip(policy, gaps, strict=True)]
    assert expected_kl("k2", "estimator")[1] == pytest.approx(right, rel=1e-12)
    reverse = [p - q for p, q in zip(policy, REFERENCE, strict=True)]
    assert expected_kl("k3", "estimator")[1] == pytest.approx(reverse, rel=1e-12)


def one_token(ratio, advantage, /, **settings):
    """Loss and gradient of a token whose log-probability is now -1."""
    policy = torch.tensor([-1.0], dtype=torch.float64, requires_grad=True)
    tokens = PolicyTokens(
        policy_logprobs=policy,
        sampler_logprobs=policy.detach() - torch.tensor([ratio], dtype=torch.float64).log(),
        advantages=torch.tensor([advantage], dtype=torch.float64),
        weights=torch.ones(1, dtype=torch.float64),
        sequences=torch.zeros(1, dtype=torch.int64),
    )
    loss = policy_loss(tokens, PolicyLossConfig(**settings))
    loss.backward()
    return float(loss.detach()), float(policy.grad)


@pytest.mark.parametrize(
    ("ratio", "advantage", "weight"),
    [(0.5, 2.0, 0.5), (1.0, 2.0, 1.0), (1.5, 2.0, 1.2), (1.5, -2.0, 1.2), (9, -1, 1.2)],
)
def test_n16_cispo_is_a_constant_weight_times_the_policy_gradient(ratio, advantage, weight):
    """The gradient is sg(clip(r)) A grad log pi: never cut to 0, and none runs through the ratio."""
    loss, gradient = one_token(ratio, advantage, surrogate="cispo", clip_low=1.0, clip_high=0.2)
    assert loss == pytest.approx(-weight * advantage * -1.0)  # log pi is -1
    assert gradient == pytest.approx(-weight * advantage)


CLIP = {"clip_low": 0.2, "clip_high": 0.3}
SAPO = {"surrogate": "sapo", "gates": (1.0, 1.05)}
GMPO = {"surrogate": "gmpo", "clip_low": 0.4, "clip_high": 0.4}
DPPO = {"surrogate": "dppo", "max_divergence": 0.1}
SEQUENCE = {**CLIP, "ratio": "sequence"}
# settings, ratio, advantage, loss, gradient by the log-probability, which is -1 (a probability of 0.368)
TABLE = [
    (CLIP, 1.0, 2.0, -2.0, -2.0),
    (CLIP, 1.2, 2.0, -2.4, -2.4),
    (CLIP, 1.5, 2.0, -2.6, 0.0),  # clipped above
    (CLIP, 0.5, 2.0, -1.0, -1.0),  # below the range, but the gain may still climb
    (CLIP, 1.5, -2.0, 3.0, 3.0),  # above the range, and the loss must still fall
    (CLIP, 0.5, -2.0, 1.6, 0.0),  # clipped below
    (CLIP, 4.0, -2.0, 8.0, 8.0),  # without a dual clip there is no bound here
    (CLIP, 1.0, 0.0, 0.0, 0.0),
    ({**CLIP, "dual_clip": 3.0}, 2.0, -2.0, 4.0, 4.0),
    ({**CLIP, "dual_clip": 3.0}, 4.0, -2.0, 6.0, 0.0),
    ({**CLIP, "dual_clip": 3.0}, 0.5, -2.0, 1.6, 0.0),
    ({**CLIP, "dual_clip": 3.0}, 4.0, 2.0, -2.6, 0.0),  # a positive advantage knows nothing of the dual clip
    ({**CLIP, "dual_clip": 3.0}, 0.5, 2.0, -1.0, -1.0),
    (SEQUENCE, 1.5, 2.0, -2.6, 0.0),
    (SEQUENCE, 1.5, -2.0, 3.0, 3.0),
    (SAPO, 1.0, 2.0, -4.0, -2.0),
    (SAPO, 1.0, -2.0, 3.8095238, 2.0),
    (SAPO, 1.5, 2.0, -4.9796746, -2.8200446),
    (SAPO, 1.5, -2.0, 4.7871710, 2.8024195),
    (GMPO, 1.2, 2.0, -2.4, -2.4),
    (GMPO, 1.5, 2.0, -2.9836494, 0.0),  # at most e^0.4
    (GMPO, 1.5, -2.0, 3.0, 3.0),
    (GMPO, 0.5, 2.0, -1.0, -1.0),
    (GMPO, 0.5, -2.0, 1.3406401, 0.0),  # at least e^-0.4
    (DPPO, 1.2, 2.0, -2.4, -2.4),  # from 0.307 to 0.368: less than 0.1
    (DPPO, 1.5, 2.0, 0.0, 0.0),  # from 0.245 to 0.368, and upwards
    (DPPO, 1.5, -2.0, 3.0, 3.0),  # as far, but on its way back
    (DPPO, 0.5, -2.0, 0.0, 0.0),
    (DPPO, 0.5, 2.0, -1.0, -1.0),
    ({"surrogate": "ratio"}, 1.5, 2.0, -3.0, -3.0),
    ({"surrogate": "logprob"}, 1.5, 2.0, 2.0, -2.0),
    ({"surrogate": "cispo", "clip_low": 1.0, "clip_high": 0.2}, 1.5, 2.0, 2.4, -2.4),
    ({"surrogate": "cispo", "clip_low": 0.2, "clip_high": 0.2}, 0.5, 2.0, 1.6, -1.6),  # raised from below, if asked for
]


@pytest.mark.parametrize(("settings", "ratio", "advantage", "loss", "gradient"), TABLE)
def test_n18_each_variant_by_a_literal_table(settings, ratio, advantage, loss, gradient):
    assert one_token(ratio, advantage, **settings) == (pytest.approx(loss), pytest.approx(gradient))


def test_n18_averages_over_a_sequence_by_hand():
    """Ratios 2 and 0.5, advantage 1. GSPO: their geometric mean is 1. GMPO: 2 is cut to e^0.4, so e^-0.1465736."""
    for settings, loss, gradient in (
        (SEQUENCE, -1.0, [-0.5, -0.5]),
        (GMPO, -0.8636620, [0.0, -0.4318310]),
    ):
        policy = torch.tensor([2.0, 0.5], dtype=torch.float64).log().requires_grad_()
        tokens = PolicyTokens(
            policy_logprobs=policy,
            sampler_logprobs=torch.zeros(2, dtype=torch.float64),
            advantages=torch.ones(2, dtype=torch.float64),
            weights=torch.full((2,), 0.5, dtype=torch.float64),
            sequences=torch.zeros(2, dtype=torch.int64),
        )
        got = policy_loss(tokens, PolicyLossConfig(**settings))
        got.backward()
        assert float(got.detach()) == pytest.approx(loss)
        assert policy.grad.tolist() == pytest.approx(gradient)
