"""The decoder's two passes while sampling: prompts once each, then one token for every row at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tahr.engines.embedded.cache import Bank
from tahr.engines.embedded.weights import FusedLayer, FusedWeights
from tahr.models.decoder import Decoder
from tahr.models.kernels import rotate

Attend = Callable[[int, Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingPlan:
    """Which rows read which prompt, on a (Q, n) grid of Q prompts and at most n rows each.

    `gather` (Q*n,) are the rows that fill the grid (spare cells repeat a row), `scatter` (B,) each row's cell. Both
    are None where the grid is the rows in order. `mask` (B, 1, 1, P) is -inf past the end of a row's prompt, or None
    where all prompts have length P.

    Example: ``plan_sharing([0, 0, 1, 1], [5, 5], device)``
    """

    num_prompts: int
    width: int
    longest: int
    gather: Tensor | None
    scatter: Tensor | None
    mask: Tensor | None

    def to_grid(self, x: Tensor) -> Tensor:
        """(B, Hkv, R, E) to (Q * Hkv, n * R, E)."""
        if self.gather is not None:
            x = x.index_select(0, self.gather)
        heads, repeats, size = x.shape[1:]
        x = x.view(self.num_prompts, self.width, heads, repeats, size).transpose(1, 2)
        return x.reshape(self.num_prompts * heads, self.width * repeats, size)

    def to_rows(self, x: Tensor, heads: int) -> Tensor:
        """(Q * Hkv, n * R, E) back to (B, Hkv, R, E)."""
        x = x.view(self.num_prompts, heads, self.width, -1, x.shape[-1]).transpose(1, 2).flatten(0, 1)
        return x if self.scatter is None else x.index_select(0, self.scatter)


def plan_sharing(prompts: Sequence[int], lengths: Sequence[int], device: torch.device) -> SharingPlan:
    """Plan for rows that read prompt ``prompts[row]``; prompt q has ``lengths[q]`` tokens."""
    members: list[list[int]] = [[] for _ in lengths]
    for row, prompt in enumerate(prompts):
        members[prompt].append(row)
    width, longest = max(map(len, members)), max(lengths)
    grid = [row for group in members for row in (group + [0] * width)[:width]]
    cells = [0] * len(prompts)
    for prompt, group in enumerate(members):
        for place, row in enumerate(group):
            cells[row] = prompt * width + place
    in_order = grid == list(range(len(prompts)))
    mask = None
    if min(lengths) != longest:
        ends = torch.tensor([lengths[prompt] for prompt in prompts], device=device)
        mask = _past_end(ends, longest)
    return SharingPlan(
        num_prompts=len(lengths),
        width=width,
        longest=longest,
        gather=None if in_order else torch.tensor(grid, device=device),
        scatter=None if in_order else torch.tensor(cells, device=device),
        mask=mask,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The columns of sampled tokens that rows may read, `first` to `column`; this step writes `column`.

    `mask` (B, 1, 1, column + 1 - first) is -inf before each row's own first column.

    Example: ``window_of([4, 6], column=9, device=device)``
    """

    first: int
    column: int
    mask: Tensor


def window_of(starts: Sequence[int], *, column: int, device: torch.device) -> Window:
    """The window of rows that began at the columns `starts` (B,)."""
    first = min(starts)
    outside = torch.arange(first, column + 1, device=device) < torch.tensor(starts, device=device)[:, None]
    mask = torch.zeros(outside.shape, device=device).masked_fill_(outside, -torch.inf)[:, None, None]
    return Window(first=first, column=column, mask=mask)


def _past_end(ends: Tensor, length: int) -> Tensor:
    """(B, 1, 1, length): 0 before each row's end, -inf from there on."""
    outside = torch.arange(length, device=ends.device) >= ends[:, None]
    return torch.zeros(outside.shape, device=ends.device).masked_fill_(outside, -torch.inf)[:, None, None]


