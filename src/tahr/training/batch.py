"""Samples to tensors: what one forward and backward pass reads, cut by a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tahr.core.types import Sample
from tahr.models.packing import PackedTokens, pack_blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """N packed tokens, M of which are in the loss. `rows` (M,) are the packed rows that predict `targets` (M,).

    `sampler_logprobs`, `advantages` and `weights` are (M,) fp32; the weights hold the whole normalisation. `sequences`
    (M,) numbers each token's sample, in the list that the batches were made of; samples are never cut.

    Example: ``make_batches(samples, weights, max_tokens=4096, device=torch.device("cpu"))[0]``
    """

    tokens: PackedTokens
    rows: Tensor
    targets: Tensor
    sampler_logprobs: Tensor
    advantages: Tensor
    weights: Tensor
    sequences: Tensor

    @property
    def num_tokens(self) -> int:
        """Packed tokens, shared prompts counted once."""
        return len(self.tokens.token_ids)


Weighted = tuple[int, Sample, float]
"""A sample's number, the sample, and the weight of each of its loss tokens."""


def make_batches(
    samples: Sequence[Sample], weights: Sequence[float], *, max_tokens: int, device: torch.device
) -> list[Batch]:
    """Cut samples into batches of at most `max_tokens` packed tokens, at least one sample each.

    ``weights[i]`` is the weight of each loss token of ``samples[i]``. Samples with the same prompt are laid side by
    side and share it; a group larger than the budget is cut, and its prompt computed once in each part.
    """
    groups: dict[tuple[int, ...], list[Weighted]] = {}
    for number, (sample, weight) in enumerate(zip(samples, weights, strict=True)):
        if sample.num_loss_tokens:
            groups.setdefault(sample.token_ids[: sample.prompt_length], []).append((number, sample, weight))
    batches: list[list[list[Weighted]]] = [[]]
    used = 0
    for prompt, members in groups.items():
        part: list[Weighted] = []
        for number, sample, weight in members:
            cost = _end(sample) - len(prompt) + (0 if part else len(prompt))
            if used and used + cost > max_tokens:
                batches[-1].extend([part] if part else [])
                batches.append([])
                part, used, cost = [], 0, _end(sample)
            part.append((number, sample, weight))
            used += cost
        batches[-1].append(part)
    return [_make_batch(groups, device) for groups in batches if groups]


def _end(sample: Sample) -> int:
    """Tokens that must be read: nothing is predicted from the last loss token or from what follows it."""
    return max(place for place, in_loss in enumerate(sample.loss_mask) if in_loss)


def _make_batch(groups: Sequence[Sequence[Weighted]], device: torch.device) -> Batch:
    """A group of several samples becomes a block with a shared prefix; single samples are whole suffixes of one."""
    laid = [(group[0][1].prompt_length, group) for group in groups if len(group) > 1]
    single = [group[0] for group in groups if len(group) == 1]
    if single:
        laid.append((0, single))
    blocks: list[tuple[Sequence[int], list[Sequence[int]]]] = []
    rows: list[int] = []
    targets: list[int] = []
    columns: list[tuple[float, float, float]] = []
    sequences: list[int] = []
    start = 0
    for prefix_length, members in laid:
        suffixes: list[Sequence[int]] = []
        cursor = start + prefix_length
        for number, sample, weight in members:
            sequences += [number] * sample.num_loss_tokens
            for position in (place for place, in_loss in enumerate(sample.loss_mask) if in_loss):
                before = position - 1
                rows.append(start + before if before < prefix_length else cursor + before - prefix_length)
                targets.append(sample.token_ids[position])
                columns.append((sample.logprobs[position], sample.advantages[position], weight))
            suffix = sample.token_ids[prefix_length : _end(sample)]
            if suffix:  # a completion of one token is predicted by the prompt alone
                suffixes.append(suffix)
                cursor += len(suffix)
        blocks.append((members[0][1].token_ids[:prefix_length], suffixes))
        start = cursor
    sampler_logprobs, advantages, weights = torch.tensor(columns, device=device).unbind(1)
    return Batch(
        tokens=pack_blocks(blocks).to(device),
        rows=torch.tensor(rows, device=device),
        targets=torch.tensor(targets, device=device),
        sampler_logprobs=sampler_logprobs,
        advantages=advantages,
        weights=weights,
        sequences=torch.tensor(sequences, device=device),
    )
