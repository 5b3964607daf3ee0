"""N1 to N24: aggregation, masks, advantages, ratios and KL, each on the small input that once went wrong elsewhere."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from conformance.two_ranks import ragged, rank_gradient
from small_models import FAMILY, small_model
from small_recipes import SMALL, write_recipe
from small_rollouts import TASK, group, scored, trajectory, turn
from small_updates import (
    CPU,
    MAX_NEW_TOKENS,
    assert_same_gradients,
    assert_same_update,
    capturing_policy,
    make_sample,
    make_samples,
    poisoned,
    update,
    weights_of,
    wide,
)
from tahr.core.progress import SilentProgress
from tahr.core.protocols import GenerationRequest, Sampling
from tahr.core.types import FinishReason, Group, Sample, broken, failed, passed
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.losses.advantages import deviation, group_advantages, has_spread
from tahr.losses.aggregation import token_weights
from tahr.losses.config import AdvantageConfig, PolicyLossConfig
from tahr.losses.diagnostics import policy_metrics
from tahr.losses.policy import PolicyTokens, policy_loss
from tahr.losses.presets import PRESETS
from tahr.models.logprobs import PolicyLogprobs
from tahr.recipe.conflicts import find_conflicts
from tahr.recipe.findings import Findings
from tahr.recipe.load import load_recipe, parse_recipe
from tahr.recipe.run import run_recipe
from tahr.rollout.samples import Credited, credit, teaches, to_samples, trajectory_samples
from tahr.training.batch import make_batches
from tahr.training.config import RlvrConfig
from tahr.training.rlvr import Rlvr

AGGREGATIONS = ["token_mean", "sequence_mean", "sequence_sum", "constant"]
TENS = [make_sample((5, 6), [10], 1.0, seed=1), make_sample((5, 6), [100], -1.0, seed=2)]


def advantages(groups, **settings):
    return group_advantages(groups, AdvantageConfig(**settings))


# ---- aggregation and masks


def test_n1_a_mean_over_tokens_is_one_of_110_however_they_are_cut():
    whole, cut = update(TENS), update(TENS, max_tokens=1)
    assert (whole[0]["num_batches"], cut[0]["num_batches"]) == (1, 2)
    assert_same_update(whole, cut)
    assert weights_of(TENS, "token_mean") == [1 / 110, 1 / 110]


def test_n1_the_mean_by_sequence_has_a_name_of_its_own():
    assert weights_of(TENS, "sequence_mean") == [1 / 20, 1 / 200]
    assert_same_update(update(TENS, wide("sequence_mean")), update(TENS, wide("sequence_mean"), max_tokens=1))


def trainer(steps, *, updates=1, micro_batch_tokens=10_000, aggregation="token_mean", **advantage):
    """The stage itself, with everything that it needs to learn from given groups."""
    config = RlvrConfig(
        tasks={"any": 1.0},
        steps=1,
        schedule={"updates_per_step": updates},
        micro_batch_tokens=micro_batch_tokens,
        sampling={"max_new_tokens": MAX_NEW_TOKENS},
        loss=wide(aggregation),
        advantage=advantage,
    )
    return Rlvr(
        config=config,
        policy=capturing_policy(steps),
        engine=None,
        collector=SimpleNamespace(run_seed=0),
        curriculum=None,
        run=None,
        progress=SilentProgress(),
        stop=None,
        evaluate=None,
    )


def graded_groups():
    """Four groups of two attempts of very different lengths."""
    groups = []
    for place in range(4):
        prompt = (10 + place, 7)
        attempts = (
            scored(passed(), turn(prompt, range(20, 22 + place))),
            scored(failed("wrong"), turn(prompt, range(30, 45))),
        )
        groups.append(Group(task=TASK, scored=attempts))
    return [Credited(group=one, advantages=(1.0, -0.5)) for one in groups]


@pytest.mark.parametrize("updates", [1, 2, 4])
def test_n2_the_denominator_is_of_the_update_whatever_the_micro_batches(updates):
    taken = []
    for micro_batch_tokens in (10_000, 30, 1):
        taken.append([])
        trainer(taken[-1], updates=updates, micro_batch_tokens=micro_batch_tokens).learn(graded_groups(), 1)
    size = 4 // updates
    for place in range(updates):
        alone = []
        trainer(alone).learn(graded_groups()[place * size : (place + 1) * size], 1)
        for steps in taken:
            assert len(steps) == updates
            assert_same_gradients(alone[0], steps[place])


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_n3_a_truncated_completion_leaves_numerator_and_denominator(aggregation):
    attempts = (
        scored(passed(), turn([1, 2], [3, 4])),
        scored(failed("cut off"), turn([1, 2], [5, 6, 7, 8, 9], FinishReason.LENGTH)),
    )
    credited = credit([Group(task=TASK, scored=attempts)], AdvantageConfig(scale="none"))
    steps = []
    learned = trainer(steps, aggregation=aggregation, mask_truncated=True).learn(credited, 1)
    assert learned["num_tokens_trained"] == 2
    (alone,) = trajectory_samples(attempts[0].trajectory, 0.5)
    assert_same_gradients(update([alone], wide(aggregation))[1], steps[0])


def test_n3_a_sequence_without_loss_tokens_is_in_no_denominator():
    assert token_weights([4, 0], "sequence_mean", max_new_tokens=8) == [0.25, 0.0]
    assert token_weights([4, 0], "sequence_sum", max_new_tokens=8)[0] == 1.0
    assert token_weights([4, 0], "constant", max_new_tokens=8)[0] == 1 / 8
    assert token_weights([0, 0], "token_mean", max_new_tokens=8) == [0.0, 0.0]


def test_n4_five_sampled_and_95_tool_tokens_count_as_five():
    tool = list(range(100, 195))
    first, second = turn([1, 2], [3, 4]), turn([1, 2, 3, 4, *tool], [5, 6, 7])
    (sample,) = trajectory_samples(trajectory(first, second), 1.0)
    assert [t for t, m in zip(sample.token_ids, sample.loss_mask, strict=True) if m] == [3, 4, 5, 6, 7]
    for aggregation in ("token_mean", "sequence_mean"):
        assert weights_of([sample], aggregation) == [1 / 5]
    (batch,) = make_batches([sample], weights_of([sample], "token_mean"), max_tokens=1000, device=CPU)
    assert batch.targets.tolist() == [3, 4, 5, 6, 7]


def test_n4_kl_and_entropy_are_means_over_the_same_five():
    sample = make_sample((5, 6), [2, 95, 3], 0.0)
    (batch,) = make_batches([sample], weights_of([sample], "token_mean"), max_tokens=1000, device=CPU)
    five = torch.arange(1.0, 6.0)
    tokens = PolicyTokens(
        policy_logprobs=five,
        sampler_logprobs=five,
        advantages=batch.advantages,
        weights=batch.weights,
        sequences=batch.sequences,
        reference_logprobs=torch.zeros(5),
        entropies=five,
    )
    kl = PolicyLossConfig.model_validate({"kl": {"coefficient": 1.0, "estimator": "k1"}})
    assert float(policy_loss(tokens, kl)) == pytest.approx(3.0)
    bonus = PolicyLossConfig.model_validate({"entropy": {"bonus": 1.0}})
    assert float(policy_loss(tokens, bonus)) == pytest.approx(-3.0)
    metrics, _ = update([sample])
    model = small_model("llama")
    with torch.no_grad():
        _, entropies = PolicyLogprobs(model)(batch.tokens, batch.rows, batch.targets)
    assert metrics["entropy"] == pytest.approx(float(entropies.mean()), rel=1e-5)


def test_n5_advantages_come_first_and_a_filter_after_them():
    attempts = (
        scored(passed(), turn([1, 2], [3])),
        scored(failed("wrong"), turn([1, 2], [4])),
        scored(failed("wrong"), turn([1, 2], [5])),
        scored(passed(), turn([1, 2], [6, 7], FinishReason.LENGTH)),
    )
    credited = credit([Group(task=TASK, scored=attempts)], AdvantageConfig())
    assert credited[0].advantages == (1.0, -1.0, -1.0, 1.0)
    kept = to_samples(credited, mask_truncated=True)
    # among the three that are left alone it would be 1.414, -0.707, -0.707
    assert [sample.advantages[-1] for sample in kept] == [1.0, -1.0, -1.0]


def test_n6_all_members_of_a_group_with_one_success_stay():
    """With a leave-one-out spread, the success itself would see three equal rewards."""
    assert has_spread([1.0, 0.0, 0.0, 0.0])
    assert all(a != 0 for a in advantages([[1.0, 0.0, 0.0, 0.0]], baseline="leave_one_out")[0])
    one_of_four = group(passed(), failed("a"), failed("b"), failed("c"))
    config = AdvantageConfig(baseline="leave_one_out", scale="none")
    assert teaches(one_of_four, config)
    assert len(to_samples(credit([one_of_four], config))) == 4


@pytest.mark.parametrize("value", [0.1, 0.5, 1 / 3, 0.7])
def test_n7_equal_rewards_have_no_spread_whatever_floats_say(value):
    """The float deviation of eight times 0.1 is not 0."""
    assert not has_spread([value] * 8)
    assert deviation([value] * 8) == 0.0
    for baseline in ("group_mean", "leave_one_out", "batch_mean"):
        for scale in ("group", "batch", "advantages", "none"):
            assert advantages([[value] * 8], baseline=baseline, scale=scale)[0] == [0.0] * 8
    equal = group(*(failed("nearly", value=value) for _ in range(8)))
    assert not teaches(equal, AdvantageConfig(spread_in="reward"))


def test_n8_the_filter_looks_at_raw_correctness():
    """All wrong, rewards that differ by shaping only."""
    shaped = group(failed("a", value=0.1), failed("b", value=0.2))
    assert not teaches(shaped, AdvantageConfig())
    assert teaches(shaped, AdvantageConfig(spread_in="reward"))
    assert teaches(group(passed(), failed("a", value=1.0)), AdvantageConfig())
    assert not teaches(group(passed(), broken("lost")), AdvantageConfig())


def test_n8_a_penalty_for_length_makes_no_wrong_group_teach():
    short, long = turn([1, 2], [3]), turn([1, 2], range(3, 11))
    wrong = Group(task=TASK, scored=(scored(failed("a"), short), scored(failed("b"), long)))
    config = AdvantageConfig(overlong_share=0.5)
    (credited,) = credit([wrong], config, max_new_tokens=8)
    assert credited.advantages != (0.0, 0.0)
    assert not teaches(wrong, config)


def test_n9_zero_is_a_reward_and_an_absent_one_leaves_the_baseline():
    assert advantages([[1.0, 0.0, None]], scale="none")[0] == [0.5, -0.5, None]
    assert advantages([[0.0, 0.0, None]], scale="none")[0] == [0.0, 0.0, None]
    assert advantages([[None, None]])[0] == [None, None]
    assert advantages([[1.0, 0.0, None], [0.0, None]], baseline="batch_mean", scale="none")[1] == [
        pytest.approx(-1 / 3),
        None,
    ]
    assert len(to_samples(credit([group(passed(), failed("a"), broken("lost"))], AdvantageConfig()))) == 2


def test_n10_group_and_batch_scaling_are_not_swapped():
    """[0, 1] has deviation 0.5; [0, 4] has 2; together [0, 1, 0, 4] has 1.6393596."""
    groups = [[0.0, 1.0], [0.0, 4.0]]
    assert advantages(groups, scale="group") == [[-1.0, 1.0], [-1.0, 1.0]]
    by_batch = advantages(groups, scale="batch")
    assert by_batch[0] == pytest.approx([-0.3049972, 0.3049972])
    assert by_batch[1] == pytest.approx([-1.2199886, 1.2199886])


NEED_A_GROUP = {
    *("grpo", "grpo_published", "dr_grpo", "dapo", "rloo", "reinforce_pp_baseline", "gspo", "cispo", "sapo", "gmpo"),
    *("dppo", "maxrl", "dual_clip", "decoupled", "tis", "sequence_mis", "icepop", "high_entropy", "clip_cov", "kl_cov"),
}


@pytest.mark.parametrize("name", PRESETS)
def test_n11_a_group_of_one_is_refused_when_the_recipe_is_read(name):
    values = {
        "name": "one",
        "stages": ["rlvr"],
        "model": {"source": "scratch", "max_context": 128},
        "tasks": {"sums": {"source": "arithmetic"}},
        "rlvr": {"tasks": {"sums": 1.0}, "steps": 1, "group_size": 1, "algorithm": name},
        "eval": {"tasks": ["sums"]},
    }
    findings = Findings()
    find_conflicts(parse_recipe(values, origin="one.toml"), findings)
    refused = [conflict for conflict in findings.conflicts if conflict.startswith("rlvr.group_size: with one attempt")]
    assert len(refused) == (1 if name in NEED_A_GROUP else 0)


# ---- log-probabilities


def sampled_batch(model, temperature):
    """What the engine sampled, as the trainer's batch; and the samples."""
    engine = EmbeddedEngine(model, max_context=128)
    prompts = [(5, 6, 7), (8, 9, 10, 11, 12)]
    sampling = Sampling(max_new_tokens=10, temperature=temperature, stop_token_ids=(2, 3, 4))

    async def run():
        requests = [GenerationRequest(prompt_token_ids=p, sampling=sampling, seed=s) for p in prompts for s in range(6)]
        return requests, await asyncio.gather(*(engine.complete(request) for request in requests))

    samples = []
    for request, completion in zip(*asyncio.run(run()), strict=True):
        prompt, size = request.prompt_token_ids, len(completion.token_ids)
        samples.append(
            Sample(
                token_ids=(*prompt, *completion.token_ids),
                loss_mask=(False,) * len(prompt) + (True,) * size,
                logprobs=(0.0,) * len(prompt) + completion.logprobs,
                advantages=(0.0,) * len(prompt) + (1.0,) * size,
                prompt_length=len(prompt),
            )
        )
    (batch,) = make_batches(samples, [1.0] * len(samples), max_tokens=10_000, device=CPU)
    return batch, samples


