"""The switches that no preset sets, each against `reference.policy_reference`: float64, values and gradients."""

from __future__ import annotations

import math
import random

import pytest
import torch

from reference import advantage_reference as by_hand
from reference.policy_reference import (
    Algorithm,
    Token,
    by_sequence,
    by_token,
    cispo,
    clipped,
    dppo,
    gmpo,
    k1,
    k2,
    k3,
    loss_and_gradient,
    plain_logprob,
    plain_ratio,
    sapo,
    with_right_gradient,
)
from tahr.losses.advantages import generalised_advantages, group_advantages
from tahr.losses.aggregation import token_weights
from tahr.losses.config import AdvantageConfig, PolicyLossConfig
from tahr.losses.policy import PolicyTokens, policy_loss
from tahr.losses.value import value_loss

LENGTHS = [1, 3, 7, 2]
MAX_NEW_TOKENS = 9


def draw_sequences(seed: int = 0) -> list[list[Token]]:
    draw = random.Random(seed)

    def token() -> Token:
        sampler = -draw.uniform(0.6, 3)
        return Token(
            policy=-draw.uniform(0.2, 3),
            sampler=sampler,
            proximal=sampler + draw.uniform(-0.5, 0.5),
            reference=-draw.uniform(0.2, 3),
            advantage=draw.uniform(-2, 2),
        )

    return [[token() for _ in range(length)] for length in LENGTHS]


def assert_equal(settings: dict[str, object], algorithm: Algorithm, sequences: list[list[Token]] | None = None) -> None:
    config = PolicyLossConfig.model_validate(settings)
    sequences = sequences or draw_sequences()
    weights = token_weights([len(s) for s in sequences], config.aggregation, max_new_tokens=MAX_NEW_TOKENS)
    rows = [
        (t.policy, t.sampler, t.advantage, weights[n], t.proximal, t.reference, n)
        for n, sequence in enumerate(sequences)
        for t in sequence
    ]
    policy, sampler, advantages, weight, proximal, reference, number = torch.tensor(rows, dtype=torch.float64).unbind(1)
    policy = policy.clone().requires_grad_()
    tokens = PolicyTokens(
        policy_logprobs=policy,
        sampler_logprobs=sampler,
        advantages=advantages,
        weights=weight,
        sequences=number.long(),
        proximal_logprobs=proximal if config.proximal == "recomputed" else None,
        reference_logprobs=reference,
    )
    loss = policy_loss(tokens, config)
    loss.backward()
    expected, gradient = loss_and_gradient(sequences, algorithm, max_new_tokens=MAX_NEW_TOKENS)
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert policy.grad is not None
    assert policy.grad.tolist() == pytest.approx(gradient, rel=1e-10, abs=1e-10)
    assert any(gradient)


SURROGATES = {
    "clip": ({"surrogate": "clip", "clip_low": 0.1, "clip_high": 0.4}, by_token(clipped(0.9, 1.4))),
    "dual": ({"dual_clip": 1.5}, by_token(clipped(0.8, 1.2, dual=1.5))),
    "cispo": ({"surrogate": "cispo", "clip_low": 0.5, "clip_high": 0.5}, by_token(cispo(0.5, 1.5))),
    "sapo": ({"surrogate": "sapo", "gates": (2.0, 3.0)}, by_token(sapo(2.0, 3.0))),
    "gmpo": ({"surrogate": "gmpo", "clip_low": 0.1, "clip_high": 0.3}, gmpo(math.exp(-0.1), math.exp(0.3))),
    "dppo_tv": ({"surrogate": "dppo", "max_divergence": 0.1}, by_token(dppo(0.1, "tv"))),
    "dppo_kl": ({"surrogate": "dppo", "divergence": "kl", "max_divergence": 0.05}, by_token(dppo(0.05, "kl"))),
    "ratio": ({"surrogate": "ratio"}, by_token(plain_ratio)),
    "logprob": ({"surrogate": "logprob"}, by_token(plain_logprob)),
    "sequence_clip": ({"ratio": "sequence", "clip_low": 0.1, "clip_high": 0.1}, by_sequence(clipped(0.9, 1.1))),
    "sequence_dual": ({"ratio": "sequence", "dual_clip": 1.3}, by_sequence(clipped(0.8, 1.2, dual=1.3))),
    "sequence_cispo": (
        {"ratio": "sequence", "surrogate": "cispo", "clip_low": 0.1, "clip_high": 0.1},
        by_sequence(cispo(0.9, 1.1)),
    ),
    "sequence_sapo": ({"ratio": "sequence", "surrogate": "sapo", "gates": (2.0, 3.0)}, by_sequence(sapo(2.0, 3.0))),
    "sequence_ratio": ({"ratio": "sequence", "surrogate": "ratio"}, by_sequence(plain_ratio)),
}


