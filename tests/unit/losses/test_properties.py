"""What must hold for any input: cuts, order and packing change no loss, no finite input gives a NaN, and advantages
stay the same under the shifts and scales that their estimator should not see."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tahr.losses.advantages import group_advantages, has_spread
from tahr.losses.aggregation import token_weights
from tahr.losses.config import AdvantageConfig, PolicyLossConfig
from tahr.losses.diagnostics import policy_metrics
from tahr.losses.policy import PolicyTokens, policy_loss
from tahr.losses.presets import PRESETS
from tahr.losses.selection import covariance_clipped, covariance_held, covariances, most_uncertain
from tahr.training.config import RlvrConfig

FEW = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
CONFIGS = {name: RlvrConfig(tasks={"any": 1.0}, steps=1, algorithm=name).loss for name in PRESETS}
VARIANTS = {
    "entropy_bonus": PolicyLossConfig.model_validate({"entropy": {"bonus": 0.1}}),
    "dppo_kl": PolicyLossConfig.model_validate({"surrogate": "dppo", "divergence": "kl"}),
    "clamp_geometric": PolicyLossConfig.model_validate(
        {"proximal": "recomputed", "correction": {"form": "clamp", "level": "geometric"}}
    ),
    "kl_k1": PolicyLossConfig.model_validate({"kl": {"coefficient": 0.1, "estimator": "k1"}}),
    "kl_k3": PolicyLossConfig.model_validate(
        {"kl": {"coefficient": 0.1, "estimator": "k3", "gradient": "estimator"}, "aggregation": "sequence_sum"}
    ),
    "sequence_sapo": PolicyLossConfig.model_validate({"surrogate": "sapo", "ratio": "sequence"}),
}
ALL = CONFIGS | VARIANTS
PER_TOKEN = (
    "policy_logprobs",
    "sampler_logprobs",
    "advantages",
    "proximal_logprobs",
    "reference_logprobs",
    "entropies",
)


def sequences(lowest: float, largest: float, width: int = 64):
    """Ragged sequences of tokens: (policy, sampler, advantage, proximal, reference, entropy)."""
    logprob = st.floats(lowest, 0, width=width)
    advantage = st.floats(-largest, largest, width=width)
    token = st.tuples(logprob, logprob, advantage, logprob, logprob, st.floats(0, 10, width=width))
    return st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=5)


def make_tokens(drawn, config: PolicyLossConfig, dtype=torch.float64) -> PolicyTokens:
    """Everything a loss may ask for, the tokens chosen as the trainer chooses them."""
    lengths = [len(sequence) for sequence in drawn]
    weights = token_weights(lengths, config.aggregation, max_new_tokens=8)
    rows = torch.tensor([token for sequence in drawn for token in sequence], dtype=dtype)
    columns = dict(zip(PER_TOKEN, rows.unbind(1), strict=True))
    numbers = torch.repeat_interleave(torch.arange(len(drawn)), torch.tensor(lengths))
    gate, held = None, None
    covariance = covariances(columns["policy_logprobs"], columns["advantages"])
    if config.entropy.top_share < 1:
        gate = most_uncertain(columns["entropies"], config.entropy.top_share)
    if config.covariance.form == "clip":
        gate = ~covariance_clipped(covariance, config.covariance, seed=0)
    if config.covariance.form == "kl":
        held = covariance_held(covariance, config.covariance)
    if config.proximal == "sampler":
        columns["proximal_logprobs"] = None
    weight = torch.tensor([weights[number] for number in numbers.tolist()], dtype=dtype)
    return PolicyTokens(**columns, weights=weight, sequences=numbers, gate=gate, held=held)


def pick(tokens: PolicyTokens, places: torch.Tensor) -> PolicyTokens:
    """The tokens at `places`, in that order."""
    names = (*PER_TOKEN, "weights", "sequences", "gate", "held")
    found = {name: getattr(tokens, name) for name in names}
    return PolicyTokens(**{name: value if value is None else value[places] for name, value in found.items()})


def value_and_gradient(tokens: PolicyTokens, config: PolicyLossConfig) -> tuple[float, torch.Tensor]:
    policy = tokens.policy_logprobs.detach().clone().requires_grad_()
    loss = policy_loss(replace(tokens, policy_logprobs=policy), config)
    loss.backward()
    assert policy.grad is not None
    return float(loss.detach()), policy.grad


def assert_close(left, right) -> None:
    size = max(1.0, float(left[1].abs().max()))
    assert right[0] == pytest.approx(left[0], rel=1e-9, abs=1e-9 * size)
    assert torch.allclose(left[1], right[1], rtol=1e-9, atol=1e-9 * size)


@pytest.mark.parametrize("name", ALL)
@FEW
@given(drawn=sequences(-5, 3), cut=st.integers(0, 5))
def test_a_cut_between_sequences_changes_nothing(name, drawn, cut):
    tokens = make_tokens(drawn, ALL[name])
    whole = value_and_gradient(tokens, ALL[name])
    parts = [torch.nonzero(side).flatten() for side in (tokens.sequences < cut, tokens.sequences >= cut)]
    loss, gradients = 0.0, torch.zeros_like(tokens.weights)
    for places in parts:
        if len(places):
            value, gradient = value_and_gradient(pick(tokens, places), ALL[name])
            loss += value
            gradients[places] = gradient
    assert_close(whole, (loss, gradients))


@pytest.mark.parametrize("name", ALL)
@FEW
@given(drawn=sequences(-5, 3), seed=st.integers(0, 2**16))
def test_order_and_packing_change_nothing(name, drawn, seed):
    """However tokens of different sequences are interleaved, and whatever numbers the sequences have."""
    tokens = make_tokens(drawn, ALL[name])
    places = torch.randperm(len(tokens.weights), generator=torch.Generator().manual_seed(seed))
    numbers = torch.randperm(len(drawn) + 3, generator=torch.Generator().manual_seed(seed))
    moved = pick(replace(tokens, sequences=numbers[tokens.sequences]), places)
    value, gradient = value_and_gradient(moved, ALL[name])
    back = torch.empty_like(gradient)
    back[places] = gradient
    assert_close(value_and_gradient(tokens, ALL[name]), (value, back))


@pytest.mark.parametrize("name", ALL)
@FEW
@given(drawn=sequences(-1e4, 1e3, width=32))
def test_no_finite_input_gives_a_loss_or_a_gradient_that_is_not(name, drawn):
    tokens = make_tokens(drawn, ALL[name], torch.float32)
    loss, gradient = value_and_gradient(tokens, ALL[name])
    assert math.isfinite(loss)
    assert torch.isfinite(gradient).all()


@pytest.mark.parametrize("name", ALL)
@FEW
@given(drawn=sequences(-1e4, 1e3, width=32))
def test_no_finite_input_gives_a_metric_that_is_not(name, drawn):
    metrics = policy_metrics(make_tokens(drawn, ALL[name], torch.float32), ALL[name])
    assert all(math.isfinite(value) for value in metrics.values()), metrics
    assert 0 < metrics["effective_sample_share"] <= 1 + 1e-6


# ---- advantages

# eighths add up without rounding, so that equal rewards stay equal when they are moved
REWARDS = st.lists(
    st.lists(st.one_of(st.none(), st.integers(-40, 40).map(lambda n: n / 8)), min_size=2, max_size=6),
    min_size=2,
    max_size=4,
)
CENTRED = ["group_mean", "leave_one_out", "batch_mean"]
SCALED = ["group", "domain", "batch", "advantages"]


def advantages(groups, baseline, scale, greedy=None):
    config = AdvantageConfig(baseline=baseline, scale=scale)
    domains = ["ab"[place % 2] for place in range(len(groups))]
    return group_advantages(groups, config, domains=domains, greedy=greedy or [0.0] * len(groups))


def change(groups, how):
    return [[None if reward is None else how(reward) for reward in rewards] for rewards in groups]


def assert_equal(left, right):
    for one, other in zip(left, right, strict=True):
        assert [value is None for value in one] == [value is None for value in other]
        assert [v for v in one if v is not None] == pytest.approx([v for v in other if v is not None], abs=1e-9)


@pytest.mark.parametrize("scale", [*SCALED, "none"])
@pytest.mark.parametrize("baseline", CENTRED)
@FEW
@given(groups=REWARDS, shift=st.integers(-8, 8))
def test_a_baseline_of_rewards_does_not_see_a_shift(baseline, scale, groups, shift):
    moved = change(groups, lambda reward: reward + shift)
    assert_equal(advantages(groups, baseline, scale), advantages(moved, baseline, scale))


@FEW
@given(groups=REWARDS, shift=st.integers(-8, 8))
def test_a_greedy_baseline_does_not_see_a_shift_that_it_shares(groups, shift):
    greedy = [0.25] * len(groups)
    moved = change(groups, lambda reward: reward + shift)
    shifted = advantages(moved, "greedy", "none", [value + shift for value in greedy])
    assert_equal(advantages(groups, "greedy", "none", greedy), shifted)


@pytest.mark.parametrize(
    ("baseline", "scale"),
    [(b, s) for b in ("group_mean", "leave_one_out") for s in SCALED]
    # a group without spread has no scale of its own to bring the batch's mean to
    + [("batch_mean", "batch"), ("batch_mean", "advantages")],
)
@FEW
@given(groups=REWARDS, factor=st.sampled_from([0.25, 0.5, 2.0, 16.0]))
def test_a_scale_of_rewards_does_not_see_their_unit(baseline, scale, groups, factor):
    grown = change(groups, lambda reward: reward * factor)
    assert_equal(advantages(groups, baseline, scale), advantages(grown, baseline, scale))


@FEW
@given(groups=REWARDS, factor=st.sampled_from([0.25, 2.0, 16.0]))
def test_maxrl_does_not_see_the_unit_of_rewards_from_0_up(groups, factor):
    positive = change(groups, abs)
    grown = change(positive, lambda reward: reward * factor)
    assert_equal(advantages(positive, "group_mean", "group_mean"), advantages(grown, "group_mean", "group_mean"))


@pytest.mark.parametrize(
    ("baseline", "scale", "how"),
    [
        ("none", "none", lambda reward: reward + 1),
        ("greedy", "none", lambda reward: reward + 1),
        ("group_mean", "group_mean", lambda reward: reward + 1),
        ("group_mean", "none", lambda reward: reward * 2),
        ("leave_one_out", "none", lambda reward: reward * 2),
        ("batch_mean", "none", lambda reward: reward * 2),
        ("none", "none", lambda reward: reward * 2),
    ],
)
def test_the_other_estimators_do_see_them(baseline, scale, how):
    groups = [[1.0, 0.0, 0.5], [0.25, 0.75, 0.0]]
    before, after = advantages(groups, baseline, scale), advantages(change(groups, how), baseline, scale)
    assert before[0] != pytest.approx(after[0])


@pytest.mark.parametrize("scale", [*SCALED, "none"])
@pytest.mark.parametrize("baseline", CENTRED)
@FEW
@given(groups=REWARDS)
def test_advantages_are_finite_and_absent_where_the_reward_is(baseline, scale, groups):
    for rewards, values in zip(groups, advantages(groups, baseline, scale), strict=True):
        assert [value is None for value in values] == [reward is None for reward in rewards]
        assert all(math.isfinite(value) for value in values if value is not None)
        if baseline != "batch_mean" and not has_spread(rewards):
            assert all(value == 0.0 for value in values if value is not None)
