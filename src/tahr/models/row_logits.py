"""Logits of chosen positions, made a few rows at a time, so that those of a whole batch never exist at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

CHUNK_BYTES = 40 * 2**20
"""Logits of one model held at a time: tensors just above 32 MiB, glibc's largest threshold, go back to the system when
they are freed, where smaller ones leave a heap full of holes (1.9 GB in the place of 0.45 GB for 2,000 rows)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLogits:
    """M positions: hidden states (M, H) and the output matrix (V, H), or the logits (M, V) themselves without one.

    Example: ``RowLogits(values=hidden, weight=head.weight)``
    """

    values: Tensor
    weight: Tensor | None

    @property
    def vocabulary(self) -> int:
        """Columns of the logits: may be more than the tokenizer has tokens."""
        return int(self.values.shape[1] if self.weight is None else self.weight.shape[0])


def by_rows(
    first: RowLogits,
    second: RowLogits,
    reduce: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, ...]],
    targets: Tensor,
    *,
    temperature: float,
    chunk_bytes: int = CHUNK_BYTES,
) -> tuple[Tensor, ...]:
    """``reduce(first's log-probabilities (m, V), second's, targets (m,))`` over all rows, each result (M,) again.

    Logits are divided by `temperature`, and made again on the way back. Where two models' output matrices are padded
    differently, the columns that both have are compared.
    """
    vocabulary = min(first.vocabulary, second.vocabulary)
    size = max(1, chunk_bytes // (4 * vocabulary))

    def part(one: Tensor, other: Tensor, one_weight: Tensor | None, other_weight: Tensor | None, chosen: Tensor) -> Any:
        left = _logprobs(one, one_weight, vocabulary, temperature)
        right = _logprobs(other, other_weight, vocabulary, temperature)
        return reduce(left, right, chosen)

    def parts() -> Iterator[tuple[Tensor, ...]]:
        for start in range(0, max(len(targets), 1), size):
            rows = slice(start, start + size)
            yield checkpoint(  # pyright: ignore[reportReturnType]
                part,
                first.values[rows],
                second.values[rows],
                first.weight,
                second.weight,
                targets[rows],
                use_reentrant=False,
            )

    return tuple(map(torch.cat, zip(*parts(), strict=True)))


def _logprobs(values: Tensor, weight: Tensor | None, vocabulary: int, temperature: float) -> Tensor:
    logits = values[:, :vocabulary] if weight is None else values @ weight[:vocabulary].t()
    return torch.log_softmax(logits.float() / temperature, dim=-1)
