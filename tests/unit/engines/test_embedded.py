from __future__ import annotations

import asyncio

import pytest
import torch

from small_models import FAMILY, small_model
from tahr.core.errors import InputError
from tahr.core.protocols import GenerationRequest, Sampling
from tahr.core.types import FinishReason
from tahr.engines.config import EngineConfig
from tahr.engines.embedded.engine import EmbeddedEngine


def sample(engine, requests):
    async def run():
        return await asyncio.gather(*(engine.complete(request) for request in requests))

    return asyncio.run(run())


def request(prompt, seed=0, **sampling):
    return GenerationRequest(
        prompt_token_ids=tuple(prompt), sampling=Sampling(**{"max_new_tokens": 12, **sampling}), seed=seed
    )


def exact_logprobs(model, prompt, completion, temperature):
    with torch.no_grad():
        logits = model(torch.tensor([[*prompt, *completion]])).logits[0, len(prompt) - 1 : -1].float() / temperature
    return torch.log_softmax(logits, -1).gather(1, torch.tensor(completion)[:, None]).squeeze(1)


PROMPTS = [[5, 6, 7, 8, 9], [10, 11], [12, 13, 14, 15, 16, 17, 18, 19, 20]]


@pytest.mark.parametrize("name", sorted(FAMILY))
def test_greedy_completions_equal_those_of_transformers(name):
    model = small_model(name)
    model.generation_config.eos_token_id = None
    engine = EmbeddedEngine(model, max_context=128)
    assert engine.reason is None
    for prompt, completion in zip(PROMPTS, sample(engine, [request(p, temperature=0.0) for p in PROMPTS]), strict=True):
        expected = model.generate(torch.tensor([prompt]), do_sample=False, max_new_tokens=12)
        assert list(completion.token_ids) == expected[0, len(prompt) :].tolist()


@pytest.mark.parametrize("temperature", [1.0, 0.7])
@pytest.mark.parametrize("name", sorted(FAMILY))
def test_log_probabilities_are_those_of_the_tempered_model_for_the_sampled_ids(name, temperature):
    """Conformance N12 and N13: temperature is in the log-probability, and it is the sampled id's."""
    model = small_model(name)
    requests = [request(p, seed=s, temperature=temperature) for p in PROMPTS for s in range(4)]
    for asked, got in zip(requests, sample(EmbeddedEngine(model, max_context=128), requests), strict=True):
        expected = exact_logprobs(model, asked.prompt_token_ids, got.token_ids, temperature)
        assert torch.allclose(torch.tensor(got.logprobs), expected, atol=1e-4)


def test_a_completion_does_not_depend_on_its_neighbours():
    model = small_model("llama")
    requests = [request(PROMPTS[i % 3], seed=i, max_new_tokens=3 + 5 * (i % 4)) for i in range(24)]
    together = sample(EmbeddedEngine(model, max_context=128), requests)
    crowded = sample(EmbeddedEngine(model, max_context=128, config=EngineConfig(max_batch_size=5)), requests)
    alone = [sample(EmbeddedEngine(model, max_context=128), [one])[0] for one in requests]
    for first, second, third in zip(together, crowded, alone, strict=True):
        assert first.token_ids == second.token_ids == third.token_ids
        assert first.logprobs == pytest.approx(third.logprobs, abs=1e-5)


def test_members_of_a_group_differ_and_repeat(model_name="llama"):
    """Conformance B2: one seed each, reproducible."""
    engine = EmbeddedEngine(small_model(model_name), max_context=128)
    requests = [request(PROMPTS[0], seed=seed) for seed in range(8)]
    first, second = sample(engine, requests), sample(engine, requests)
    assert len({completion.token_ids for completion in first}) == 8
    assert [c.token_ids for c in first] == [c.token_ids for c in second]


def test_more_requests_than_the_cache_holds_run_within_its_bound():
    model = small_model("llama")
    token_bytes = 2 * 2 * 2 * 8 * 4  # keys and values, layers, heads, head size, fp32
    config = EngineConfig(max_batch_size=64, cache_gib=token_bytes * 120 / 2**30)
    engine = EmbeddedEngine(model, max_context=128, config=config)
    most = 0
    step = engine._batch.step

    def watch(waiting, decode):
        nonlocal most
        finished = step(waiting, decode)
        batch = engine._batch
        most = max(most, sum(bank.num_rows * bank.num_tokens for bank in (batch._own, batch._shared)))
        return finished

    engine._batch.step = watch
    completions = sample(engine, [request(PROMPTS[i % 3], seed=i, max_new_tokens=16) for i in range(40)])
    assert len(completions) == 40
    assert all(len(completion.token_ids) == 16 for completion in completions)
    assert 0 < most <= 3 * 16 + 5 * 16 + 16


