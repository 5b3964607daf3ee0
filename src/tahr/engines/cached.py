"""Engines and chat models that sample nothing twice: same weights, prompt, sampling and seed, same completion."""

from __future__ import annotations

import asyncio
import json
from array import array
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from typing import Any

from tahr.core.judging import ChatModel, Reply
from tahr.core.protocols import Engine, GenerationRequest, Sampling
from tahr.core.types import Completion, FinishReason, Message
from tahr.engines.sample_cache import SampleCache as SampleCache
from tahr.engines.sample_cache import content_key

Fingerprint = Callable[[Any], str]


class CachedEngine:
    """An `Engine` that asks `engine` only for what `cache` lacks, and keeps what it gets. `num_cached` counts the rest.

    `weights` is the hash of the weights that `engine` samples from; after `load_weights` it is what `fingerprint`
    says of the new ones. Equal requests that are under way at the same time are sampled once. A greedy completion
    does not depend on the seed, nor any on room for more tokens than the context leaves.

    Example: ``CachedEngine(engine, cache, model_hash(model))``
    """

    def __init__(
        self, engine: Engine, cache: SampleCache, weights: str, *, fingerprint: Fingerprint | None = None
    ) -> None:
        self._engine = engine
        self._cache = cache
        self._weights = weights
        self._fingerprint = fingerprint or _model_hash
        self._turns = _Turns()
        self.num_cached = 0

    @property
    def policy_version(self) -> int:
        """The version of the weights that the next token will be sampled from."""
        return self._engine.policy_version

    @property
    def max_context(self) -> int:
        """The most tokens that prompt and completion may have together."""
        return self._engine.max_context

    def load_weights(self, policy: Any, version: int) -> None:
        """Sample from the trained weights from now on; what other weights gave is not given out for theirs."""
        self._engine.load_weights(policy, version)
        self._weights = self._fingerprint(policy)

    async def complete(self, request: GenerationRequest) -> Completion:
        """The completion, sampled now or at an earlier time. Raises what the engine raises."""
        key = self._key(request)
        async with self._turns.of(key):
            if (kept := self._cache.get(key)) is not None:
                self.num_cached += 1
                return replace(read_completion(kept), policy_version=self.policy_version)
            completion = await self._engine.complete(request)
            self._cache.put(key, write_completion(completion))
            return completion

    def _key(self, request: GenerationRequest) -> bytes:
        room = self.max_context - len(request.prompt_token_ids)
        sampling = replace(request.sampling, max_new_tokens=min(request.sampling.max_new_tokens, max(0, room)))
        return content_key(
            {
                "kind": "completion",
                "weights": self._weights,
                "prompt": request.prompt_token_ids,
                **_what_decides(sampling, request.seed),
            }
        )


class CachedChat:
    """A `ChatModel` that asks `chat` only for what `cache` lacks. `identity` says which model it is, settings of its
    requests included; a server that puts another model behind the same name is not found out.

    Example: ``CachedChat(chat, cache, identity={"url": "http://localhost:8000/v1", "model": "qwen3"})``
    """

    def __init__(self, chat: ChatModel, cache: SampleCache, *, identity: dict[str, Any]) -> None:
        self._chat = chat
        self._cache = cache
        self._identity = identity
        self._turns = _Turns()
        self.num_cached = 0

    @property
    def name(self) -> str:
        """What provenance calls it."""
        return self._chat.name

    async def chat(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Reply:
        """The reply, given now or at an earlier time. Raises what the chat model raises."""
        talk = [[message.role, message.content] for message in messages]
        decides = {"sampling": asdict(sampling), "seed": seed}  # a server's greedy answers may still differ by seed
        key = content_key({"kind": "reply", "model": self._identity, "messages": talk, **decides})
        async with self._turns.of(key):
            if (kept := self._cache.get(key)) is not None:
                self.num_cached += 1
                values: Any = json.loads(kept)
                return Reply(**(values | {"finish_reason": FinishReason(values["finish_reason"])}))
            reply = await self._chat.chat(messages, sampling, seed)
            self._cache.put(key, json.dumps(asdict(reply)).encode())
            return reply


class _Turns:
    """Lets one caller at a time through for each key: the next finds in the cache what the one before put there."""

    def __init__(self) -> None:
        self._under_way: dict[bytes, asyncio.Future[None]] = {}

    @asynccontextmanager
    async def of(self, key: bytes) -> AsyncGenerator[None]:
        while (before := self._under_way.get(key)) is not None:
            await asyncio.wait([before])  # a caller that is cancelled leaves the one before at work
        mine = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            del self._under_way[key]
            mine.set_result(None)


def write_completion(completion: Completion) -> bytes:
    """A completion as bytes: one for the finish reason, then ids (int32), then log-probabilities (float64)."""
    reason = list(FinishReason).index(completion.finish_reason)
    return bytes([reason]) + array("i", completion.token_ids).tobytes() + array("d", completion.logprobs).tobytes()


def read_completion(kept: bytes) -> Completion:
    """The completion that `write_completion` wrote, of policy version 0."""
    count = (len(kept) - 1) // 12
    ids, logprobs = array("i"), array("d")
    ids.frombytes(kept[1 : 1 + 4 * count])
    logprobs.frombytes(kept[1 + 4 * count :])
    return Completion(
        token_ids=tuple(ids),
        logprobs=tuple(logprobs),
        finish_reason=list(FinishReason)[kept[0]],
        policy_version=0,
    )


def _what_decides(sampling: Sampling, seed: int) -> dict[str, Any]:
    """Sampling and seed without what changes nothing: greedy completions have neither a seed nor filters."""
    if sampling.temperature == 0:
        sampling, seed = replace(sampling, top_p=1.0, top_k=0, min_p=0.0), 0
    return {"sampling": asdict(sampling), "seed": seed}


def _model_hash(policy: Any) -> str:
    from tahr.models.fingerprint import model_hash

    return model_hash(policy)
