"""Batches of pairs, which never part the two answers of a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tahr.core.types import Sample
from tahr.training.batch import Batch, make_batches
from tahr.training.pairs import EncodedPair


@dataclass(frozen=True, slots=True, kw_only=True)
class PairBatch:
    """`pairs` whose tokens are in `batch`: its sequences 2k and 2k + 1 are the answers of pair k, chosen first.

    Example: ``next(pair_batches(pairs, max_tokens=8192, device=torch.device("cpu")))``
    """

    pairs: tuple[EncodedPair, ...]
    batch: Batch

    def sums(self, logprobs: Tensor) -> tuple[Tensor, Tensor]:
        """Whole answers' log-probabilities from those of the batch's tokens (M,): chosen and rejected, both (P,)."""
        whole = torch.zeros(2 * len(self.pairs), dtype=logprobs.dtype, device=logprobs.device)
        chosen, rejected = whole.index_add(0, self.batch.sequences, logprobs).view(-1, 2).unbind(1)
        return chosen, rejected


def pair_batches(pairs: Sequence[EncodedPair], *, max_tokens: int, device: torch.device) -> Iterator[PairBatch]:
    """Cut pairs into batches of at most `max_tokens` packed tokens, at least one pair each; no pair is cut.

    The answers of a pair, and pairs with one prompt, lie side by side and share the prompt.
    """
    by_prompt: dict[tuple[int, ...], list[EncodedPair]] = {}
    for pair in pairs:
        by_prompt.setdefault(pair.prompt, []).append(pair)
    part: list[EncodedPair] = []
    used = 0
    for pair in (pair for group in by_prompt.values() for pair in group):
        answers = len(pair.chosen) + len(pair.rejected)
        cost = answers + (0 if part and pair.prompt == part[-1].prompt else len(pair.prompt))
        if part and used + cost > max_tokens:
            yield _make(part, device)
            part, used, cost = [], 0, answers + len(pair.prompt)
        part.append(pair)
        used += cost
    if part:
        yield _make(part, device)


def _make(pairs: Sequence[EncodedPair], device: torch.device) -> PairBatch:
    samples = [_sample(pair.prompt, answer) for pair in pairs for answer in pair.answers]
    everything = sum(len(sample.token_ids) for sample in samples)
    (batch,) = make_batches(samples, [1.0] * len(samples), max_tokens=everything, device=device)
    return PairBatch(pairs=tuple(pairs), batch=batch)


def _sample(prompt: tuple[int, ...], answer: tuple[int, ...]) -> Sample:
    unused = (0.0,) * (len(prompt) + len(answer))
    return Sample(
        token_ids=(*prompt, *answer),
        loss_mask=(False,) * len(prompt) + (True,) * len(answer),
        logprobs=unused,
        advantages=unused,
        prompt_length=len(prompt),
    )
