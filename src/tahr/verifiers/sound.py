"""Whether a verdict can be trained on: what comes from a verifier is checked before anything relies on it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tahr.core.ranges import RewardRange
from tahr.core.types import Outcome, Reward, Verdict

MAX_REWARD = 1e9
"""Largest size of a reward or a part of one: squares of much larger ones overflow."""


def sound(verdict: Any, known: RewardRange | None = None) -> Verdict:
    """`verdict` as it is. Raises TypeError or ValueError where it is none, or where its reward can't be trained on.

    A reward outside the range `known` that the verifier states can't be trained on either.
    """
    if not isinstance(verdict, Verdict):
        raise TypeError(f"it returned {type(verdict).__name__}, not a Verdict")
    outcome: Any = verdict.outcome
    reward: Any = verdict.reward
    if not isinstance(outcome, Outcome):
        raise TypeError(f"its outcome is {outcome!r}, not an Outcome")
    if (reward is None) != (outcome in {Outcome.TIMEOUT, Outcome.ERROR}):
        raise ValueError(f"its outcome {outcome.value!r} came {'without' if reward is None else 'with'} a reward")
    _check_text("note", verdict.note)
    if verdict.extracted is not None:
        _check_text("extracted answer", verdict.extracted)
    if reward is not None:
        _check_reward(reward)
        if known is not None and not known.holds(outcome, reward):
            raise ValueError(f"its {outcome.value} is worth {reward.value:g}, outside its own range: {known}")
    return verdict


def settle_cheat(verdict: Verdict, worth: float, known: RewardRange | None) -> Verdict:
    """A CHEAT verdict at what the recipe says it is worth; others as they are.

    It never is worth more than the lowest reward of the range `known`, or where that is unknown more than the verifier
    gave it: what cheats is at best as good as what fails.
    """
    if verdict.outcome is not Outcome.CHEAT or verdict.reward is None:
        return verdict
    value = min(worth, verdict.reward.value) if known is None else known.with_cheating(worth).cheating
    return replace(verdict, reward=replace(verdict.reward, value=value))


def _check_reward(reward: Any) -> None:
    """Raise TypeError or ValueError unless every number can be trained on and everything can be stored."""
    if not isinstance(reward, Reward):
        raise TypeError(f"its reward is {type(reward).__name__}, not a Reward")
    parts: Any = reward.parts
    if not isinstance(parts, Mapping):
        raise TypeError(f"its reward's parts are {type(parts).__name__}, not a mapping")
    _check_text("reward's note", reward.note)
    for name, value in [("value", reward.value), *parts.items()]:
        _check_text("reward's part name", name)
        if not isinstance(value, int | float):
            raise TypeError(f"its reward's {name} is {type(value).__name__}, not a number")
        if not math.isfinite(value):
            raise ValueError(f"its reward's {name} is {value}, not finite")
        if abs(value) > MAX_REWARD:
            raise ValueError(f"its reward's {name} is {value:.3g}, beyond {MAX_REWARD:.0e}")


def _check_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(f"its {name} is {type(value).__name__}, not text")
