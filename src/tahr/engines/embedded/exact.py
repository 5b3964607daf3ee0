"""Sampling through `transformers` itself, for models that tahr's own decoder does not cover: slower, and exact."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from tahr.engines.config import EngineConfig
from tahr.engines.embedded.draw import draw, draw_settings
from tahr.engines.embedded.row import Row, next_uniforms
from tahr.models.decoder import causal_lm

Decode = Callable[[Sequence[int]], str]


class ExactBatch:
    """Up to `max_batch_size` rows from start to end, left-padded, with the model's own cache."""

    def __init__(self, model: nn.Module, config: EngineConfig) -> None:
        self.rows: list[Row] = []
        self._model = model
        self._max_rows = config.max_batch_size

    def refresh(self) -> None:
        """Nothing is copied, so there is nothing to take up."""

    def clear(self) -> None:
        """Forget all rows."""
        self.rows = []

    def step(self, waiting: deque[Row], decode: Decode | None) -> list[Row]:
        """Sample a whole batch of rows to their ends."""
        self.rows = [waiting.popleft() for _ in range(min(len(waiting), self._max_rows))]
        device = next(self._model.parameters()).device
        token_ids, attention_mask = _left_padded([row.request.prompt_token_ids for row in self.rows], device)
        settings = draw_settings([row.request.sampling for row in self.rows], device)
        cache: Any = None
        while True:
            output = causal_lm(self._model)(
                input_ids=token_ids,
                attention_mask=attention_mask,
                position_ids=(attention_mask.cumsum(1) - 1).clamp(min=0)[:, -token_ids.shape[1] :],
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache = output.past_key_values
            going = [row.finish_reason is None for row in self.rows]
            uniforms = next_uniforms([row for row, goes in zip(self.rows, going, strict=True) if goes], device)
            places = torch.tensor(going, device=device)
            drawn = torch.zeros(len(self.rows), dtype=torch.float64, device=device).masked_scatter(places, uniforms)
            tokens, logprobs = draw(output.logits[:, -1], drawn, settings)
            for row, goes, token, logprob in zip(self.rows, going, tokens.tolist(), logprobs.tolist(), strict=True):
                if goes:
                    row.add(token, logprob, decode)
            if all(row.finish_reason is not None for row in self.rows):
                finished, self.rows = self.rows, []
                return finished
            token_ids = tokens[:, None]
            attention_mask = torch.cat([attention_mask, attention_mask.new_ones(len(self.rows), 1)], dim=1)


def _left_padded(prompts: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Token ids and attention mask, (B, longest) each."""
    longest = max(map(len, prompts))
    token_ids = torch.zeros(len(prompts), longest, dtype=torch.int64)
    mask = torch.zeros_like(token_ids)
    for index, prompt in enumerate(prompts):
        token_ids[index, longest - len(prompt) :] = torch.tensor(prompt)
        mask[index, longest - len(prompt) :] = 1
    return token_ids.to(device), mask.to(device)