@pytest.mark.parametrize("name", sorted(FAMILY))
def test_n12_trainer_and_sampler_agree_at_temperature_0_7(name):
    model = small_model(name)
    batch, _ = sampled_batch(model, 0.7)
    with torch.no_grad():
        logprobs, _ = PolicyLogprobs(model)(batch.tokens, batch.rows, batch.targets, temperature=0.7)
        raw, _ = PolicyLogprobs(model)(batch.tokens, batch.rows, batch.targets)
    assert float((logprobs - batch.sampler_logprobs).abs().max()) < 1e-4
    assert float((raw - batch.sampler_logprobs).abs().max()) > 0.1


@pytest.mark.parametrize("name", sorted(FAMILY))
def test_n13_the_log_probability_is_of_the_sampled_id(name):
    """Against transformers' own logits, one sequence at a time; every id's differs from its neighbours'."""
    model = small_model(name)
    batch, samples = sampled_batch(model, 1.0)
    with torch.no_grad():
        logprobs, _ = PolicyLogprobs(model)(batch.tokens, batch.rows, batch.targets)
        for number, sample in enumerate(samples):
            table = torch.log_softmax(model(torch.tensor([sample.token_ids])).logits[0].float(), -1)
            places = [place for place, in_loss in enumerate(sample.loss_mask) if in_loss]
            expected = torch.stack([table[place - 1, sample.token_ids[place]] for place in places])
            assert torch.allclose(logprobs[batch.sequences == number], expected, atol=1e-4)


