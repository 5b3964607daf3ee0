"""Per-token weights that fold the normalisation into a plain sum.

The loss of a step is ``sum(weight * token_loss)`` over everything that was sampled in it. The weights are made once,
over the whole step, before it is cut into micro-batches or spread over ranks, so that no cut can change the gradient.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence


def token_weights(num_tokens: Sequence[int], aggregation: str, *, max_new_tokens: int) -> list[float]:
    """The weight of each token of each sequence, given the sequences' numbers of loss tokens.

    ``token_mean``: 1 / all tokens (DAPO, Yu et al. 2025). ``sequence_mean``: 1 / (sequences x the sequence's own
    tokens) (GRPO as published). ``sequence_sum``: 1 / sequences, so that the loss is a mean of whole sequences'
    log-probabilities (RLOO, Ahmadian et al. 2024). ``constant``: 1 / (sequences x `max_new_tokens`) (Dr.GRPO, Liu et
    al. 2025), which depends on no length at all. A sequence without loss tokens counts for nothing.

    >>> token_weights([2, 6], "token_mean", max_new_tokens=8)
    [0.125, 0.125]
    >>> token_weights([2, 6], "sequence_mean", max_new_tokens=8)
    [0.25, 0.08333333333333333]
    >>> token_weights([2, 6], "constant", max_new_tokens=8)
    [0.0625, 0.0625]
    """
    sequences = sum(count > 0 for count in num_tokens)
    if sequences == 0:
        return [0.0] * len(num_tokens)
    if aggregation == "token_mean":
        return [1.0 / sum(num_tokens)] * len(num_tokens)
    if aggregation == "sequence_mean":
        return [1.0 / (sequences * count) if count else 0.0 for count in num_tokens]
    if aggregation == "sequence_sum":
        return [1.0 / sequences] * len(num_tokens)
    if aggregation == "constant":
        return [1.0 / (sequences * max_new_tokens)] * len(num_tokens)
    raise ValueError(f"unknown aggregation {aggregation!r}")


def balance_domains(weights: Sequence[float], num_tokens: Sequence[int], domains: Sequence[str]) -> list[float]:
    """Weights scaled so that every domain's tokens have the same total, the grand total kept.

    `weights`, `num_tokens` and `domains` have one value a sequence; domains without loss tokens count for nothing.

    >>> balance_domains([0.25, 0.25, 0.25], [2, 1, 1], ["sums", "sums", "words"])
    [0.16666666666666666, 0.16666666666666666, 0.5]
    """
    totals: defaultdict[str, float] = defaultdict(float)
    for weight, count, domain in zip(weights, num_tokens, domains, strict=True):
        totals[domain] += weight * count
    present = {domain: total for domain, total in totals.items() if total > 0}
    if not present:
        return list(weights)
    share = sum(present.values()) / len(present)
    return [weight * share / present.get(domain, 1.0) for weight, domain in zip(weights, domains, strict=True)]
