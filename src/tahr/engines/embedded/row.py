"""One completion under way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from tahr.core.protocols import GenerationRequest
from tahr.core.types import Completion, FinishReason

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Row:
    """A request, the tokens sampled for it so far, and who waits for it."""

    def __init__(self, request: GenerationRequest, future: asyncio.Future[Completion], *, max_new_tokens: int) -> None:
        self.request = request
        self.future = future
        self.max_new_tokens = max_new_tokens
        self.prompt = -1  # row of the prompt bank
        self.start = -1  # first column of the bank of sampled tokens
        self.token_ids: list[int] = []
        self.logprobs: list[float] = []
        self.finish_reason: FinishReason | None = None
        self._stop_ids = frozenset(request.sampling.stop_token_ids)
        # one stream per completion: a token depends on its own seed and place only
        generator = np.random.Generator(np.random.Philox(key=request.seed))
        self._uniforms: NDArray[np.float64] = generator.random(max_new_tokens)

    @property
    def num_cached(self) -> int:
        """Sampled tokens whose keys and values are in the cache: all but the newest, once there is one."""
        return max(len(self.token_ids) - 1, 0)

    def next_uniform(self) -> float:
        """The number in [0, 1) that decides the next token."""
        return float(self._uniforms[len(self.token_ids)])

    def add(self, token_id: int, logprob: float, decode: Callable[[Sequence[int]], str] | None) -> None:
        """Append a sampled token and see whether it ends the completion."""
        self.token_ids.append(token_id)
        self.logprobs.append(logprob)
        if token_id in self._stop_ids or self._holds_stop_string(decode):
            self.finish_reason = FinishReason.STOP
        elif len(self.token_ids) >= self.max_new_tokens:
            self.finish_reason = FinishReason.LENGTH

    def resolve(self, version: int) -> None:
        """Hand the completion to who waits for it."""
        if self.finish_reason is None:
            raise RuntimeError("an unfinished completion can't be handed over")
        if not self.future.done():
            self.future.set_result(
                Completion(
                    token_ids=tuple(self.token_ids),
                    logprobs=tuple(self.logprobs),
                    finish_reason=self.finish_reason,
                    policy_version=version,
                )
            )

    def _holds_stop_string(self, decode: Callable[[Sequence[int]], str] | None) -> bool:
        stops = self.request.sampling.stop
        if not stops or decode is None:
            return False
        # a token stands for one byte at least, so the newest stop string begins within this many tokens
        window = max(len(stop.encode()) for stop in stops) + 8
        text = decode(self.token_ids[-window:])
        return any(stop in text for stop in stops)


def next_uniforms(rows: Sequence[Row], device: torch.device) -> Tensor:
    """The number that decides each row's next token, (B,) fp64."""
    return torch.tensor([row.next_uniform() for row in rows], dtype=torch.float64, device=device)