def test_n14_a_nan_at_a_masked_place_reaches_nothing():
    samples = make_samples()
    assert_same_update(update(samples), update([poisoned(sample) for sample in samples]))


# ---- KL and surrogates

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


@pytest.mark.parametrize("aggregation", ["constant", "sequence_sum"])
def test_n17_the_divisor_depends_on_no_length(aggregation):
    divisor = {"constant": 2 * MAX_NEW_TOKENS, "sequence_sum": 2}[aggregation]
    for lengths in ([10, 100], [1, 2]):
        assert token_weights(lengths, aggregation, max_new_tokens=MAX_NEW_TOKENS) == [1 / divisor] * 2
    assert_same_update(update(TENS, wide(aggregation)), update(TENS, wide(aggregation), max_tokens=1))


def test_n17_padding_changes_nothing():
    """Masked tokens after the end are what padding would be."""
    padded = [
        replace(
            sample,
            token_ids=(*sample.token_ids, *(0,) * 20),
            loss_mask=(*sample.loss_mask, *(False,) * 20),
            logprobs=(*sample.logprobs, *(0.0,) * 20),
            advantages=(*sample.advantages, *(0.0,) * 20),
        )
        for sample in TENS
    ]
    for aggregation in AGGREGATIONS:
        assert_same_update(update(TENS, wide(aggregation)), update(padded, wide(aggregation)))


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


