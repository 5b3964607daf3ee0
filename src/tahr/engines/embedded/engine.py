"""The embedded engine: continuous batching over the weights that are being trained, in this process.

Completions that wait at the same time share the batch; a prompt that several of them begin with is computed once. A
completion that ends leaves the batch at once and one that waits takes its place, so that any number of requests
runs within the cache's bound.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from tahr.core.errors import InputError
from tahr.core.protocols import GenerationRequest
from tahr.core.types import Completion
from tahr.engines.config import EngineConfig
from tahr.engines.embedded.batch import FastBatch
from tahr.engines.embedded.exact import ExactBatch
from tahr.engines.embedded.row import Row
from tahr.models.decoder import Decoder, unsupported

Decode = Callable[[Sequence[int]], str]


class EmbeddedEngine:
    """Samples from `model`, which the trainer may change between calls of `load_weights`.

    `max_context` bounds prompt and completion together; `decode` is needed for stop strings only. `reason` says why
    sampling goes through `transformers` itself; it is None where tahr's own decoder is used.
    """

    def __init__(
        self, model: nn.Module, *, max_context: int, config: EngineConfig | None = None, decode: Decode | None = None
    ) -> None:
        config = config or EngineConfig()
        self._model = model
        self._max_context = max_context
        self._decode = decode
        self._version = 0
        self._waiting: deque[Row] = deque()
        self._driver: asyncio.Task[None] | None = None
        asked = "the exact path was asked for" if config.exact else None
        self.reason = asked or unsupported(model, max_context=max_context)
        if self.reason is None:
            self._batch: FastBatch | ExactBatch = FastBatch(Decoder(model), config)
        else:
            self._batch = ExactBatch(model, config)

    @property
    def policy_version(self) -> int:
        """The version of the weights that the next token will be sampled from."""
        return self._version

    @property
    def max_context(self) -> int:
        """The most tokens that prompt and completion may have together."""
        return self._max_context

    def load_weights(self, policy: Any, version: int) -> None:
        """Take up the trained weights. `policy` must be the model that the engine was made with: they are shared."""
        if policy is not self._model:
            raise ValueError("the embedded engine shares its model with the trainer; it can't take another one")
        self._version = version
        self._batch.refresh()

    async def complete(self, request: GenerationRequest) -> Completion:
        """Sample one completion. Raises InputError where the prompt leaves no room for a token."""
        room = self._max_context - len(request.prompt_token_ids)
        if room < 1 or not request.prompt_token_ids:
            raise InputError(
                "a prompt must have at least one token and leave room for one more",
                received=f"{len(request.prompt_token_ids)} tokens",
                instead=f"at most {self._max_context - 1} (model.max_context = {self._max_context})",
            )
        if request.sampling.stop and self._decode is None:
            raise InputError("stop strings need an engine that can decode", received=request.sampling.stop)
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._waiting.append(Row(request, future, max_new_tokens=min(room, request.sampling.max_new_tokens)))
        if self._driver is None or self._driver.done():
            self._driver = asyncio.create_task(self._drive())
        return await future

    async def _drive(self) -> None:
        """Step until nothing is left; an error goes to every caller who waits."""
        while self._waiting or self._batch.rows:
            # lets callers queue what they have, so that it shares the next step
            await asyncio.sleep(0)
            # taken down before the step, in the midst of which a row may be in neither
            under_way = [*self._batch.rows, *self._waiting]
            try:
                finished = self._step()
            except Exception as error:  # noqa: BLE001 - handed to the callers, whose await raises it
                self._fail(under_way, error)
                return
            for row in finished:
                row.resolve(self._version)

    @torch.no_grad()
    def _step(self) -> list[Row]:
        self._waiting = deque(row for row in self._waiting if not row.future.cancelled())
        return self._batch.step(self._waiting, self._decode)

    def _fail(self, rows: Sequence[Row], error: Exception) -> None:
        self._waiting.clear()
        self._batch.clear()
        for row in rows:
            if not row.future.done():
                row.future.set_exception(error)
