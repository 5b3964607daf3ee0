"""A chat model behind a server: bounded in time, tries, size and requests at once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
from pydantic import SecretStr

from tahr.core.errors import EngineError, InputError
from tahr.core.judging import Reply
from tahr.core.protocols import Sampling
from tahr.core.seeding import stream
from tahr.core.types import Message
from tahr.engines.config import ChatModelConfig
from tahr.engines.http.reading import RETRIED, read_reply, retry_after, shown

MAX_BYTES = 16 * 2**20
"""Largest answer that is read."""

FIRST_PAUSE_SECONDS = 0.5
"""Before the second try; each further pause is twice as long."""


@dataclass(slots=True, kw_only=True)
class Usage:
    """What was asked of a server. Tokens are those of answers whose tokens it tells; `num_uncounted` are the others.

    Example: ``Usage(num_requests=3, num_retries=1, num_prompt_tokens=120, num_tokens=48)``
    """

    num_requests: int = 0
    num_retries: int = 0
    num_prompt_tokens: int = 0
    num_tokens: int = 0
    num_uncounted: int = 0


class _TryAgainError(Exception):
    """One try failed in a way that may pass. `seconds` is what the server asks to wait, None where it doesn't say."""

    def __init__(self, reason: str, received: str = "", seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.received, self.seconds = reason, received, seconds


class HttpChat:
    """The `ChatModel` that a server calls `config.model`. `usage` counts what was asked of it.

    The key is read from the environment when the model is made, goes into one header, and is taken out of whatever an
    error shows. Redirects are not followed, since they would hand it on. Raises InputError where it is not set.
    """

    def __init__(self, *, label: str, config: ChatModelConfig) -> None:
        self._label = label
        self._config = config
        self._address = f"{config.url.rstrip('/')}/chat/completions"
        self._key = read_key(config.api_key_env)
        self._open: tuple[asyncio.AbstractEventLoop, httpx2.AsyncClient, asyncio.Semaphore] | None = None
        self.usage = Usage()

    @property
    def name(self) -> str:
        """The label, with what the server calls the model."""
        return self._label

    async def chat(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Reply:
        """Answer the conversation. Raises EngineError where the server gave none within the bounds of the config."""
        client, slots = self._connection()
        body = self._body(messages, sampling, seed)
        jitter = stream(seed, "pause before another try")
        async with slots:
            for attempt in range(self._config.max_retries + 1):
                self.usage.num_requests += 1
                self.usage.num_retries += attempt > 0
                try:
                    return self._count(await self._try(client, body))
                except _TryAgainError as failure:
                    pause = FIRST_PAUSE_SECONDS * 2**attempt * (0.5 + jitter.random() / 2)
                    pause = min(pause, self._config.max_wait_seconds) if failure.seconds is None else failure.seconds
                    if attempt == self._config.max_retries or pause > self._config.max_wait_seconds:
                        raise self._given_up(failure, attempt + 1, pause) from failure
                await asyncio.sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def close(self) -> None:
        """Let go of the connections; the next `chat` opens new ones."""
        if self._open is not None:
            _, client, _ = self._open
            self._open = None
            await client.aclose()

    def _connection(self) -> tuple[httpx2.AsyncClient, asyncio.Semaphore]:
        """The client of the running event loop: connections can't be used in another one."""
        loop = asyncio.get_running_loop()
        if self._open is None or self._open[0] is not loop:
            most = self._config.max_concurrency
            headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"} if self._key else {}
            client = httpx2.AsyncClient(
                headers=headers, timeout=self._config.timeout_seconds, limits=httpx2.Limits(max_connections=most)
            )
            self._open = loop, client, asyncio.Semaphore(most)
        return self._open[1], self._open[2]

    def _body(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> dict[str, Any]:
        """The request. Settings that OpenAI's protocol lacks are sent only where they change something; what the config
        adds replaces none of them."""
        body: dict[str, Any] = {
            "model": self._config.model,
            "messages": [{"role": message.role, "content": _whole(message.content)} for message in messages],
            self._config.token_limit: sampling.max_new_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": seed % 2**31,  # what every server takes
        }
        further: dict[str, Any] = {
            "stop": sampling.stop,
            "stop_token_ids": sampling.stop_token_ids,
            "top_k": sampling.top_k,
            "min_p": sampling.min_p,
        }
        return self._config.request | body | {name: value for name, value in further.items() if value}

    async def _try(self, client: httpx2.AsyncClient, body: dict[str, Any]) -> Reply:
        """One request. Raises _TryAgainError or EngineError."""
        try:
            # the client's own timeout is of each read, so that a server that drips would never end
            async with asyncio.timeout(self._config.timeout_seconds):
                status, wait, text = await self._post(client, body)
        except TimeoutError as error:
            raise _TryAgainError(f"no answer within {self._config.timeout_seconds:g} s") from error
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise _TryAgainError(self._clean(f"{type(error).__name__}: {error}")) from error
        if status in RETRIED:
            raise _TryAgainError(f"status {status}", self._clean(text), retry_after(wait))
        if status != 200:
            hint = f"check {self._config.api_key_env or 'api_key_env'}" if status in {401, 403} else ""
            raise EngineError(
                f"{self._label}: the server refused with status {status}",
                received=shown(self._clean(text)),
                instead=hint,
            )
        return read_reply(text, self._label, clean=self._clean)

    async def _post(self, client: httpx2.AsyncClient, body: dict[str, Any]) -> tuple[int, str | None, str]:
        """Status, ``Retry-After`` and text of the answer."""
        async with client.stream("POST", self._address, json=body) as response:
            content = bytearray()
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > MAX_BYTES:
                    raise EngineError(f"{self._label}: the answer has more than {MAX_BYTES} bytes")
            return response.status_code, response.headers.get("retry-after"), content.decode("utf-8", "replace")

    def _count(self, reply: Reply) -> Reply:
        self.usage.num_prompt_tokens += reply.num_prompt_tokens or 0
        self.usage.num_tokens += reply.num_tokens or 0
        self.usage.num_uncounted += reply.num_tokens is None or reply.num_prompt_tokens is None
        return reply

    def _given_up(self, failure: _TryAgainError, tries: int, pause: float) -> EngineError:
        asked = f", and the server asks to wait {pause:g} s" if pause > self._config.max_wait_seconds else ""
        return EngineError(
            f"{self._label}: no answer from {self._config.url} in {tries} {'try' if tries == 1 else 'tries'} "
            f"({failure.reason}{asked})",
            received=shown(failure.received) if failure.received else None,
            instead="a server that is up and has room; fewer requests at once (max_concurrency) or a longer "
            "timeout_seconds",
        )

    def _clean(self, text: str) -> str:
        """`text` without the key, which servers like to repeat."""
        return text.replace(self._key.get_secret_value(), "***") if self._key else text


def read_key(variable: str) -> SecretStr | None:
    """The key that the environment variable holds, None where none is named. Raises InputError where it holds none."""
    if not variable:
        return None
    key = os.environ.get(variable, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise InputError(
            "the server's key is not set, or holds what no key holds",
            received=f"the environment variable {variable}",
            instead=f"export {variable}=...",
        )
    return SecretStr(key)


def _whole(text: str) -> str:
    """`text` without halves of characters, which JSON can't be encoded with."""
    return text.encode("utf-8", "replace").decode()