# ---- branches, packing, ranks


def branched():
    """Three attempts; the first has three turns, each with a prompt that does not continue the one before."""
    turns = (turn([1, 2], [3, 4]), turn([1, 2, 9], [5]), turn([1, 2, 8], [6]))
    return Group(
        task=TASK,
        scored=(
            scored(passed(), *turns),
            scored(failed("a"), turn([1, 2], [7])),
            scored(failed("b"), turn([1, 2], [8])),
        ),
    )


def test_n19_one_rollout_has_one_vote_whatever_its_branches():
    (credited,) = credit([branched()], AdvantageConfig(scale="none"))
    assert credited.advantages == pytest.approx((2 / 3, -1 / 3, -1 / 3))  # three votes each would make it 0.4
    samples = to_samples([credited])
    trained = [[t for t, m in zip(s.token_ids, s.loss_mask, strict=True) if m] for s in samples]
    assert trained == [[3, 4], [5], [6], [7], [8]]
    assert {sample.advantages[-1] for sample in samples[:3]} == {credited.advantages[0]}


def test_n19_a_shared_prefix_is_computed_once():
    samples = [make_sample((5, 6, 7, 8), [3], seed=seed) for seed in range(4)]
    (batch,) = make_batches(samples, [1.0] * 4, max_tokens=1000, device=CPU)
    assert batch.num_tokens == 4 + 4 * 2  # nothing is read after the last loss token
    assert_same_update(update(samples), update(samples, exact=True))


