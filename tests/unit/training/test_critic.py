from __future__ import annotations

import io

import pytest
import torch

from small_models import small_model
from tahr.core.types import Sample
from tahr.losses.config import AdvantageConfig, CriticConfig
from tahr.training.critic import Critic


def sample(prompt, answer, reward):
    size = len(answer)
    return Sample(
        token_ids=(*prompt, *answer),
        loss_mask=(False,) * len(prompt) + (True,) * size,
        logprobs=(0.0,) * (len(prompt) + size),
        advantages=(0.0,) * len(prompt) + (reward,) * size,
        prompt_length=len(prompt),
    )


SAMPLES = [sample((5, 6), (7, 8, 9), 1.0), sample((5, 6), (9, 7), 0.0), sample((11,), (12, 13, 14), 0.5)]


def critic(**settings):
    settings = {
        "baseline": "critic",
        "scale": "none",
        "critic": CriticConfig(learning_rate=3e-3, clip=10.0),
        **settings,
    }
    return Critic(small_model("llama"), AdvantageConfig(**settings), max_tokens=8)


def advantages(samples):
    return [[a for a, m in zip(s.advantages, s.loss_mask, strict=True) if m] for s in samples]


def test_before_it_has_learnt_the_advantage_is_the_reward():
    assert advantages(critic().advantages(SAMPLES)) == [[1.0] * 3, [0.0] * 2, [0.5] * 3]


def test_with_lambda_0_only_the_last_token_hears_of_the_reward():
    assert advantages(critic(gae_lambda=0.0).advantages(SAMPLES)) == [[0, 0, 1.0], [0, 0], [0, 0, 0.5]]


def test_penalties_fall_on_their_tokens():
    got = critic().advantages(SAMPLES[:1], [[0.25, 0.0, 0.5]])
    assert advantages(got) == [[0.25, 0.5, 0.5]]


def test_whitened_advantages_have_mean_0_and_deviation_1():
    values = [a for one in advantages(critic(scale="batch").advantages(SAMPLES)) for a in one]
    assert sum(values) / 8 == pytest.approx(0.0, abs=1e-6)
    assert sum(value * value for value in values) / 8 == pytest.approx(1.0)


@pytest.mark.slow
def test_it_learns_the_returns():
    made = critic()
    for _ in range(150):
        made.advantages(SAMPLES)
        metrics = made.learn(SAMPLES)
    # two answers to one prompt, worth 1 and 0, begin in the same state: 2 * 0.5**2 of 8 tokens, halved, can't be learnt
    assert metrics["value_loss"] == pytest.approx(0.03125, abs=1e-4)
    # (1 + 1 + 1 + 3 * 0.25) / 8 - (4.5 / 8)**2 is the returns' variance, 0.15234; 0.0625 of it is left
    assert metrics["explained_variance"] == pytest.approx(1 - 0.0625 / 0.15234375, abs=1e-3)


def test_a_restored_critic_goes_on_as_the_one_that_was_saved():
    first, second = critic(), critic()
    first.advantages(SAMPLES)
    first.learn(SAMPLES)
    file = io.BytesIO()
    torch.save(first.state(), file)
    file.seek(0)
    second.load_state(torch.load(file, weights_only=True))
    assert first.advantages(SAMPLES) == second.advantages(SAMPLES)
    assert first.learn(SAMPLES) == second.learn(SAMPLES)
    assert first.advantages(SAMPLES) == second.advantages(SAMPLES)


def test_the_policy_is_not_the_critics_model():
    model = small_model("llama")
    before = [parameter.clone() for parameter in model.parameters()]
    made = Critic(model, AdvantageConfig(baseline="critic", scale="none"), max_tokens=100)
    made.advantages(SAMPLES)
    made.learn(SAMPLES)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
