"""An engine that is spoken to in messages. Needs no torch until a model is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tahr.core.errors import EngineError, InputError
from tahr.core.judging import ChatModel, Reply
from tahr.core.protocols import Engine, GenerationRequest, Renderer, Sampling
from tahr.core.types import Message
from tahr.engines.config import ChatModelConfig, EngineConfig
from tahr.models.config import ModelConfig
from tahr.models.hub import fetch
from tahr.models.kept_fingerprint import fingerprint_of, kept_fingerprint

KIND = "chat"
"""What its fingerprint is kept as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineChat:
    """A `ChatModel` of an engine and the renderer of its model.

    `label` is the model's name; `versioned` adds the version of the weights to it, for a policy that learns.

    Example: ``EngineChat(label="policy", engine=engine, renderer=renderer, versioned=True)``
    """

    label: str
    engine: Engine
    renderer: Renderer
    versioned: bool = False

    @property
    def name(self) -> str:
        """The label, and ``@VERSION`` where the weights change."""
        return f"{self.label}@{self.engine.policy_version}" if self.versioned else self.label

    async def chat(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Reply:
        """Answer the conversation; an answer ends at the latest with the template's end of a turn.

        Special tokens that are written out in a message are taken apart: no message can end its own turn and speak for
        another. Raises EngineError where the conversation can't be put to this model (too long, a role or a
        character that it doesn't know), or the engine failed.
        """
        try:
            prompt = self.renderer.render([_plain(message, self.renderer) for message in messages])
        except InputError as error:
            raise EngineError(f"{self.label}: {error.wrong}", received=error.received) from error
        if len(prompt) >= self.engine.max_context:
            raise EngineError(
                f"{self.label}: the conversation leaves no room for an answer",
                received=f"{len(prompt)} tokens",
                instead=f"at most {self.engine.max_context - 1}, or a larger max_context",
            )
        stops = tuple(dict.fromkeys((*sampling.stop_token_ids, *self.renderer.stop_token_ids)))
        request = GenerationRequest(
            prompt_token_ids=prompt, sampling=replace(sampling, stop_token_ids=stops), seed=seed
        )
        completion = await self.engine.complete(request)
        return Reply(
            text=self.renderer.decode(completion.token_ids),
            finish_reason=completion.finish_reason,
            num_prompt_tokens=len(prompt),
            num_tokens=len(completion.token_ids),
        )


@dataclass(slots=True, kw_only=True)
class WaitingChat:
    """A `ChatModel` that `open` loads when it is first asked. `label` is the name that it has then.

    Example: ``WaitingChat(label="large:1f3870be274f6c49", open=lambda: EngineChat(...))``
    """

    label: str
    open: Callable[[], EngineChat]
    _opened: EngineChat | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """The label."""
        return self.label

    async def chat(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Reply:
        """As `EngineChat.chat`. Raises what loading raises, and InputError where another model was loaded."""
        if self._opened is None:
            self._opened = self.open()
        if self._opened.label != self.label:
            raise InputError(
                "a model changed while it was waiting to be asked",
                received=f"{self._opened.label}, before {self.label}",
                instead="the same command again",
            )
        return await self._opened.chat(messages, sampling, seed)


def fetch_chat_model(config: ChatModelConfig) -> None:
    """See to it now that `open_chat_model` will find what it needs: a hub model is downloaded, a server has its key.

    Raises InputError: no such model, a hub that can't be reached, a key that is not set.
    """
    if config.url:
        from tahr.engines.http.client import read_key

        read_key(config.api_key_env)
    else:
        fetch(held_as(config))


def held_as(config: ChatModelConfig) -> ModelConfig:
    """How a chat model with a source is held in this process."""
    return ModelConfig(source=config.source, dtype=config.dtype, device=config.device, max_context=config.max_context)


def open_chat_model(name: str, config: ChatModelConfig, *, engine: EngineConfig | None = None) -> ChatModel:
    """The chat model that `config` describes, ready to answer; a server is not asked yet.

    A source is loaded, but for one whose files have not changed since it was last loaded: its name is known, and it is
    loaded when it is first asked. Its name in provenance is `name` with the hash of its weights, or with what the
    server calls it. Raises InputError and ResourceError as `tahr.models.load.load_model` does, and InputError where a
    server's key is not set.
    """
    if config.url:
        from tahr.engines.http.client import HttpChat

        return HttpChat(label=f"{name}:{config.model}", config=config)
    kept = kept_fingerprint(held_as(config), KIND)
    if kept is not None:
        return WaitingChat(label=f"{name}:{kept}", open=lambda: _load(name, config, engine))
    opened = _load(name, config, engine)
    fingerprint_of(held_as(config), KIND, lambda: opened.label.removeprefix(f"{name}:"))
    return opened


def _load(name: str, config: ChatModelConfig, engine: EngineConfig | None) -> EngineChat:
    from tahr.engines.embedded.engine import EmbeddedEngine
    from tahr.models.load import load_model

    loaded = load_model(held_as(config))
    loaded.model.requires_grad_(False)
    embedded = EmbeddedEngine(
        loaded.model, max_context=config.max_context, config=engine, decode=loaded.renderer.decode
    )
    return EngineChat(label=f"{name}:{loaded.fingerprint()}", engine=embedded, renderer=loaded.renderer)


def _plain(message: Message, renderer: Renderer) -> Message:
    """The message with a blank inside whatever its model's tokenizer would read as more than text."""
    special: Sequence[str] = getattr(renderer, "special_texts", ())
    content = message.content
    for text in sorted(special, key=len, reverse=True):
        if len(text) > 1 and text in content:
            content = content.replace(text, f"{text[0]} {text[1:]}")
    return replace(message, content=content)
