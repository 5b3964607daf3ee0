"""N12 to N14 and N19 to N24: log-probabilities, ratios, shared prefixes, packing, micro-batches, ranks."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from conformance.two_ranks import ragged, rank_gradient
from small_models import FAMILY, small_model
from small_recipes import write_recipe
from small_rollouts import TASK, scored, turn
from small_updates import (
    CPU,
    assert_same_update,
    make_sample,
    make_samples,
    poisoned,
    update,
    wide,
)
from tahr.core.progress import SilentProgress
from tahr.core.protocols import GenerationRequest, Sampling
from tahr.core.types import Group, Sample, failed, passed
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.losses.config import AdvantageConfig, PolicyLossConfig
from tahr.losses.diagnostics import policy_metrics
from tahr.losses.policy import PolicyTokens, policy_loss
from tahr.models.logprobs import PolicyLogprobs
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.rollout.samples import credit, to_samples
from tahr.training.batch import make_batches

AGGREGATIONS = ["token_mean", "sequence_mean", "sequence_sum", "constant"]


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
    loaded = load_recipe(write_recipe(tmp_path), overrides)
    run = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    rows = run.metrics()
    assert len(rows) == 2
    for row in rows:
        assert row.metrics["num_tokens_trained"] > 0
        assert row.metrics["ratio_mean"] == pytest.approx(1.0, abs=1e-5)
        assert row.metrics["ratio_max"] == pytest.approx(1.0, abs=1e-5)
        assert row.metrics["logprob_gap_max"] < 1e-5
