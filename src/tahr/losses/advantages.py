"""Rewards to advantages: a baseline, then a scale. No torch; the numbers are few.

GRPO (Shao et al. 2024) is ``baseline="group_mean", scale="group"``; `tahr.losses.presets` lists the others. Where ours
differs from widely used code: a standard deviation is the population's (divided by n), no epsilon is added to it,
equal rewards are recognised as equal and not by a small spread, and an absent reward leaves the baseline instead of
counting as 0.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from tahr.core.errors import InputError
from tahr.losses.config import AdvantageConfig

Rewards = Sequence[float | None]


def has_spread(rewards: Rewards) -> bool:
    """Whether any two present rewards differ: only then does the group teach anything.

    >>> has_spread([0.1] * 8), has_spread([1.0, 0.0, None]), has_spread([0.0, None])
    (False, True, False)
    """
    return len({reward for reward in rewards if reward is not None}) > 1


def group_advantages(
    groups: Sequence[Rewards],
    config: AdvantageConfig,
    *,
    domains: Sequence[str] = (),
    greedy: Rewards = (),
) -> list[list[float | None]]:
    """One advantage for each reward of each group; None where the reward is absent.

    `domains` has one name a group, for ``scale="domain"``; `greedy` the reward of a greedy attempt at each group's
    task, for ``baseline="greedy"``: where that is absent, so are the group's advantages. With ``baseline="critic"``
    the rewards come back as they are: the critic's values are a matter of tokens.

    A group whose present rewards are all equal has advantages of exactly 0 under a baseline of its own.
    """
    centred = _centre(groups, config, greedy)
    if config.scale == "group":
        return [_divide(values, deviation(rewards)) for values, rewards in zip(centred, groups, strict=True)]
    if config.scale == "group_mean":
        least = min((reward for rewards in groups for reward in rewards if reward is not None), default=0.0)
        if least < 0:
            raise InputError(
                "dividing by a group's mean reward needs rewards of 0 and more: near 0 the mean is noise",
                received=f"a reward of {least:g}",
                instead="advantage.scale = 'group' or 'none', or rewards and penalties that don't go below 0",
            )
        return [_divide(values, abs(mean(rewards))) for values, rewards in zip(centred, groups, strict=True)]
    if config.scale == "domain":
        spreads = _domain_deviations(groups, domains)
        return [_divide(values, spreads[domain]) for values, domain in zip(centred, domains, strict=True)]
    if config.scale in {"batch", "advantages"} and config.baseline != "critic":
        over = groups if config.scale == "batch" else centred
        spread = deviation([value for values in over for value in values])
        return [_divide(values, spread) for values in centred]
    return centred


def mean(values: Rewards) -> float:
    """Mean of the present values; 0 where there are none."""
    present = [value for value in values if value is not None]
    return math.fsum(present) / len(present) if present else 0.0


def deviation(rewards: Rewards) -> float:
    """Population standard deviation of the present rewards; exactly 0 where they are all equal.

    >>> deviation([1.0, 0.0, None, 1.0, 0.0])
    0.5
    """
    present = [reward for reward in rewards if reward is not None]
    if not has_spread(present):
        return 0.0
    middle = mean(present)
    return math.sqrt(math.fsum((reward - middle) ** 2 for reward in present) / len(present))


def overlong_penalty(num_tokens: int, *, max_new_tokens: int, share: float, penalty: float) -> float:
    """What is taken off a reward for length: 0 up to the last `share` of the limit, then rising to `penalty` at it.

    DAPO's soft overlong punishment (Yu et al. 2025, equation 13), as a positive number.

    >>> [overlong_penalty(n, max_new_tokens=100, share=0.25, penalty=1.0) for n in (75, 90, 100)]
    [0.0, 0.6, 1.0]
    """
    buffer = share * max_new_tokens
    beyond = num_tokens - (max_new_tokens - buffer)
    return penalty * min(max(beyond / buffer, 0.0), 1.0) if buffer else 0.0


def generalised_advantages(
    rewards: Sequence[float], values: Sequence[float], *, discount: float, gae_lambda: float
) -> list[float]:
    """GAE (Schulman et al. 2016) over one sequence: ``sum((discount * lambda)**k * delta[t + k])``.

    `rewards` and `values` have one number a token: the reward that follows it, and the value of the state in which it
    was sampled. Nothing follows the last token.

    >>> generalised_advantages([0.0, 1.0], [0.5, 0.5], discount=1.0, gae_lambda=1.0)
    [0.5, 0.5]
    """
    advantages: list[float] = []
    following, later = 0.0, 0.0
    for reward, value in zip(reversed(rewards), reversed(values), strict=True):
        later = reward + discount * following - value + discount * gae_lambda * later
        advantages.append(later)
        following = value
    return advantages[::-1]


def _centre(groups: Sequence[Rewards], config: AdvantageConfig, greedy: Rewards) -> list[list[float | None]]:
    if config.baseline == "greedy":
        return [
            [None if base is None or reward is None else reward - base for reward in rewards]
            for rewards, base in zip(groups, greedy, strict=True)
        ]
    if config.baseline == "batch_mean":
        batch = [reward for rewards in groups for reward in rewards]
        base = mean(batch) if has_spread(batch) else next((one for one in batch if one is not None), 0.0)
        return [[None if reward is None else reward - base for reward in rewards] for rewards in groups]
    return [_subtract_baseline(rewards, config.baseline) for rewards in groups]


def _subtract_baseline(rewards: Rewards, baseline: str) -> list[float | None]:
    present = [reward for reward in rewards if reward is not None]
    if baseline in {"none", "critic"}:
        return list(rewards)
    if not has_spread(present):
        return [None if reward is None else 0.0 for reward in rewards]
    total, count = math.fsum(present), len(present)
    if baseline == "group_mean":
        return [None if reward is None else reward - total / count for reward in rewards]
    return [None if reward is None else reward - (total - reward) / (count - 1) for reward in rewards]


def _domain_deviations(groups: Sequence[Rewards], domains: Sequence[str]) -> dict[str, float]:
    rewards: defaultdict[str, list[float | None]] = defaultdict(list)
    for group, domain in zip(groups, domains, strict=True):
        rewards[domain].extend(group)
    return {domain: deviation(of_domain) for domain, of_domain in rewards.items()}


def _divide(values: Sequence[float | None], spread: float) -> list[float | None]:
    """Values over a spread; a spread of 0 leaves them, for there is nothing to scale."""
    return [value if value is None or spread == 0 else value / spread for value in values]
