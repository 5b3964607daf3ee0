"""Two ways of one update that must agree, whatever the algorithm: however the samples are cut, ordered or packed.

The rows of the conformance tests (tests/conformance) hold single cases of this to their numbers.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import torch

from small_models import small_model
from small_updates import (
    CPU,
    WIDE,
    assert_same_gradients,
    assert_same_update,
    make_samples,
    update,
    weights_of,
    wide,
)
from tahr.core.errors import TahrError
from tahr.losses.presets import PRESETS
from tahr.models.logprobs import PolicyLogprobs
from tahr.training.batch import make_batches
from tahr.training.config import OptimizerConfig, RlvrConfig
from tahr.training.objective import Known, PolicyObjective
from tahr.training.step import Policy, step


@pytest.mark.parametrize("aggregation", ["token_mean", "sequence_mean", "sequence_sum", "constant"])
@pytest.mark.parametrize("max_tokens", [17, 64])
def test_micro_batches_do_not_matter(aggregation, max_tokens):
    """Between one batch and as many as there are samples, where groups are cut too."""
    samples = make_samples()
    whole, cut = update(samples, wide(aggregation)), update(samples, wide(aggregation), max_tokens=max_tokens)
    assert 1 < cut[0]["num_batches"] <= len(samples)
    assert whole[0]["num_tokens_trained"] == sum(sample.num_loss_tokens for sample in samples)
    assert_same_update(whole, cut)


@pytest.mark.parametrize("name", PRESETS)
def test_micro_batches_do_not_matter_to_any_algorithm(name):
    """What is chosen or averaged is chosen and averaged over whole sequences, or over the whole update."""
    samples = [replace(s, domain="ab"[place % 2]) for place, s in enumerate(make_samples())]
    config = RlvrConfig(tasks={"any": 1.0}, steps=1, algorithm=name).loss
    if config.correction.level == "sequence":  # these samples' weights are far outside any bounds
        config = config.model_copy(
            update={"correction": config.correction.model_copy(update={"high": 1e9, "low": 0.0})}
        )
    assert_same_update(update(samples, config), update(samples, config, max_tokens=17))


def test_order_does_not_matter():
    samples = make_samples()
    shuffled = samples[:]
    random.Random(1).shuffle(shuffled)
    assert_same_update(update(samples), update(shuffled))


def test_shared_prompts_and_packing_equal_padded_whole_sequences():
    """Gradients too, with the tokens of tools in between; and nothing attends across sequences."""
    samples = make_samples()
    assert_same_update(update(samples), update(samples, exact=True))


def test_ranks_with_their_own_samples_add_up_to_one():
    """Weights are made over all samples, so that ranks only add gradients."""
    samples = make_samples()
    weights = weights_of(samples, "token_mean")
    summed = {}
    for part in (slice(0, 3), slice(3, None)):
        model = small_model("llama")
        for batch in make_batches(samples[part], weights[part], max_tokens=10_000, device=CPU):
            logprobs, entropies = PolicyLogprobs(model)(batch.tokens, batch.rows, batch.targets)
            PolicyObjective(WIDE, [Known()], [s.domain for s in samples])(batch, logprobs, entropies).backward()
        for name, parameter in model.named_parameters():
            summed[name] = summed.get(name, 0) + parameter.grad
    assert_same_gradients(update(samples)[1], summed)


def test_a_gradient_that_is_not_finite_leaves_the_weights():
    model = small_model("llama")
    policy = Policy(model, OptimizerConfig(), max_context=128)
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    samples = make_samples()
    batches = make_batches(samples, [float("inf")] * len(samples), max_tokens=1000, device=CPU)
    with pytest.raises(TahrError, match="not a finite number"):
        step(policy, batches, PolicyObjective(WIDE, [Known()], [""] * 12), learning_rate=0.1, seed=0)
    assert all(torch.equal(before[name], parameter) for name, parameter in model.named_parameters())
    assert policy.version == 0