def test_n20_packed_log_probabilities_equal_unpacked_ones():
    samples = make_samples()
    model = small_model("llama")
    (packed,) = make_batches(samples, [1.0] * len(samples), max_tokens=10_000, device=CPU)
    with torch.no_grad():
        together, _ = PolicyLogprobs(model)(packed.tokens, packed.rows, packed.targets)
        for number, sample in enumerate(samples):
            table = torch.log_softmax(model(torch.tensor([sample.token_ids])).logits[0].float(), -1)
            alone = [
                float(table[place - 1, sample.token_ids[place]])
                for place, in_loss in enumerate(sample.loss_mask)
                if in_loss
            ]
            assert together[packed.sequences == number].tolist() == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_n21_one_batch_of_eight_equals_eight_of_one(aggregation):
    samples = make_samples()
    once, eight = update(samples, wide(aggregation)), update(samples, wide(aggregation), max_tokens=1)
    assert (once[0]["num_batches"], eight[0]["num_batches"]) == (1, 8)
    assert_same_update(once, eight)


@pytest.mark.slow
def test_n22_two_ranks_with_10_and_100_tokens_equal_one_with_110(tmp_path: Path):
    tests = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(tests), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(tests / "conformance" / "two_ranks.py")]
    arguments = [str(tmp_path / "store"), "10", "100"]
    ranks = [
        subprocess.Popen([*command, str(rank), *arguments], env=environment, stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    outputs = [rank.communicate(timeout=120)[0] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0]
    whole = rank_gradient(ragged([10, 100]), [0, 1])
    summed = torch.tensor(json.loads(outputs[0].strip().splitlines()[-1])).view_as(whole)
    assert float((summed - whole).norm()) < 1e-5 * float(whole.norm())


def test_n23_forced_tokens_are_no_part_of_ratio_or_kl():
    """A tool's tokens get absurd log-probabilities: nothing that is learned or logged sees them."""
    samples = make_samples()
    forced = [poisoned(sample, -1e9) for sample in samples]
    assert_same_update(update(samples), update(forced))
    (batch,) = make_batches(forced, [1.0] * len(forced), max_tokens=10_000, device=CPU)
    assert float(batch.sampler_logprobs.min()) >= -5.0


def test_n23_a_sampled_token_of_no_probability_explodes_nothing():
    policy = torch.tensor([-1.0, -1e4], requires_grad=True)
    tokens = PolicyTokens(
        policy_logprobs=policy,
        sampler_logprobs=torch.tensor([-1e4, -1.0]),
        advantages=torch.tensor([-1.0, 1.0]),
        weights=torch.ones(2),
        sequences=torch.tensor([0, 1]),
        reference_logprobs=torch.tensor([-1e4, -1.0]),
    )
    config = PolicyLossConfig.model_validate({"kl": {"coefficient": 1.0, "estimator": "k3", "gradient": "estimator"}})
    loss = policy_loss(tokens, config)
    loss.backward()
    assert torch.isfinite(loss.detach())
    assert torch.isfinite(policy.grad).all()
    assert all(abs(value) < float("inf") for value in policy_metrics(tokens, config).values())


@pytest.mark.parametrize("temperature", [1.0, 0.7])
@pytest.mark.parametrize("name", sorted(FAMILY))
def test_n24_the_ratio_is_one_before_the_first_update(name, temperature):
    model = small_model(name)
    with torch.no_grad():
        for parameter in model.parameters():  # the small models' weights are large on purpose, and so their rounding
            if parameter.dim() > 1:
                parameter.mul_(0.5)
    batch, _ = sampled_batch(model, temperature)
    with torch.no_grad():
        logprobs, _ = PolicyLogprobs(model)(batch.tokens, batch.rows, batch.targets, temperature=temperature)
    assert float((torch.exp(logprobs - batch.sampler_logprobs) - 1).abs().max()) < 1e-5


def test_n24_the_ratio_is_logged(tmp_path: Path):
    overrides = ["stages=['rlvr']", "sft=", "rlvr.steps=2", "rlvr.schedule.updates_per_step=1"]
    loaded = load_recipe(write_recipe(tmp_path, SMALL), overrides)
    run = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    rows = run.metrics()
    assert len(rows) == 2
    for row in rows:
        assert row.metrics["num_tokens_trained"] > 0
        assert row.metrics["ratio_mean"] == pytest.approx(1.0, abs=1e-5)
        assert row.metrics["ratio_max"] == pytest.approx(1.0, abs=1e-5)
        assert row.metrics["logprob_gap_max"] < 1e-5
