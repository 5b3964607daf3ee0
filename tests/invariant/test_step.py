"""Two ways of one update that must agree: however the samples are cut, ordered, packed or padded."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import torch

from small_models import small_model
from tahr.core.types import Sample
from tahr.losses.aggregation import token_weights
from tahr.losses.config import PolicyLossConfig
from tahr.losses.presets import PRESETS
from tahr.models.logprobs import PolicyLogprobs
from tahr.training.batch import make_batches
from tahr.training.config import OptimizerConfig, RlvrConfig
from tahr.training.objective import Known, PolicyObjective, select_tokens, start_of_step
from tahr.training.step import Policy, step

CPU = torch.device("cpu")


def make_samples(seed=0, *, tool_tokens=True):
    """Three groups of four ragged completions, some with masked tokens inside."""
    draw = random.Random(seed)
    samples = []
    for group in range(3):
        prompt = tuple(draw.randrange(3, 96) for _ in range(3 + group))
        for member in range(4):
            sizes = [draw.randint(1, 9)] + ([draw.randint(1, 30), draw.randint(1, 3)] if tool_tokens and member else [])
            ids, mask = list(prompt), [False] * len(prompt)
            for part, size in enumerate(sizes):
                ids += [draw.randrange(3, 96) for _ in range(size)]
                mask += [part % 2 == 0] * size
            advantage = draw.uniform(-2, 2)
            samples.append(
                Sample(
                    token_ids=tuple(ids),
                    loss_mask=tuple(mask),
                    logprobs=tuple(draw.uniform(-5, -3) if m else 0.0 for m in mask),
                    advantages=tuple(advantage if m else 0.0 for m in mask),
                    prompt_length=len(prompt),
                )
            )
    return samples


# a wide clip, so that a rounding difference can't switch a token's gradient off
WIDE = PolicyLossConfig(clip_low=1.0, clip_high=1e6)


def update(samples, aggregation="token_mean", *, max_tokens=10_000, exact=False, loss=WIDE):
    """Metrics and gradients of one step; the optimizer is kept from using the gradients up."""
    model = small_model("llama")
    policy = Policy(model, OptimizerConfig(max_grad_norm=1e9), max_context=128)
    policy.logprobs = PolicyLogprobs(model, exact=exact)
    weights = token_weights([s.num_loss_tokens for s in samples], aggregation, max_new_tokens=16)
    kept = {}
    policy.optimizer.step = lambda: kept.update({n: p.grad.clone() for n, p in model.named_parameters()})
    batches = make_batches(samples, weights, max_tokens=max_tokens, device=CPU)
    known = start_of_step(policy, batches, loss, reference=None, temperature=1.0, several_updates=False)
    known = select_tokens(policy, batches, known, loss, temperature=1.0, seed=0)
    objective = PolicyObjective(loss, known, [s.domain for s in samples])
    metrics = step(policy, batches, objective, learning_rate=0.1, seed=0)
    return metrics | objective.metrics(), kept


def assert_equal(left, right):
    for name, value in left[0].items():
        assert right[0][name] == pytest.approx(value, rel=1e-4, abs=1e-6), name
    scale = max(float(gradient.norm()) for gradient in left[1].values())
    for name, gradient in left[1].items():
        assert float((gradient - right[1][name]).norm()) < 1e-4 * scale, name


@pytest.mark.parametrize("aggregation", ["token_mean", "sequence_mean", "constant"])
@pytest.mark.parametrize("max_tokens", [1, 17, 64])
def test_micro_batches_do_not_matter(aggregation, max_tokens):
    """N1, N2, N17, N21: one batch of 12 equals 12 batches of 1 and everything between."""
    samples = make_samples()
    assert_equal(update(samples, aggregation), update(samples, aggregation, max_tokens=max_tokens))


@pytest.mark.parametrize("name", PRESETS)
def test_micro_batches_do_not_matter_to_any_algorithm(name):
    """N2: what is chosen or averaged is chosen and averaged over whole sequences, or over the whole update."""
    samples = [replace(s, domain="ab"[place % 2]) for place, s in enumerate(make_samples())]
    config = RlvrConfig(tasks={"any": 1.0}, steps=1, algorithm=name).loss
    if config.correction.level == "sequence":  # these samples' weights are far outside any bounds
        config = config.model_copy(
            update={"correction": config.correction.model_copy(update={"high": 1e9, "low": 0.0})}
        )
    given = {"aggregation": config.aggregation, "loss": config}
    assert_equal(update(samples, **given), update(samples, **given, max_tokens=17))


def test_order_does_not_matter():
    samples = make_samples()
    shuffled = samples[:]
    random.Random(1).shuffle(shuffled)
    assert_equal(update(samples), update(shuffled))


def test_shared_prompts_and_packing_equal_padded_whole_sequences():
    """N20 and N19: a shared prefix is computed once, and nothing attends across sequences."""
    samples = make_samples()
    assert_equal(update(samples), update(samples, exact=True))


def test_masked_tokens_are_in_no_denominator():
    """N4: what tools wrote changes neither counts nor weights."""
    samples = make_samples()
    metrics, _ = update(samples)
    assert metrics["num_tokens_trained"] == sum(s.num_loss_tokens for s in samples)


def test_a_masked_nan_reaches_nothing():
    """N14 and N23: values at masked places are never multiplied by 0, they are not read."""
    samples = make_samples()
    poisoned = [
        Sample(
            token_ids=s.token_ids,
            loss_mask=s.loss_mask,
            logprobs=tuple(v if m else float("nan") for v, m in zip(s.logprobs, s.loss_mask, strict=True)),
            advantages=tuple(v if m else float("nan") for v, m in zip(s.advantages, s.loss_mask, strict=True)),
            prompt_length=s.prompt_length,
        )
        for s in samples
    ]
    assert_equal(update(samples), update(poisoned))


def test_two_ranks_with_their_own_samples_add_up_to_one():
    """N22: weights are made over all samples, so that ranks only add gradients."""
    samples = make_samples()
    whole_metrics, whole = update(samples)
    weights = token_weights([s.num_loss_tokens for s in samples], "token_mean", max_new_tokens=16)
    summed = {}
    for part in (slice(0, 3), slice(3, None)):
        model = small_model("llama")
        for batch in make_batches(samples[part], weights[part], max_tokens=10_000, device=CPU):
            logprobs, entropies = PolicyLogprobs(model)(batch.tokens, batch.rows, batch.targets)
            PolicyObjective(WIDE, [Known()], [s.domain for s in samples])(batch, logprobs, entropies).backward()
        for name, parameter in model.named_parameters():
            summed[name] = summed.get(name, 0) + parameter.grad
    assert_equal((whole_metrics, whole), (whole_metrics, summed))


def test_a_gradient_that_is_not_finite_leaves_the_weights():
    from tahr.core.errors import TahrError

    model = small_model("llama")
    policy = Policy(model, OptimizerConfig(), max_context=128)
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    samples = make_samples()
    batches = make_batches(samples, [float("inf")] * len(samples), max_tokens=1000, device=CPU)
    with pytest.raises(TahrError, match="not a finite number"):
        step(policy, batches, PolicyObjective(WIDE, [Known()], [""] * 12), learning_rate=0.1, seed=0)
    assert all(torch.equal(before[name], parameter) for name, parameter in model.named_parameters())
    assert policy.version == 0
