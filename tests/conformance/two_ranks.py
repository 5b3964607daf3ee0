"""One of two processes that each hold a part of an update's samples; prints the summed gradient of the embedding.

Usage: ``two_ranks.py RANK STORE_FILE NUM_TOKENS...``, the numbers of loss tokens of both ranks' samples.
"""

from __future__ import annotations

import json
import sys

import torch
import torch.distributed as dist

from small_updates import CPU, WIDE, capturing_policy, make_sample, weights_of
from tahr.training.batch import make_batches
from tahr.training.objective import Known, PolicyObjective


def rank_gradient(samples, own):
    """The gradient of the samples at the places `own`, with the weights of all of them."""
    policy = capturing_policy([])
    weights = weights_of(samples, "token_mean")
    batches = make_batches([samples[i] for i in own], [weights[i] for i in own], max_tokens=10_000, device=CPU)
    objective = PolicyObjective(WIDE, [Known()] * len(batches), [""] * len(own))
    for batch in batches:
        logprobs, entropies = policy.logprobs(batch.tokens, batch.rows, batch.targets)
        objective(batch, logprobs, entropies).backward()
    return policy.model.get_input_embeddings().weight.grad


def ragged(lengths):
    return [make_sample((5, 6), [length], (-1.0) ** place, seed=place) for place, length in enumerate(lengths)]


def main():
    torch.set_num_threads(1)
    rank, store, lengths = int(sys.argv[1]), sys.argv[2], [int(one) for one in sys.argv[3:]]
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=len(lengths))
    own = rank_gradient(ragged(lengths), [rank])
    dist.all_reduce(own, op=dist.ReduceOp.SUM)
    if rank == 0:
        print(json.dumps(own.flatten().tolist()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
