"""What k attempts come to, from n >= k samples of one question: the mean over all subsets of k, computed exactly.

Each function is the U-statistic of its rule: unbiased, and of the least variance that n samples allow. Ties are broken
at random, and the expectation is taken over that too. Samples are exchangeable, so whoever keeps the first of the tied
answers to come up gets the same expectation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import groupby
from math import comb
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from tahr.core.errors import InputError

Numbers = NDArray[np.float64]


def pass_at_k(correct: Sequence[float], k: int) -> float:
    """The chance that at least one of k samples is right; `correct` holds 1 (right) and 0 for each of n samples.

    Source: Chen et al., "Evaluating Large Language Models Trained on Code" (arXiv 2107.03374), equation 1. Raises
    InputError where k is not within 1..n, or a value is neither 0 nor 1.

    >>> pass_at_k([1, 0, 0, 0], 2)
    0.5
    """
    n = _check(k, correct)
    if any(value not in (0, 1) for value in correct):
        raise InputError(
            "pass@k is of samples that are right (1) or wrong (0)",
            received=", ".join(str(value) for value in dict.fromkeys(correct) if value not in (0, 1)),
            instead="the part 'correct', or best_of_k(values, values, k) for the best value of k samples",
        )
    num_wrong = sum(value == 0 for value in correct)
    return 1 - comb(num_wrong, k) / comb(n, k)


def best_of_k(scores: Sequence[float], values: Sequence[float], k: int) -> float:
    """The expected value of the sample with the highest score among k; equal scores are chosen from at random.

    `scores` are a selector's (a reward model, a verifier, a likelihood), `values` what the selected sample is worth,
    (n,) each. With ``scores = values`` it is the oracle, which for values of 0 and 1 is pass@k. Raises InputError where
    k is not within 1..n, the lengths differ or a score is not a number.

    >>> best_of_k([0.9, 0.5, 0.5], [0.0, 1.0, 0.0], 2)
    0.16666666666666666
    """
    n = _check(k, scores, values)
    if any(score != score for score in scores):
        raise InputError("a score is not a number", received="nan", instead="scores that can be ordered")
    expected, num_lower = 0.0, 0
    for _, tied in groupby(sorted(zip(scores, values, strict=True), key=lambda one: one[0]), key=lambda one: one[0]):
        worth = [value for _, value in tied]
        num_ways = comb(num_lower + len(worth), k) - comb(num_lower, k)  # subsets whose highest score is this one
        expected += num_ways / comb(n, k) * fmean(worth)
        num_lower += len(worth)
    return expected


def maj_at_k(answers: Sequence[Hashable | None], correct: Sequence[float], k: int) -> float:
    """The expected correctness of the most frequent answer among k samples; equally frequent ones are drawn from.

    `answers` are what each sample answered, (n,), None where it gave none: that sample has no vote, and k samples
    without a vote are worth 0. `correct` is each sample's correctness, (n,); where equal answers differ in it, the
    sample that speaks for them is drawn at random. Raises InputError where k is not within 1..n or the lengths differ.
    Source of the rule: Wang et al., "Self-Consistency" (arXiv 2203.11171).

    How often each answer comes up in k of n samples is binomial with ``p = k / n``, independently, given that all
    together come up k times. For each height t of the winners, a product over answers has as its coefficient of
    (samples x, winners w) the chance that nobody is above t, and beside it the expected sum of the winners' worth.

    >>> maj_at_k(["5", "5", "6"], [1, 1, 0], 2)
    0.6666666666666666
    """
    n = _check(k, answers, correct)
    worth: defaultdict[Hashable, list[float]] = defaultdict(list)
    for answer, value in zip(answers, correct, strict=True):
        if answer is not None:
            worth[answer].append(value)
    voices = [(_binomial(len(values), k, n), fmean(values)) for values in worth.values()]
    silent = _binomial(n - sum(map(len, worth.values())), k, n)
    highest = min(k, max(map(len, worth.values()), default=0))
    return sum(_won_at(height, voices, silent, k) for height in range(1, highest + 1)) / float(_binomial(n, k, n)[k])


def _won_at(height: int, voices: Sequence[tuple[Numbers, float]], silent: Numbers, k: int) -> float:
    """The expected worth of the winner where winners have `height` votes, times the chance of that and of k samples."""
    most = k // height
    chance, total = np.zeros((k + 1, most + 1)), np.zeros((k + 1, most + 1))
    chance[: len(silent), 0] = silent
    for counts, value in voices:
        below = counts[:height]
        chance_below, total_below = _times(chance, below), _times(total, below)
        if len(counts) > height:
            among, rest = counts[height], k + 1 - height
            chance_below[height:, 1:] += among * chance[:rest, :-1]
            total_below[height:, 1:] += among * (total[:rest, :-1] + value * chance[:rest, :-1])
        chance, total = chance_below, total_below
    return float((total[k, 1:] / np.arange(1, most + 1)).sum())


def _times(table: Numbers, counts: Numbers) -> Numbers:
    """`table` (k + 1, W) with the chances of 0, 1, ... more samples multiplied in; more than k samples are dropped."""
    product = np.zeros_like(table)
    for more, chance in enumerate(counts):
        product[more:] += chance * table[: len(table) - more]
    return product


def _binomial(size: int, k: int, n: int) -> Numbers:
    """Chances of 0, 1, ..., min(size, k) of `size`, each with the chance k / n; in whole numbers up to the division."""
    return np.array([comb(size, x) * k**x * (n - k) ** (size - x) / n**size for x in range(min(size, k) + 1)])


def _check(k: int, *samples: Sequence[object]) -> int:
    """The number of samples, of which k are taken."""
    lengths = {len(one) for one in samples}
    if len(lengths) > 1:
        raise InputError("each sample needs one of each", received=f"{', '.join(map(str, sorted(lengths)))} values")
    n = lengths.pop()
    if not 1 <= k <= n:
        raise InputError("k is not within 1 and the number of samples", received=f"k = {k} of {n}", instead=f"1..{n}")
    return n
