"""Weighted majority of k attempts: each answer has the sum of its attempts' weights."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from tahr.core.errors import InputError
from tahr.core.seeding import MAX_SEED, derive_seed

MAX_SUBSETS = 1024
"""Subsets of k of the n attempts that are gone through; all of them where there are no more."""

_SAME = 1e-12  # sums of weights closer than this, relative to the largest, are equal


def weighted_maj_at_k(
    answers: Sequence[Hashable | None],
    weights: Sequence[float],
    values: Sequence[float],
    k: int,
    *,
    seed: int = 0,
) -> float:
    """The expected value of the answer with the largest sum of weights among k of n attempts; ties are drawn from.

    An attempt without an answer (None) has no vote, and k attempts without a vote are worth 0. `weights` (n,) are at
    least 0, `values` (n,) what an attempt is worth; of equal answers that differ in it one is drawn. The mean over all
    subsets where there are at most `MAX_SUBSETS`, else over as many drawn in rounds that use every attempt alike: an
    incomplete U-statistic (Blom, "Some properties of incomplete U-statistics", Biometrika 63, 1976), unbiased too.
    Source of the rule: Wang et al. (arXiv 2203.11171), table 1. Raises InputError: k not within 1..n, other lengths,
    a weight below 0.

    >>> weighted_maj_at_k(["5", "5", "6"], [0.1, 0.1, 0.9], [1.0, 1.0, 0.0], 3)
    0.0
    """
    n = len(answers)
    if not 1 <= k <= n or len(weights) != n or len(values) != n:
        raise InputError(
            "a weighted majority is of k attempts with an answer, a weight and a value each",
            received=f"k = {k}, {n} answers, {len(weights)} weights, {len(values)} values",
        )
    if not all(weight >= 0 for weight in weights):
        raise InputError("a weight is below 0 or not a number", received=str(min(weights)))
    known = list(dict.fromkeys(answer for answer in answers if answer is not None))
    if not known:
        return 0.0
    places = {answer: place for place, answer in enumerate(known)}
    votes = np.zeros((n, len(known)))
    for index, answer in enumerate(answers):
        if answer is not None:
            votes[index, places[answer]] = 1.0
    chosen = _subsets(n, k, seed)
    counts = votes[chosen].sum(axis=1)
    sums = (votes * np.asarray(weights)[:, None])[chosen].sum(axis=1)
    worth = (votes * np.asarray(values)[:, None])[chosen].sum(axis=1) / np.maximum(counts, 1)
    sums[counts == 0] = -1.0
    best = sums.max(axis=1, keepdims=True)
    wins = (sums >= best - _SAME * np.maximum(1.0, best)) & (counts > 0)
    return float(((worth * wins).sum(axis=1) / np.maximum(wins.sum(axis=1), 1)).mean())


def _subsets(n: int, k: int, seed: int) -> NDArray[np.int64]:
    """Indices of subsets of k of n, (S, k)."""
    if comb(n, k) <= MAX_SUBSETS:
        return np.array(list(combinations(range(n), k)), dtype=np.int64)
    generator = np.random.default_rng(derive_seed(seed, f"subsets of {k} of {n}") % MAX_SEED)
    per_round = n // k
    num_rounds = -(-MAX_SUBSETS // per_round)
    orders = generator.permuted(np.tile(np.arange(n), (num_rounds, 1)), axis=1)
    return orders[:, : per_round * k].reshape(-1, k)[:MAX_SUBSETS].astype(np.int64)
