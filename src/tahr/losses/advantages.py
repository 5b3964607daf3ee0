"""Rewards to advantages: a baseline, then a scale. No torch; the numbers are few.

GRPO (Shao et al. 2024) is ``baseline="group_mean", scale="group"``; Dr.GRPO (Liu et al. 2025) drops the scale; RLOO
(Ahmadian et al. 2024) is ``baseline="leave_one_out", scale="none"``. Where ours differs from widely used code: the
standard deviation is the population's (divided by n), no epsilon is added to it, equal rewards are recognised as
equal and not by a small spread, and an absent reward leaves the baseline instead of counting as 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tahr.losses.config import AdvantageConfig

Rewards = Sequence[float | None]


def has_spread(rewards: Rewards) -> bool:
    """Whether any two present rewards differ: only then does the group teach anything.

    >>> has_spread([0.1] * 8), has_spread([1.0, 0.0, None]), has_spread([0.0, None])
    (False, True, False)
    """
    return len({reward for reward in rewards if reward is not None}) > 1


def group_advantages(groups: Sequence[Rewards], config: AdvantageConfig) -> list[list[float | None]]:
    """One advantage for each reward of each group; None where the reward is absent.

    A group whose present rewards are all equal has advantages of exactly 0 under every baseline but "none".
    """
    centred = [_subtract_baseline(rewards, config.baseline) for rewards in groups]
    if config.scale == "none":
        return centred
    if config.scale == "group":
        return [_divide(values, deviation(rewards)) for values, rewards in zip(centred, groups, strict=True)]
    spread = deviation([reward for rewards in groups for reward in rewards])
    return [_divide(values, spread) for values in centred]


def deviation(rewards: Rewards) -> float:
    """Population standard deviation of the present rewards; exactly 0 where they are all equal.

    >>> deviation([1.0, 0.0, None, 1.0, 0.0])
    0.5
    """
    present = [reward for reward in rewards if reward is not None]
    if not has_spread(present):
        return 0.0
    mean = math.fsum(present) / len(present)
    return math.sqrt(math.fsum((reward - mean) ** 2 for reward in present) / len(present))


def _subtract_baseline(rewards: Rewards, baseline: str) -> list[float | None]:
    present = [reward for reward in rewards if reward is not None]
    if baseline == "none":
        return list(rewards)
    if not has_spread(present):
        return [None if reward is None else 0.0 for reward in rewards]
    total, count = math.fsum(present), len(present)
    if baseline == "group_mean":
        return [None if reward is None else reward - total / count for reward in rewards]
    return [None if reward is None else reward - (total - reward) / (count - 1) for reward in rewards]


def _divide(values: Sequence[float | None], spread: float) -> list[float | None]:
    """Values over a spread; a spread of 0 leaves them, for there is nothing to scale."""
    return [value if value is None or spread == 0 else value / spread for value in values]
