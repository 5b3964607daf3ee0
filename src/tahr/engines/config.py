"""The ``[engine]`` section of a recipe, and the chat models that it names."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from tahr.core.config import Config
from tahr.core.protocols import Sampling


class EngineConfig(Config):
    """The embedded engine's bounds: what does not fit waits for its turn."""

    max_batch_size: int = Field(default=64, ge=1, description="most completions sampled at once")
    cache_gib: float = Field(default=2.0, gt=0, description="most memory of the key/value cache, in GiB")
    exact: bool = Field(default=False, description="sample through transformers instead of tahr's own decoder")


class SamplingConfig(Config):
    """How completions are drawn (``[rlvr.sampling]``)."""

    max_new_tokens: int = Field(default=64, ge=1, description="most tokens of one completion")
    temperature: float = Field(default=1.0, ge=0, description="1 samples from the policy itself, 0 is greedy")
    top_p: float = Field(default=1.0, gt=0, le=1, description="keep the likeliest tokens up to this probability")
    top_k: int = Field(default=0, ge=0, description="keep this many likeliest tokens; 0 keeps all")
    min_p: float = Field(default=0.0, ge=0, lt=1, description="drop tokens below this share of the likeliest one")
    stop: tuple[Annotated[str, Field(min_length=1)], ...] = Field(default=(), description="texts that end a completion")

    def to_sampling(self) -> Sampling:
        """The same for an engine or a chat model."""
        return Sampling(**dict(self))


class ChatModelConfig(Config):
    """A chat model beside the policy, that writes answers or judges them: held here, or behind a server.

    One of `source` and `url` is given. A server speaks OpenAI's ``POST URL/chat/completions``.
    """

    source: str = Field(
        default="", description="a model held in this process: packaged name, folder, finished run, .gguf file, hub id"
    )
    dtype: Literal["float32", "bfloat16"] = Field(default="float32", description="type of its weights")
    device: str = Field(default="auto", description="cpu, cuda, cuda:1, ...; auto takes a GPU where there is one")
    max_context: int = Field(default=4096, ge=8, description="most tokens of prompt and answer of a model held here")
    url: str = Field(default="", description="a server's address up to /v1, such as http://localhost:8000/v1")
    model: str = Field(default="", description="what the server calls the model")
    api_key_env: str = Field(
        default="", description="environment variable that holds the server's key; the key itself is never kept"
    )
    token_limit: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", description="what the server calls the most tokens of an answer"
    )
    timeout_seconds: float = Field(
        default=120.0, gt=0, description="longest time that one answer of the server may take"
    )
    max_retries: int = Field(default=4, ge=0, description="further tries where the server is busy, failing or silent")
    max_wait_seconds: float = Field(
        default=60.0, ge=0, description="longest pause before a further try; a server that asks for more is given up"
    )
    max_concurrency: int = Field(default=8, ge=1, description="most requests that wait on the server at once")
    request: dict[str, Any] = Field(
        default_factory=dict,
        description="further keys of every request to the server, such as { reasoning_effort = 'low' }",
    )

    @model_validator(mode="after")
    def _one_place(self) -> ChatModelConfig:
        if bool(self.source) == bool(self.url):
            raise ValueError("a chat model has a source (held here) or a url (behind a server): one of the two")
        if not self.url:
            # by value: the resolved settings that a run keeps hold every key, and are read again where it goes on
            default = type(self).model_fields
            of_servers = [
                name
                for name in ("api_key_env", "model", "request", "token_limit")
                if getattr(self, name) != default[name].get_default(call_default_factory=True)
            ]
            if of_servers:
                raise ValueError(f"{', '.join(of_servers)}: only for a model behind a url")
            return self
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("url must be an address such as http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise ValueError("url must hold no password and no query: name the key's variable in api_key_env")
        if not self.model:
            raise ValueError("model is missing: what the server calls the model")
        return self
