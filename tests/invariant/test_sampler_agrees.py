"""The trainer's log-probabilities of what the engine sampled: the first on-policy ratio is 1."""

from __future__ import annotations

import asyncio

import pytest
import torch

from small_models import FAMILY, small_model
from tahr.core.protocols import GenerationRequest, Sampling
from tahr.core.types import Sample
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.models.logprobs import PolicyLogprobs
from tahr.training.batch import make_batches


@pytest.mark.parametrize("temperature", [1.0, 0.7])
@pytest.mark.parametrize("name", sorted(FAMILY))
def test_the_ratio_is_one_before_the_first_update(name, temperature):
    """N24 and N12."""
    model = small_model(name)
    engine = EmbeddedEngine(model, max_context=128)
    prompts = [(5, 6, 7), (8, 9, 10, 11, 12)]
    sampling = Sampling(max_new_tokens=10, temperature=temperature, stop_token_ids=(2, 3, 4))

    async def run():
        requests = [GenerationRequest(prompt_token_ids=p, sampling=sampling, seed=s) for p in prompts for s in range(6)]
        return requests, await asyncio.gather(*(engine.complete(request) for request in requests))

    requests, completions = asyncio.run(run())
    samples = []
    for request, completion in zip(requests, completions, strict=True):
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
    (batch,) = make_batches(samples, [1.0] * len(samples), max_tokens=10_000, device=torch.device("cpu"))
    logprobs, _ = PolicyLogprobs(model)(batch.tokens, batch.rows, batch.targets, temperature=temperature)
    ratio = torch.exp(logprobs - batch.sampler_logprobs)
    assert float((ratio - 1).abs().max().detach()) < 1e-4
