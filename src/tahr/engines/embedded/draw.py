"""Drawing tokens from logits, with the log-probability of the distribution really drawn from.

One uniform number decides a token (inverse of the cumulative distribution), so that a completion depends on its own
seed alone, never on who shares its batch. Sums are taken block by block and in fp64, which costs one pass instead of
a cumulative sum over the whole vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tahr.core.protocols import Sampling


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawSettings:
    """Sampling settings of the rows of a batch, as (B,) tensors; `filtered` says whether any row filters at all.

    Example: ``draw_settings([Sampling(max_new_tokens=8)], device)``
    """

    inverse_temperature: Tensor
    greedy: Tensor
    top_p: Tensor
    top_k: Tensor
    min_p: Tensor
    filtered: bool
    tempered: bool
    any_greedy: bool


def draw_settings(rows: Sequence[Sampling], device: torch.device) -> DrawSettings:
    """Gather the settings of each row. Temperature 0 means greedy."""
    temperatures = [row.temperature for row in rows]
    # filters leave the likeliest token and would only hide how likely the model itself holds it
    filters = [(row.top_p, row.top_k, row.min_p) if row.temperature > 0 else (1.0, 0, 0.0) for row in rows]

    def column(values: Sequence[float], dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.tensor(values, dtype=dtype, device=device)

    return DrawSettings(
        inverse_temperature=column([1.0 / value if value > 0 else 1.0 for value in temperatures]),
        greedy=column([value == 0 for value in temperatures], torch.bool),
        top_p=column([top_p for top_p, _, _ in filters]),
        top_k=column([top_k for _, top_k, _ in filters], torch.int64),
        min_p=column([min_p for _, _, min_p in filters]),
        filtered=any(top_p < 1 or top_k > 0 or min_p > 0 for top_p, top_k, min_p in filters),
        tempered=any(value not in (0, 1) for value in temperatures),
        any_greedy=any(value == 0 for value in temperatures),
    )


def draw(logits: Tensor, uniforms: Tensor, settings: DrawSettings) -> tuple[Tensor, Tensor]:
    """Draw one token a row; `logits` (B, V) is used up, `uniforms` (B,) fp64 in [0, 1).

    Returns token ids (B,) int64 and log-probabilities (B,) fp32 in nats, of the tempered and filtered distribution.
    Greedy rows take the likeliest token and report its log-probability under the model itself.
    """
    logits = logits.float()
    if settings.tempered:
        logits = logits.mul_(settings.inverse_temperature[:, None])
    best = logits.argmax(1) if settings.any_greedy else None
    weights = torch.softmax(logits, dim=1)
    if settings.filtered:
        weights = _filter(weights, settings)
    blocks = _blocked(weights)
    tokens, total = _invert(blocks, uniforms)
    if best is not None:
        tokens = torch.where(settings.greedy, best, tokens)
    chosen = weights.gather(1, tokens[:, None]).squeeze(1).double()
    return tokens, (chosen.log() - total.log()).float()


def _blocked(weights: Tensor) -> Tensor:
    """(B, V) as (B, blocks, size), padded with zeros where no power of two divides V well."""
    vocabulary = weights.shape[1]
    size = min(512, vocabulary & -vocabulary)
    if size < 32:
        size = 64
        weights = functional.pad(weights, (0, -vocabulary % size))
    return weights.unflatten(1, (-1, size))


def _invert(blocks: Tensor, uniforms: Tensor) -> tuple[Tensor, Tensor]:
    """Token (B,) at each uniform's place in the cumulative weights, and the total weight (B,) fp64."""
    rows = torch.arange(blocks.shape[0], device=blocks.device)
    block_ends = blocks.sum(2).double().cumsum(1)
    total = block_ends[:, -1]
    place = uniforms * total
    block = torch.searchsorted(block_ends, place[:, None], right=True).squeeze(1).clamp_(max=blocks.shape[1] - 1)
    before = torch.where(block > 0, block_ends[rows, (block - 1).clamp(min=0)], 0.0)
    inner_ends = blocks[rows, block].double().cumsum(1)
    # rounding must not carry the place past the last weight that is not 0
    last = torch.nextafter(inner_ends[:, -1], torch.zeros_like(total))
    inner = torch.searchsorted(inner_ends, torch.minimum(place - before, last)[:, None], right=True).squeeze(1)
    return block * blocks.shape[2] + inner.clamp_(max=blocks.shape[2] - 1), total


def _filter(weights: Tensor, settings: DrawSettings) -> Tensor:
    """Zero what top-k, then top-p (Holtzman et al. 2020), then min-p (Nguyen et al. 2024) leave out.

    top-p keeps the likeliest tokens until their share of what top-k left reaches p, the one that reaches it included.
    """
    ordered, order = weights.sort(dim=1, descending=True)
    ranks = torch.arange(ordered.shape[1], device=ordered.device)
    unlimited = settings.top_k[:, None] == 0
    kept = unlimited | (ranks < settings.top_k[:, None])
    ordered = torch.where(kept, ordered, 0.0)
    share = ordered / ordered.sum(1, keepdim=True)
    kept = kept & ((share.cumsum(1) - share < settings.top_p[:, None]) | (settings.top_p[:, None] >= 1))
    kept = kept & (ordered >= settings.min_p[:, None] * ordered[:, :1])
    return torch.zeros_like(weights).scatter_(1, order, torch.where(kept, ordered, 0.0))
