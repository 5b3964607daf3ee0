"""Advantages and token choices in float64 by plain loops, written from the papers; nothing of tahr is imported."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Reward = float | None


def present(rewards: Sequence[Reward]) -> list[float]:
    """Rewards that are there."""
    return [reward for reward in rewards if reward is not None]


def spread(rewards: Sequence[Reward]) -> float:
    """Population standard deviation."""
    return float(np.std(np.array(present(rewards), dtype=np.float64)))


def centred(
    groups: Sequence[Sequence[Reward]], baseline: str, greedy: Sequence[Reward] = ()
) -> list[list[float | None]]:
    """Rewards less a baseline."""
    everything = [reward for rewards in groups for reward in present(rewards)]
    result: list[list[float | None]] = []
    for number, rewards in enumerate(groups):
        row: list[float | None] = []
        for index, reward in enumerate(rewards):
            others = present([one for place, one in enumerate(rewards) if place != index])
            base: float | None = 0.0
            if baseline == "group_mean":
                base = sum(present(rewards)) / len(present(rewards)) if present(rewards) else None
            elif baseline == "leave_one_out":
                base = sum(others) / len(others) if others else None
            elif baseline == "batch_mean":
                base = sum(everything) / len(everything)
            elif baseline == "greedy":
                base = greedy[number]
            row.append(None if reward is None or base is None else reward - base)
        result.append(row)
    return result


def advantages(
    groups: Sequence[Sequence[Reward]],
    *,
    baseline: str,
    scale: str,
    domains: Sequence[str] = (),
    greedy: Sequence[Reward] = (),
) -> list[list[float | None]]:
    """Rewards less a baseline, over a scale; the scales here are all above 0."""
    differences = centred(groups, baseline, greedy)
    result: list[list[float | None]] = []
    for number, row in enumerate(differences):
        divisor = 1.0
        if scale == "group":
            divisor = spread(groups[number])
        elif scale == "group_mean":
            divisor = abs(sum(present(groups[number])) / len(present(groups[number])))
        elif scale == "batch":
            divisor = spread([reward for rewards in groups for reward in rewards])
        elif scale == "advantages":
            divisor = spread([value for values in differences for value in values])
        elif scale == "domain":
            same = [rewards for rewards, domain in zip(groups, domains, strict=True) if domain == domains[number]]
            divisor = spread([reward for rewards in same for reward in rewards])
        result.append([None if value is None else value / divisor for value in row])
    return result


def gae(rewards: Sequence[float], values: Sequence[float], *, discount: float, trace: float) -> list[float]:
    """GAE, equation 16, as the double sum: every later temporal difference, discounted."""
    length = len(rewards)
    result = []
    for t in range(length):
        total = 0.0
        for k in range(t, length):
            following = values[k + 1] if k + 1 < length else 0.0
            total += (discount * trace) ** (k - t) * (rewards[k] + discount * following - values[k])
        result.append(total)
    return result


def whitened(values: Sequence[Sequence[float]]) -> list[list[float]]:
    """All values less their mean, over their deviation."""
    flat = [value for row in values for value in row]
    mean = sum(flat) / len(flat)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in flat) / len(flat))
    return [[(value - mean) / deviation for value in row] for row in values]


def overlong(length: int, *, longest: int, cache: float) -> float:
    """DAPO, equation 13: what is added to the reward."""
    if length <= longest - cache:
        return 0.0
    return (longest - cache - length) / cache if length <= longest else -1.0


def least_certain(entropies: Sequence[float], share: float) -> set[int]:
    """Places of the `share` of tokens with the highest entropies, rounded up."""
    order = sorted(range(len(entropies)), key=lambda place: -entropies[place])
    return set(order[: math.ceil(share * len(entropies) - 1e-9)])


def covariances(logprobs: Sequence[float], advantages: Sequence[float]) -> list[float]:
    """Cui et al. 2025, equation 10."""
    mean_logprob, mean_advantage = sum(logprobs) / len(logprobs), sum(advantages) / len(advantages)
    return [(p - mean_logprob) * (a - mean_advantage) for p, a in zip(logprobs, advantages, strict=True)]
