from __future__ import annotations

import asyncio

import torch

from small_models import small_model
from tahr.core.protocols import GenerationRequest, Sampling
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.engines.embedded.lagged import LaggedEngine

REQUEST = GenerationRequest(prompt_token_ids=(5, 6, 7), sampling=Sampling(max_new_tokens=8), seed=3)


def policies(count):
    """The same model as it changes, and what an engine samples from it each time."""
    model = small_model("llama")
    for version in range(count):
        fresh = EmbeddedEngine(model, max_context=64)
        fresh.load_weights(model, version)
        yield model, version, asyncio.run(fresh.complete(REQUEST))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(torch.randn_like(parameter) * 0.05)


def test_it_samples_exactly_from_the_policy_of_so_many_steps_ago():
    engine, seen = None, []
    for model, version, completion in policies(6):
        engine = engine or LaggedEngine(model, lag=2, max_context=64)
        engine.load_weights(model, version)
        seen.append(completion)
        assert engine.policy_version == max(0, version - 2)
        assert asyncio.run(engine.complete(REQUEST)) == seen[max(0, version - 2)]


def test_a_restored_one_goes_on():
    engine = restored = None
    for model, version, _ in policies(6):
        engine = engine or LaggedEngine(model, lag=2, max_context=64)
        engine.load_weights(model, version)
        if version == 3:
            restored = LaggedEngine(model, lag=2, max_context=64)
            restored.load_weights(model, version)
            restored.restore(engine.snapshots())
        elif restored is not None:
            restored.load_weights(model, version)
        if restored is not None:
            assert asyncio.run(restored.complete(REQUEST)) == asyncio.run(engine.complete(REQUEST))
            assert restored.policy_version == version - 2
