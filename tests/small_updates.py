"""One update of a small model on ragged samples: its metrics and its gradients."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import torch

from small_models import small_model
from tahr.core.types import Sample
from tahr.losses.aggregation import token_weights
from tahr.losses.config import PolicyLossConfig
from tahr.models.logprobs import PolicyLogprobs
from tahr.training.batch import make_batches
from tahr.training.config import OptimizerConfig
from tahr.training.objective import PolicyObjective, select_tokens, start_of_step
from tahr.training.step import Policy, step

CPU = torch.device("cpu")
MAX_NEW_TOKENS = 128
# a wide clip, so that a rounding difference can't switch a token's gradient off
WIDE = PolicyLossConfig(clip_low=1.0, clip_high=1e6)


def make_sample(prompt, parts, advantage=1.0, seed=0):
    """A sample of random ids: `parts` are lengths, sampled and written by tools in turn."""
    draw = random.Random(seed)
    ids, mask = list(prompt), [False] * len(prompt)
    for number, size in enumerate(parts):
        ids += [draw.randrange(3, 96) for _ in range(size)]
        mask += [number % 2 == 0] * size
    return Sample(
        token_ids=tuple(ids),
        loss_mask=tuple(mask),
        logprobs=tuple(draw.uniform(-5, -3) if m else 0.0 for m in mask),
        advantages=tuple(advantage if m else 0.0 for m in mask),
        prompt_length=len(prompt),
    )


def make_samples(seed=0):
    """Two groups of four ragged completions, some with tool tokens inside."""
    draw = random.Random(seed)
    samples = []
    for group in range(2):
        prompt = tuple(draw.randrange(3, 96) for _ in range(3 + group))
        for member in range(4):
            parts = [draw.randint(1, 9), *([draw.randint(1, 30), draw.randint(1, 3)] if member else [])]
            samples.append(make_sample(prompt, parts, draw.uniform(-2, 2), seed=draw.randrange(1000)))
    return samples


def weights_of(samples, aggregation):
    """Each sample's token weight."""
    counts = [sample.num_loss_tokens for sample in samples]
    return token_weights(counts, aggregation, max_new_tokens=MAX_NEW_TOKENS)


def capturing_policy(steps, model=None):
    """A policy whose optimizer appends each update's gradients to `steps` and changes nothing."""
    model = model or small_model("llama")
    policy = Policy(model, OptimizerConfig(max_grad_norm=1e9), max_context=256)
    policy.optimizer.step = lambda: steps.append({n: p.grad.clone() for n, p in model.named_parameters()})
    return policy


def update(samples, loss=WIDE, *, max_tokens=10_000, exact=False):
    """(metrics, gradients by parameter) of one step; `exact` pads whole sequences through transformers."""
    steps = []
    policy = capturing_policy(steps)
    policy.logprobs = PolicyLogprobs(policy.model, exact=exact)
    batches = make_batches(samples, weights_of(samples, loss.aggregation), max_tokens=max_tokens, device=CPU)
    known = start_of_step(policy, batches, loss, reference=None, temperature=1.0, several_updates=False)
    known = select_tokens(policy, batches, known, loss, temperature=1.0, seed=0)
    objective = PolicyObjective(loss, known, [sample.domain for sample in samples])
    metrics = step(policy, batches, objective, learning_rate=0.1, seed=0)
    return metrics | objective.metrics() | {"num_batches": len(batches)}, steps[0]


def wide(aggregation):
    return WIDE.model_copy(update={"aggregation": aggregation})


def assert_same_gradients(left, right, tolerance=1e-4):
    scale = max(float(gradient.norm()) for gradient in left.values())
    assert scale > 0
    assert left.keys() == right.keys()
    for name, gradient in left.items():
        assert float((gradient - right[name]).norm()) < tolerance * scale, name


def assert_same_update(left, right):
    """Equal losses, metrics and gradients, however many batches they were made in."""
    for name, value in left[0].items():
        if name != "num_batches":
            assert right[0][name] == pytest.approx(value, rel=1e-4, abs=1e-6), name
    assert_same_gradients(left[1], right[1])


def poisoned(sample, value=float("nan")):
    """The same sample with `value` wherever the policy did not sample."""
    pairs = list(zip(sample.loss_mask, sample.logprobs, sample.advantages, strict=True))
    return replace(
        sample,
        logprobs=tuple(logprob if m else value for m, logprob, _ in pairs),
        advantages=tuple(advantage if m else value for m, _, advantage in pairs),
    )