class Forward:
    """Runs fused layers of one decoder."""

    def __init__(self, decoder: Decoder, weights: FusedWeights) -> None:
        self._decoder = decoder
        self.weights = weights
        self._repeats = decoder.num_heads // decoder.num_kv_heads

    def prefill(self, prompts: Sequence[Sequence[int]], bank: Bank, first_row: int) -> Tensor:
        """Compute prompts into the rows of `bank` from `first_row` on; returns next-token logits (prompts, V)."""
        lengths = [len(prompt) for prompt in prompts]
        device = self._decoder.embedding.weight.device
        token_ids = torch.tensor([token for prompt in prompts for token in prompt], device=device)
        positions = torch.cat([torch.arange(length, device=device) for length in lengths])

        def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            outputs: list[Tensor] = []
            pieces = zip(*(x.split(lengths) for x in (q, k, v)), strict=True)
            for row, (q_p, k_p, v_p) in enumerate(pieces):
                bank.write(layer, first_row + row, k_p, v_p)
                q_p, k_p, v_p = (x.transpose(0, 1)[None] for x in (q_p, k_p, v_p))
                out = functional.scaled_dot_product_attention(
                    q_p, k_p, v_p, is_causal=True, enable_gqa=self._repeats > 1
                )
                outputs.append(out[0].transpose(0, 1))
            return torch.cat(outputs)

        hidden = self._layers(token_ids, positions, attend)
        last = torch.tensor(lengths, device=device).cumsum(0) - 1
        return self._logits(hidden.index_select(0, last))

    def decode(
        self, token_ids: Tensor, positions: Tensor, own: Bank, prompts: Bank, window: Window, plan: SharingPlan
    ) -> Tensor:
        """One more token for each of B rows, `token_ids` (B,) at `positions` (B,): logits (B, V)."""
        num_rows, heads, size = token_ids.shape[0], self._decoder.num_kv_heads, self._decoder.head_dim
        columns = slice(window.first, window.column + 1)
        shape = (num_rows, 1, 1, plan.longest)
        prompt_mask = window.mask.new_zeros(shape) if plan.mask is None else plan.mask
        mask = torch.cat([prompt_mask, window.mask], dim=-1).to(own.keys.dtype)
        scale = size**-0.5

        def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            own.append(layer, window.column, k, v)
            q = q.view(num_rows, heads, self._repeats, size) * scale
            prompt_keys = prompts.keys[layer, : plan.num_prompts, :, :, : plan.longest].flatten(0, 1)
            prompt_values = prompts.values[layer, : plan.num_prompts, :, : plan.longest].flatten(0, 1)
            own_keys = own.keys[layer, :num_rows, :, :, columns].flatten(0, 1)
            own_values = own.values[layer, :num_rows, :, columns].flatten(0, 1)
            shared = plan.to_rows(torch.bmm(plan.to_grid(q), prompt_keys), heads)
            alone = torch.bmm(q.flatten(0, 1), own_keys).unflatten(0, (num_rows, heads))
            share = torch.softmax(torch.cat([shared, alone], dim=-1).add_(mask), dim=-1)
            out = torch.bmm(share[..., plan.longest :].flatten(0, 1), own_values).unflatten(0, (num_rows, heads))
            out = out + plan.to_rows(torch.bmm(plan.to_grid(share[..., : plan.longest]), prompt_values), heads)
            return out.view(num_rows, -1, size)

        return self._logits(self._layers(token_ids, positions, attend))

    def _layers(self, token_ids: Tensor, positions: Tensor, attend: Attend) -> Tensor:
        """Hidden states (N, hidden) before the final norm."""
        decoder = self._decoder
        x = functional.embedding(token_ids, decoder.embedding.weight)
        cos, sin = decoder.cos_sin(positions)
        for index, layer in enumerate(self.weights.layers):
            q, k, v = self._qkv(layer, self._normed(x), cos, sin)
            x = layer.o.plus(attend(index, q, k, v).flatten(1), x)
            normed = self._normed(x)
            x = layer.down.plus(layer.up.times(normed, layer.gate.silu(normed)), x)
        return x

    def _qkv(self, layer: FusedLayer, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Rotated queries (N, Hq, D) and keys (N, Hkv, D), and values (N, Hkv, D)."""
        decoder = self._decoder
        num_q, num_kv = decoder.num_heads, decoder.num_kv_heads
        fused = layer.qkv(x).view(x.shape[0], num_q + 2 * num_kv, decoder.head_dim)
        v = fused[:, num_q + num_kv :]
        if layer.q_norm is None:
            rotated = rotate(fused[:, : num_q + num_kv], cos, sin)
            return rotated[:, :num_q], rotated[:, num_q:], v
        q, k = fused.split([num_q, num_kv, num_kv], dim=1)[:2]
        return rotate(self._norm(q, layer.q_norm), cos, sin), rotate(self._norm(k, layer.k_norm), cos, sin), v

    def _norm(self, x: Tensor, norm: torch.nn.Module) -> Tensor:
        weight: Tensor = norm.weight  # pyright: ignore[reportAssignmentType]
        return functional.rms_norm(x, (x.shape[-1],), weight, self._decoder.epsilon)

    def _normed(self, x: Tensor) -> Tensor:
        """The root-mean-square norm without its weight, which the next product holds."""
        size = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
        scale = size.square_().mul_(1.0 / x.shape[-1]).add_(self._decoder.epsilon).rsqrt_()
        return x * scale.to(x.dtype)

    def _logits(self, hidden: Tensor) -> Tensor:
        return self.weights.head(self._normed(hidden))
