from __future__ import annotations

import torch

from tahr.core.types import Sample
from tahr.training.batch import make_batches


def sample(prompt, completion, advantage=1.0):
    size = len(prompt) + len(completion)
    return Sample(
        token_ids=(*prompt, *completion),
        loss_mask=(False,) * len(prompt) + (True,) * len(completion),
        logprobs=tuple(-0.1 * i for i in range(size)),
        advantages=(0.0,) * len(prompt) + (advantage,) * len(completion),
        prompt_length=len(prompt),
    )


def batches(samples, max_tokens=1000):
    return make_batches(samples, [1.0] * len(samples), max_tokens=max_tokens, device=torch.device("cpu"))


def predictions(batch):
    """(tokens read before, target) of every loss token, found by walking the layout."""
    ids = batch.tokens.token_ids.tolist()
    history = {}
    for block in batch.tokens.blocks:
        middle = block.start + block.prefix_length
        for row in range(block.start, middle):
            history[row] = tuple(ids[block.start : row + 1])
        start = middle
        for length in block.suffix_lengths:
            for row in range(start, start + length):
                history[row] = (*ids[block.start : middle], *ids[start : row + 1])
            start += length
    return sorted(
        (history[row], target) for row, target in zip(batch.rows.tolist(), batch.targets.tolist(), strict=True)
    )


def expected(samples):
    return sorted(
        (s.token_ids[:place], s.token_ids[place])
        for s in samples
        for place, in_loss in enumerate(s.loss_mask)
        if in_loss
    )


SAMPLES = [
    sample([1, 2, 3], [4, 5, 6]),
    sample([7], [8]),
    sample([1, 2, 3], [9]),
    sample([1, 2, 3], [4, 5]),
    sample([5, 6], [7, 8, 9, 10]),
]


def test_every_loss_token_is_predicted_from_all_that_precedes_it():
    (batch,) = batches(SAMPLES)
    assert predictions(batch) == expected(SAMPLES)
    # 3 shared prompt tokens, 2 + 0 + 1 suffix tokens, then 1 and 2 + 3 of single samples: nothing else is read
    assert batch.num_tokens == 3 + 3 + 1 + 5


def test_a_token_budget_cuts_without_losing_anything():
    cut = batches(SAMPLES, max_tokens=6)
    assert len(cut) > 1
    assert all(batch.num_tokens <= 6 for batch in cut)
    assert sorted(p for batch in cut for p in predictions(batch)) == expected(SAMPLES)


def test_a_sample_larger_than_the_budget_gets_a_batch_of_its_own():
    cut = batches([sample([1] * 20, [2, 3]), sample([1] * 20, [4, 5])], max_tokens=6)
    assert [len(batch.targets) for batch in cut] == [2, 2]


def test_masked_tokens_between_turns_are_read_but_not_predicted():
    mixed = Sample(
        token_ids=(1, 2, 3, 4, 5, 6),
        loss_mask=(False, True, False, False, True, False),
        logprobs=(0.0,) * 6,
        advantages=(0.0, 1.0, 0.0, 0.0, 1.0, 0.0),
        prompt_length=1,
    )
    (batch,) = batches([mixed])
    assert predictions(batch) == [((1,), 2), ((1, 2, 3, 4), 5)]


def test_samples_without_loss_tokens_make_no_batch():
    assert (
        batches(
            [
                Sample(
                    token_ids=(1, 2),
                    loss_mask=(False,) * 2,
                    logprobs=(0.0,) * 2,
                    advantages=(0.0,) * 2,
                    prompt_length=1,
                )
            ]
        )
        == []
    )