def test_stop_ids_end_a_completion_and_are_kept_in_it():
    model = small_model("llama")
    free = sample(EmbeddedEngine(model, max_context=128), [request(PROMPTS[0], seed=3)])[0]
    stop = free.token_ids[4]
    got = sample(EmbeddedEngine(model, max_context=128), [request(PROMPTS[0], seed=3, stop_token_ids=(stop,))])[0]
    end = free.token_ids.index(stop) + 1
    assert got.token_ids == free.token_ids[:end]
    assert got.finish_reason == FinishReason.STOP


def test_stop_strings_end_a_completion():
    model = small_model("llama")
    decode = lambda ids: "".join(f"<{i}>" for i in ids)  # noqa: E731
    free = sample(EmbeddedEngine(model, max_context=128), [request(PROMPTS[0], seed=3)])[0]
    text = f"{free.token_ids[4]}><{free.token_ids[5]}"
    got = sample(EmbeddedEngine(model, max_context=128, decode=decode), [request(PROMPTS[0], seed=3, stop=(text,))])[0]
    assert got.token_ids == free.token_ids[:6]
    with pytest.raises(InputError, match="decode"):
        sample(EmbeddedEngine(model, max_context=128), [request(PROMPTS[0], stop=("x",))])


def test_the_context_cuts_a_completion_and_refuses_a_prompt_that_fills_it():
    model = small_model("llama")
    got = sample(EmbeddedEngine(model, max_context=8), [request(PROMPTS[0])])[0]
    assert len(got.token_ids) == 3
    assert got.finish_reason == FinishReason.LENGTH
    with pytest.raises(InputError, match="at most 7"):
        sample(EmbeddedEngine(model, max_context=8), [request(PROMPTS[2])])


def test_the_exact_path_samples_the_same_tokens():
    model = small_model("qwen3")
    requests = [request(PROMPTS[i % 3], seed=i, max_new_tokens=4 + i) for i in range(9)]
    fast = sample(EmbeddedEngine(model, max_context=128), requests)
    slow_engine = EmbeddedEngine(model, max_context=128, config=EngineConfig(exact=True, max_batch_size=4))
    assert slow_engine.reason
    slow = sample(slow_engine, requests)
    for left, right in zip(fast, slow, strict=True):
        assert left.token_ids == right.token_ids
        assert left.logprobs == pytest.approx(right.logprobs, abs=1e-4)


def test_new_weights_are_sampled_from_after_load_weights():
    model = small_model("llama")
    engine = EmbeddedEngine(model, max_context=128)
    sample(engine, [request(PROMPTS[0])])
    with torch.no_grad():
        model.model.layers[0].mlp.down_proj.weight.mul_(-1)
        model.lm_head.weight.mul_(0.5)
    engine.load_weights(model, 7)
    got = sample(engine, [request(PROMPTS[0])])[0]
    assert got.policy_version == engine.policy_version == 7
    expected = exact_logprobs(model, PROMPTS[0], got.token_ids, 1.0)
    assert torch.allclose(torch.tensor(got.logprobs), expected, atol=1e-4)
    with pytest.raises(ValueError, match="shares its model"):
        engine.load_weights(small_model("llama"), 8)


def test_an_error_reaches_every_caller_and_the_engine_goes_on():
    engine = EmbeddedEngine(small_model("llama"), max_context=128)
    step = engine._batch.step

    def fail(waiting, decode):
        raise MemoryError("no memory")

    engine._batch.step = fail
    with pytest.raises(MemoryError):
        sample(engine, [request(PROMPTS[0], seed=i) for i in range(3)])
    engine._batch.step = step
    assert len(sample(engine, [request(PROMPTS[0])])[0].token_ids) == 12


@pytest.mark.parametrize("part", ["_admit", "_enter", "_decode_once"])
def test_an_error_in_the_midst_of_a_step_leaves_nobody_waiting(part):
    engine = EmbeddedEngine(small_model("llama"), max_context=128, config=EngineConfig(max_batch_size=2))

    def fail(*_):
        raise MemoryError("no memory")

    setattr(engine._batch, part, fail)

    async def run():
        asked = [engine.complete(request(PROMPTS[0], seed=i)) for i in range(3)]
        return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), timeout=5)

    assert [type(one) for one in asyncio.run(run())] == [MemoryError] * 3
    delattr(engine._batch, part)
    assert len(sample(engine, [request(PROMPTS[0])])[0].token_ids) == 12


def test_greedy_log_probabilities_are_the_models_own_whatever_the_filters():
    model = small_model("llama")
    asked = [
        request((1, 9, 7), temperature=0.0, max_new_tokens=6, **kept) for kept in ({}, {"top_k": 1}, {"top_p": 0.1})
    ]
    plain, *filtered = sample(EmbeddedEngine(model, max_context=64), asked)
    assert all(logprob < -1e-3 for logprob in plain.logprobs)
    for completion in filtered:
        assert completion.token_ids == plain.token_ids
        assert completion.logprobs == pytest.approx(plain.logprobs, abs=1e-5)