@pytest.mark.parametrize("aggregation", ["token_mean", "sequence_mean", "sequence_sum", "constant"])
@pytest.mark.parametrize("name", SURROGATES)
def test_surrogates_and_aggregations(name, aggregation):
    settings, gain = SURROGATES[name]
    assert_equal({**settings, "aggregation": aggregation}, Algorithm(gain, aggregation))


@pytest.mark.parametrize("form", ["truncate", "clamp", "mask"])
@pytest.mark.parametrize("level", ["token", "sequence", "geometric"])
def test_corrections(level, form):
    correction = {"form": form, "level": level, "low": 0.7, "high": 1.3}
    algorithm = Algorithm(
        by_token(clipped(0.8, 1.2)), "token_mean", recomputed=True, correction=(level, form, 0.7, 1.3)
    )
    assert_equal({"proximal": "recomputed", "correction": correction}, algorithm)


@pytest.mark.parametrize("gradient", ["exact", "estimator"])
@pytest.mark.parametrize(("name", "estimator"), [("k1", k1), ("k2", k2), ("k3", k3)])
def test_kl_in_the_loss(name, estimator, gradient):
    kl = {"coefficient": 0.3, "estimator": name, "gradient": gradient}
    term = with_right_gradient(estimator) if gradient == "exact" else estimator
    assert_equal({"kl": kl}, Algorithm(by_token(clipped(0.8, 1.2)), "token_mean", kl=(0.3, term)))


def test_kl_in_the_reward_is_no_part_of_the_loss():
    kl = {"coefficient": 0.3, "estimator": "k1", "place": "reward"}
    assert_equal({"kl": kl}, Algorithm(by_token(clipped(0.8, 1.2)), "token_mean"))


@pytest.mark.parametrize("scale", ["group", "domain", "batch", "advantages", "group_mean", "none"])
@pytest.mark.parametrize("baseline", ["group_mean", "leave_one_out", "batch_mean", "greedy", "none"])
def test_advantages(baseline, scale):
    groups = [[1.0, 0.0, 0.25, None], [0.5, 1.5], [0.0, 2.0, 1.0], [3.0, None, 1.0]]
    given = {"domains": ["a", "b", "a", "b"], "greedy": [0.5, 1.0, None, 0.0]}
    got = group_advantages(groups, AdvantageConfig(baseline=baseline, scale=scale), **given)
    expected = by_hand.advantages(groups, baseline=baseline, scale=scale, **given)
    for left, right in zip(got, expected, strict=True):
        assert [one is None for one in left] == [one is None for one in right]
        assert [one for one in left if one is not None] == pytest.approx(by_hand.present(right), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("discount", "trace"), [(1.0, 1.0), (1.0, 0.95), (0.9, 0.8), (0.99, 0.0)])
def test_generalised_advantages(discount, trace):
    draw = random.Random(1)
    for length in LENGTHS:
        rewards, values = ([draw.uniform(-1, 1) for _ in range(length)] for _ in range(2))
        got = generalised_advantages(rewards, values, discount=discount, gae_lambda=trace)
        assert got == pytest.approx(by_hand.gae(rewards, values, discount=discount, trace=trace), rel=1e-12)


def test_the_critics_loss_is_the_worse_of_clipped_and_unclipped():
    # V, V old, return -> (V - R)^2, clipped V, its square: the larger counts, and a clipped one has no gradient
    values = torch.tensor([0.5, 1.0, -1.0], dtype=torch.float64, requires_grad=True)
    old = torch.tensor([0.4, 0.0, 0.0], dtype=torch.float64)
    returns = torch.tensor([1.0, 1.0, 1.0], dtype=torch.float64)
    loss = value_loss(values, old, returns, clip=0.2)
    loss.backward()
    # 0.25 (inside); max(0, (0.2 - 1)^2 = 0.64); max(4, 1.44) = 4
    assert float(loss.detach()) == pytest.approx((0.25 + 0.64 + 4.0) / 6)
    assert values.grad is not None
    # dL/dV = (V - R) / 3 where the unclipped square counts
    assert values.grad.tolist() == pytest.approx([-0.5 / 3, 0.0, -2.0 / 3])
