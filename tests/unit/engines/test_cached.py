"""Nothing is sampled twice, and nothing is given out for what it isn't."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import dataclass, field, replace

import pytest

from tahr.core.errors import EngineError, InputError
from tahr.core.protocols import GenerationRequest, Sampling
from tahr.core.types import Completion, FinishReason, Message
from tahr.engines.cached import CachedChat, CachedEngine, SampleCache, read_completion, write_completion
from talking_models import Talker

REQUEST = GenerationRequest(
    prompt_token_ids=(1, 9, 7), sampling=Sampling(max_new_tokens=4, temperature=0.7, stop_token_ids=(2,)), seed=17
)


@dataclass
class Counter:
    """An engine whose completion is the number of the call, and whose calls a test can make fail."""

    policy_version: int = 3
    max_context: int = 16
    failing: int = 0
    asked: list[GenerationRequest] = field(default_factory=list)

    def load_weights(self, policy: object, version: int) -> None:
        self.policy_version = version

    async def complete(self, request: GenerationRequest) -> Completion:
        self.asked.append(request)
        await asyncio.sleep(0)
        if self.failing:
            self.failing -= 1
            raise EngineError("gone")
        return Completion(
            token_ids=(len(self.asked), 49_151, 2),
            logprobs=(-0.1, -1e-300, -0.123456789012345678),
            finish_reason=FinishReason.LENGTH,
            policy_version=self.policy_version,
        )


@pytest.fixture
def cache(tmp_path):
    with SampleCache(tmp_path / "deep" / "samples.sqlite") as cache:
        yield cache


def ask(engine: CachedEngine, *requests: GenerationRequest) -> list[Completion]:
    async def all_at_once() -> list[Completion]:
        return list(await asyncio.gather(*map(engine.complete, requests)))

    return asyncio.run(all_at_once())


def test_a_second_engine_of_the_same_weights_samples_nothing(cache):
    [first] = ask(CachedEngine(Counter(), cache, "w"), REQUEST)
    other = Counter(policy_version=8)
    engine = CachedEngine(other, cache, "w")
    [second] = ask(engine, REQUEST)
    assert (other.asked, engine.num_cached) == ([], 1)
    assert second == replace(first, policy_version=8)  # to the last bit of its log-probabilities


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, seed=18),
        replace(REQUEST, prompt_token_ids=(1, 97)),
        replace(REQUEST, sampling=replace(REQUEST.sampling, max_new_tokens=5)),
        replace(REQUEST, sampling=replace(REQUEST.sampling, temperature=0.8)),
        replace(REQUEST, sampling=replace(REQUEST.sampling, top_p=0.9)),
        replace(REQUEST, sampling=replace(REQUEST.sampling, top_k=5)),
        replace(REQUEST, sampling=replace(REQUEST.sampling, min_p=0.1)),
        replace(REQUEST, sampling=replace(REQUEST.sampling, stop=("a",))),
        replace(REQUEST, sampling=replace(REQUEST.sampling, stop_token_ids=(2, 3))),
    ],
)
def test_whatever_decides_a_completion_is_in_its_key(cache, other):
    inner = Counter()
    ask(CachedEngine(inner, cache, "w"), REQUEST, other)
    assert len(inner.asked) == 2


def test_other_weights_are_asked_anew_also_those_loaded_later(cache):
    inner = Counter()
    ask(CachedEngine(inner, cache, "w"), REQUEST)
    engine = CachedEngine(inner, cache, "v", fingerprint=str)
    ask(engine, REQUEST)
    engine.load_weights("u", 4)
    ask(engine, REQUEST)
    assert (len(inner.asked), engine.num_cached, engine.policy_version) == (3, 0, 4)


def test_greedy_completions_have_neither_seed_nor_filters(cache):
    inner = Counter()
    greedy = Sampling(max_new_tokens=4, temperature=0.0)
    filtered = replace(greedy, top_k=5, top_p=0.5)
    asked = [GenerationRequest(prompt_token_ids=(1,), sampling=s, seed=n) for n, s in enumerate((greedy, filtered))]
    first, second = ask(CachedEngine(inner, cache, "w"), *asked)
    assert first == second
    assert len(inner.asked) == 1


def test_more_room_than_the_context_leaves_changes_nothing_but_a_longer_context_does(cache):
    roomy = replace(REQUEST, sampling=replace(REQUEST.sampling, max_new_tokens=1000))
    exact = replace(REQUEST, sampling=replace(REQUEST.sampling, max_new_tokens=13))
    inner = Counter()
    ask(CachedEngine(inner, cache, "w"), roomy, exact)
    assert len(inner.asked) == 1
    longer = Counter(max_context=32)
    ask(CachedEngine(longer, cache, "w"), roomy)
    assert len(longer.asked) == 1


def test_equal_requests_at_the_same_time_are_sampled_once(cache):
    inner = Counter()
    engine = CachedEngine(inner, cache, "w")
    assert len(set(ask(engine, *[REQUEST] * 5))) == 1
    assert (len(inner.asked), engine.num_cached) == (1, 4)


def test_a_failure_is_not_kept_and_stops_no_other_caller(cache):
    inner = Counter(failing=1)
    engine = CachedEngine(inner, cache, "w")

    async def both() -> list[object]:
        return await asyncio.gather(*map(engine.complete, [REQUEST] * 2), return_exceptions=True)

    failed, completed = asyncio.run(both())
    assert isinstance(failed, EngineError)
    assert isinstance(completed, Completion)
    assert (len(inner.asked), len(cache)) == (2, 1)


def test_a_caller_that_is_cancelled_leaves_the_others_at_work(cache):
    inner = Counter()
    engine = CachedEngine(inner, cache, "w")

    async def first_is_cancelled() -> Completion:
        first, second = (asyncio.create_task(engine.complete(REQUEST)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert asyncio.run(asyncio.wait_for(first_is_cancelled(), 5)).token_ids[0] == 2


def test_completions_are_written_and_read_without_loss():
    empty = Completion(token_ids=(), logprobs=(), finish_reason=FinishReason.STOP, policy_version=0)
    assert read_completion(write_completion(empty)) == empty
    assert len(write_completion(replace(empty, token_ids=(5,), logprobs=(-0.5,)))) == 13


def test_replies_are_kept_by_model_and_words(cache):
    talker = Talker(lambda text: text.upper())
    sampling = Sampling(max_new_tokens=4)

    def reply(model: str, text: str, seed: int = 0):
        chat = CachedChat(talker, cache, identity={"model": model})
        return asyncio.run(chat.chat([Message(role="user", content=text)], sampling, seed)), chat.num_cached

    assert reply("a", "hi")[1] == 0
    again, num_cached = reply("a", "hi")
    assert (again.text, again.finish_reason, again.num_tokens, num_cached) == ("HI", FinishReason.STOP, None, 1)
    assert [reply("b", "hi")[1], reply("a", "ho")[1], reply("a", "hi", seed=1)[1]] == [0, 0, 0]
    assert talker.asked == ["hi", "hi", "ho", "hi"]


def test_a_killed_process_loses_nothing_that_was_put(tmp_path):
    path = tmp_path / "samples.sqlite"
    code = (
        "import os, signal, sys; from pathlib import Path; from tahr.engines.sample_cache import SampleCache\n"
        "cache = SampleCache(Path(sys.argv[1]))\n"
        "for n in range(100): cache.put(bytes([n]), b'x' * 1000)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], timeout=60, check=False)
    with SampleCache(path) as cache:
        assert len(cache) == 100
        assert cache.get(bytes([99])) == b"x" * 1000


def test_a_damaged_file_is_told_apart_from_a_cache(tmp_path):
    path = tmp_path / "samples.sqlite"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(InputError, match="damaged"):
        SampleCache(path)
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="needs a folder"):
        SampleCache(tmp_path / "taken" / "samples.sqlite")


@pytest.mark.parametrize("damage", ["x''", "x'00'", "substr(value, 1, length(value) - 4)", "value || x'00'", "'text'"])
def test_a_damaged_row_is_sampled_anew(cache, damage):
    cache.put(b"one", b"value of one")
    cache.put(b"two", b"value of two")
    cache._run(f"UPDATE samples SET value = {damage} WHERE key = ?", b"one")
    assert cache.get(b"one") is None
    assert cache.get(b"two") == b"value of two"
    cache.put(b"one", b"value of one")
    assert cache.get(b"one") == b"value of one"


def test_a_value_under_another_key_is_not_given_out(cache):
    cache.put(b"one", b"value")
    cache._run("UPDATE samples SET key = ?", b"two")
    assert cache.get(b"two") is None
