"""The model that a suite is asked of: held in this process, or behind a server; both behind the cache of samples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tahr.core.protocols import Sampling
from tahr.core.types import Scored, Task
from tahr.engines.cached import CachedChat, CachedEngine
from tahr.engines.config import ChatModelConfig, EngineConfig
from tahr.engines.sample_cache import SampleCache
from tahr.evaluation.runner import Collects, evaluation_row
from tahr.evaluation.served import AT, ChatCollector, is_served, served_config
from tahr.evaluation.suites.config import SuiteSampling, SuiteSetting
from tahr.models.config import ModelConfig
from tahr.recipe.suite_guard import suite_label
from tahr.recipe.unseen_guard import contamination_of
from tahr.rollout.collect import Collector
from tahr.store.records import Conditions, EvaluationRow
from tahr.verifiers.build import VerifierSet

if TYPE_CHECKING:
    from torch import nn

    from tahr.engines.http.client import HttpChat
    from tahr.models.chat import ChatRenderer
    from tahr.models.load import LoadedModel

CACHE_NAME = ".samples.sqlite"
"""The cache of samples, in the folder of runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A model in one setting: what collects its attempts, what makes a row of one, and what ends it all.

    Example: ``Asked(collector=collector, row=evaluation_row)``
    """

    collector: Collects
    row: Callable[[Task, Scored], EvaluationRow]
    close: Callable[[], Awaitable[None]] | None = None


@dataclass(kw_only=True)
class HeldModel:
    """A model loaded into this process. `num_cached` counts, over all settings, what was not sampled anew."""

    loaded: LoadedModel
    config: ModelConfig
    engine: EngineConfig
    cache: SampleCache
    request: str = ""

    def asked(self, verifiers: VerifierSet, *, seed: int, thinking: bool | None) -> Asked:
        """The model under one setting. Raises InputError where its template has no switch for `thinking`."""
        collector = self.collector(verifiers, seed=seed, thinking=thinking)
        decode = collector.renderer.decode
        return Asked(collector=collector, row=lambda task, scored: evaluation_row(task, scored, decode))

    def collector(self, verifiers: VerifierSet, *, seed: int, thinking: bool | None) -> Collector:
        """Plays attempts on an engine behind the cache. Raises as `asked`."""
        renderer = self.renderer(thinking)
        return Collector(engine=self._cached, renderer=renderer, verifiers=verifiers, run_seed=seed)

    def renderer(self, thinking: bool | None) -> ChatRenderer:
        """The chat template as it is, or with its switch for thinking turned. Raises as `asked`."""
        return self.loaded.renderer if thinking is None else self.loaded.renderer.with_thinking(thinking)

    async def close(self) -> None:
        """Nothing is open."""

    @property
    def num_cached(self) -> int:
        """Completions that the cache had."""
        return self._cached.num_cached

    @cached_property
    def _cached(self) -> CachedEngine:
        from tahr.engines.embedded.engine import EmbeddedEngine

        decode = self.loaded.renderer.decode
        embedded = EmbeddedEngine(
            self.loaded.model, max_context=self.config.max_context, config=self.engine, decode=decode
        )
        return CachedEngine(embedded, self.cache, self.weights)

    @cached_property
    def weights(self) -> str:
        """The fingerprint of what answers: weights, config, template, tokenizer."""
        return self.loaded.fingerprint()

    @property
    def size(self) -> tuple[int, int]:
        """Parameters, and bytes of the weights as sampled from."""
        return size_of(self.loaded.model)


@dataclass(kw_only=True)
class ServedModel:
    """A model behind an OpenAI-compatible server, called ``NAME@URL``; `settings` are those of its requests.

    Its weights are unknown: what the cache holds is found again by the server's address and the model's name.
    """

    name: str
    settings: dict[str, Any]
    cache: SampleCache
    weights: str = ""
    size: tuple[int, int] = (0, 0)
    _chats: list[tuple[HttpChat, CachedChat]] = field(default_factory=list["tuple[HttpChat, CachedChat]"])

    @property
    def num_cached(self) -> int:
        """Replies that the cache had."""
        return sum(cached.num_cached for _, cached in self._chats)

    @property
    def request(self) -> str:
        """What requests ask for besides, as JSON; empty where it is nothing."""
        asked = {
            name: value for name, value in self.settings.items() if name not in {"url", "model"} and "key" not in name
        }
        return json.dumps(asked, sort_keys=True, default=str) if asked else ""

    def asked(self, verifiers: VerifierSet, *, seed: int, thinking: bool | None) -> Asked:
        """The model under one setting. Raises InputError where the address, a setting or the key is wrong."""
        collector = self.collector(verifiers, seed=seed, thinking=thinking)
        return Asked(collector=collector, row=collector.row, close=self.close)

    def collector(self, verifiers: VerifierSet, *, seed: int, thinking: bool | None) -> ChatCollector:
        """Asks for attempts, behind the cache. Raises as `asked`."""
        from tahr.engines.http.client import HttpChat

        config = self._config(thinking)
        chat = HttpChat(label=config.model, config=config)
        identity = {"url": config.url, "model": config.model, "request": config.request}
        cached = CachedChat(chat, self.cache, identity=identity)
        self._chats.append((chat, cached))
        return ChatCollector(chat=cached, verifiers=verifiers, run_seed=seed)

    async def close(self) -> None:
        """Let go of all connections; who asks again opens new ones."""
        for chat, _ in self._chats:
            await chat.close()

    def _config(self, thinking: bool | None) -> ChatModelConfig:
        named = served_config(self.name, thinking)
        request = {**self.settings.get("request", {}), **named.request}
        values = {"url": named.url, "model": named.model, **self.settings, "request": request}
        return ChatModelConfig.read(values, where="server")


SuiteModel = HeldModel | ServedModel


def open_model(config: ModelConfig, *, engine: EngineConfig, server: dict[str, Any], cache: SampleCache) -> SuiteModel:
    """The model of that source, loaded unless a server holds it. Raises as loading does."""
    if is_served(config.source):
        return ServedModel(name=config.source, settings=server, cache=cache)
    from tahr.models.load import load_model

    loaded = load_model(config)
    loaded.model.requires_grad_(False)
    return HeldModel(loaded=loaded, config=config, engine=engine, cache=cache)


def model_label(source: str) -> str:
    """A model's name for a folder: its folder's or the hub's last part, or what its server calls it.

    >>> model_label("Qwen/Qwen3-0.6B@http://localhost:8000/v1"), model_label("runs/tiny/model")
    ('Qwen3-0.6B', 'model')
    """
    return Path(source.partition(AT)[0]).name


def size_of(model: nn.Module) -> tuple[int, int]:
    """Parameters of a model, tied ones once, and their bytes."""
    parameters = list(model.parameters())
    return sum(one.numel() for one in parameters), sum(one.numel() * one.element_size() for one in parameters)


def conditions_of(
    *,
    suite: str,
    setting: str,
    asked: SuiteSetting,
    source: str,
    weights: str,
    size: tuple[int, int],
    sampling: Sampling,
    of_suite: SuiteSampling,
    training: str = "",
    request: str = "",
    contaminated: str | None = None,
) -> Conditions:
    """The conditions of an evaluation of `suite` (a name or a file), before anything was spent on it.

    `source` is the model as asked for; `training` says what made its weights, where that is more than the source.
    `asked` is the setting of that name, `request` what a server is asked for besides. `contaminated` is what the
    source's own run says where it is None.
    """
    return Conditions(
        suite=suite_label(suite),
        setting=setting,
        model=source,
        training=training or source,
        weights=weights,
        num_parameters=size[0],
        num_bytes=size[1],
        seed=of_suite.seed,
        temperature=sampling.temperature,
        max_new_tokens=sampling.max_new_tokens,
        samples_per_task=of_suite.samples_per_task,
        seconds=0.0,
        num_cached=0,
        filters=_filters(sampling),
        request=request,
        wording=_wording(asked),
        contaminated=contamination_of(source) if contaminated is None else contaminated,
    )


def _filters(sampling: Sampling) -> str:
    """The filters that leave tokens out; none do where the likeliest is taken."""
    if sampling.temperature == 0:
        return ""
    off = Sampling(max_new_tokens=1)
    values = ((name, getattr(sampling, name), getattr(off, name)) for name in ("top_p", "top_k", "min_p"))
    return ", ".join(f"{name} {value:g}" for name, value, without in values if value != without)


def _wording(asked: SuiteSetting) -> str:
    """A hash of all that a setting puts around a question and how it is played, its budget of tokens aside."""
    text = asked.model_dump_json(exclude={"max_new_tokens"}, exclude_defaults=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
