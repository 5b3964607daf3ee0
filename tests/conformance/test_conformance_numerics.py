"""N1 to N11 and N17: aggregation, masks and advantages, each on the small input that went wrong elsewhere."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from small_models import small_model
from small_rollouts import TASK, group, scored, trajectory, turn
from small_updates import (
    CPU,
    MAX_NEW_TOKENS,
    assert_same_gradients,
    assert_same_update,
    capturing_policy,
    make_sample,
    update,
    weights_of,
    wide,
)
from tahr.core.progress import SilentProgress
from tahr.core.types import FinishReason, Group, broken, failed, passed
from tahr.losses.advantages import deviation, group_advantages, has_spread
from tahr.losses.aggregation import token_weights
from tahr.losses.config import AdvantageConfig, PolicyLossConfig
from tahr.losses.policy import PolicyTokens, policy_loss
from tahr.losses.presets import PRESETS
from tahr.models.logprobs import PolicyLogprobs
from tahr.recipe.conflicts import find_conflicts
from tahr.recipe.findings import Findings
from tahr.recipe.load import parse_recipe
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
