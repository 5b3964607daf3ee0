"""The running batch on tahr's own decoder: who is in it, and one step of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from tahr.engines.config import EngineConfig
from tahr.engines.embedded.cache import Bank
from tahr.engines.embedded.draw import DrawSettings, draw, draw_settings
from tahr.engines.embedded.forward import Forward, SharingPlan, plan_sharing, window_of
from tahr.engines.embedded.row import Row, next_uniforms
from tahr.engines.embedded.weights import fuse
from tahr.models.decoder import Decoder

Decode = Callable[[Sequence[int]], str]
Prompt = tuple[int, ...]

PREFILL_TOKENS = 4096
"""Most prompt tokens computed at once; bounds the memory of a pass."""

SPARE_COLUMNS = 32
"""Columns beyond the longest completion; when they are used up, the columns in use move to the front."""


class FastBatch:
    """At most `max_batch_size` rows whose cache stays within `cache_gib`."""

    def __init__(self, decoder: Decoder, config: EngineConfig) -> None:
        self.rows: list[Row] = []
        self._decoder = decoder
        self._max_rows = config.max_batch_size
        weight = decoder.embedding.weight
        token_bytes = 2 * len(decoder.layers) * decoder.num_kv_heads * decoder.head_dim * weight.element_size()
        self._max_tokens = int(config.cache_gib * 2**30) // token_bytes
        self._forward = Forward(decoder, fuse(decoder, num_rows=config.max_batch_size))
        self._device = weight.device
        self.clear()

    def refresh(self) -> None:
        """Take up changed weights; what was cached under the old ones is dropped."""
        if self.rows:
            raise RuntimeError("the weights can't change while completions are under way")
        self._forward.weights = fuse(self._decoder, num_rows=self._max_rows)
        self.clear()

    def clear(self) -> None:
        """Forget all rows and free the cache."""
        decoder = self._decoder
        self.rows = []
        self._prompts: list[Prompt] = []
        self._first_logits: list[Tensor] = []
        self._column = 0
        shape = (len(decoder.layers), decoder.num_kv_heads, decoder.head_dim)
        self._own = Bank(*shape, like=decoder.embedding.weight.detach())
        self._shared = Bank(*shape, like=decoder.embedding.weight.detach())
        self._plan: SharingPlan | None = None
        self._settings: DrawSettings | None = None

    def step(self, waiting: deque[Row], decode: Decode | None) -> list[Row]:
        """Let rows in, sample one token for each row, and return those that ended."""
        entering = self._admit(waiting)
        running = len(self.rows)
        if running:
            self._decode_once(decode)
        if entering:
            self._enter(entering, decode)
        finished = [row for row in self.rows if row.finish_reason is not None]
        if finished:
            self._leave()
        if entering or finished:
            self._plan = self._settings = None
        if not self.rows:
            self._column = 0
        return finished

    def _admit(self, waiting: deque[Row]) -> list[Row]:
        """Rows from the front of the queue for which there is room."""
        entering: list[Row] = []
        prompts = dict.fromkeys(self._prompts)
        own = max((row.max_new_tokens for row in self.rows), default=0)
        longest = max(map(len, prompts), default=0)
        prefill = 0
        while waiting and len(self.rows) + len(entering) < self._max_rows:
            row = waiting[0]
            prompt = row.request.prompt_token_ids
            is_new = prompt not in prompts
            own, longest = max(own, row.max_new_tokens), max(longest, len(prompt))
            num_rows, num_prompts = len(self.rows) + len(entering) + 1, len(prompts) + is_new
            too_large = num_rows * (own + SPARE_COLUMNS) + num_prompts * longest > self._max_tokens
            prefill += len(prompt) if is_new else 0
            if (too_large and num_rows > 1) or (prefill > PREFILL_TOKENS and entering):
                break
            prompts[prompt] = None
            entering.append(waiting.popleft())
        return entering

    def _enter(self, entering: Sequence[Row], decode: Decode | None) -> None:
        """Compute the prompts that are new, and sample the first token of each entering row."""
        known = {prompt: index for index, prompt in enumerate(self._prompts)}
        fresh = [p for p in dict.fromkeys(row.request.prompt_token_ids for row in entering) if p not in known]
        if fresh:
            first = len(self._prompts)
            self._shared.reserve(first + len(fresh), max(map(len, fresh)))
            self._first_logits.extend(self._forward.prefill(fresh, self._shared, first))
            known.update({prompt: first + index for index, prompt in enumerate(fresh)})
            self._prompts.extend(fresh)
        for row in entering:
            row.prompt, row.start = known[row.request.prompt_token_ids], self._column
        num_rows = len(self.rows) + len(entering)
        self._own.reserve(num_rows, max(row.max_new_tokens for row in entering) + SPARE_COLUMNS)
        logits = torch.stack([self._first_logits[row.prompt] for row in entering])
        self._draw(entering, logits, draw_settings([row.request.sampling for row in entering], self._device), decode)
        self.rows.extend(entering)

    def _decode_once(self, decode: Decode | None) -> None:
        """One more token for every row."""
        rows = self.rows
        if self._plan is None or self._settings is None:
            lengths = [len(prompt) for prompt in self._prompts]
            self._plan = plan_sharing([row.prompt for row in rows], lengths, self._device)
            self._settings = draw_settings([row.request.sampling for row in rows], self._device)
        if self._column == self._own.num_tokens:
            self._make_columns()
        newest = torch.tensor([row.token_ids[-1] for row in rows], device=self._device)
        positions = [len(row.request.prompt_token_ids) + row.num_cached for row in rows]
        window = window_of([row.start for row in rows], column=self._column, device=self._device)
        logits = self._forward.decode(
            newest, torch.tensor(positions, device=self._device), self._own, self._shared, window, self._plan
        )
        self._column += 1
        self._draw(rows, logits, self._settings, decode)

    def _make_columns(self) -> None:
        """Drop the columns that no row reads any more."""
        first = min(row.start for row in self.rows)
        self._own.shift(slice(first, self._column))
        self._column -= first
        for row in self.rows:
            row.start -= first

    def _draw(self, rows: Sequence[Row], logits: Tensor, settings: DrawSettings, decode: Decode | None) -> None:
        tokens, logprobs = draw(logits, next_uniforms(rows, self._device), settings)
        for row, token, logprob in zip(rows, tokens.tolist(), logprobs.tolist(), strict=True):
            row.add(token, logprob, decode)

    def _leave(self) -> None:
        """Drop finished rows and the prompts that nobody reads any more; the last ones take their places."""
        index = 0
        while index < len(self.rows):
            if self.rows[index].finish_reason is None:
                index += 1
                continue
            last = self.rows.pop()
            if index < len(self.rows):
                self._own.move(len(self.rows), index, slice(last.start, self._column))
                self.rows[index] = last
        index = 0
        while index < len(self._prompts):
            readers = [row for row in self.rows if row.prompt == index]
            if readers:
                index += 1
                continue
            last_prompt, last_logits = self._prompts.pop(), self._first_logits.pop()
            if index < len(self._prompts):
                self._shared.move(len(self._prompts), index, slice(0, len(last_prompt)))
                self._prompts[index], self._first_logits[index] = last_prompt, last_logits
                for row in self.rows:
                    if row.prompt == len(self._prompts):
                        row.prompt = index
