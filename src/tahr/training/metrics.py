"""What a step's groups say, under the field's names."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from tahr.core.types import Group, Outcome
from tahr.losses.config import AdvantageConfig
from tahr.rollout.samples import Credited, correctness, differs, is_truncated, teaches
from tahr.training.absent import count_absent

_APART = ("correct", "canary")
"""Parts that have a metric of their own."""


def group_metrics(credited: Sequence[Credited], config: AdvantageConfig) -> dict[str, float]:
    """Rewards by part and by domain, lengths, truncation and spread, over every attempt of a step.

    Absent rewards are left out of every mean and counted by their cause (`count_absent`); ``cheat_share`` is the share
    of judged attempts that a verifier found cheating, ``canary_pass_share`` that of attempts at impossible tasks which
    pass (there where a step has such tasks). ``zero_spread_share`` is the share of
    groups whose attempts don't differ, ``num_groups_taught`` counts those that teach: with a critic, say, all of them.
    """
    groups = [one.group for one in credited]
    scored = [one for group in groups for one in group.scored]
    rewards = _means(groups)
    judged = [one for one in scored if one.reward is not None]
    truncated = [is_truncated(one) for one in judged]
    advantages = [a for one in credited for a in one.advantages if a is not None]
    lengths = {True: [0] * 0, False: [0] * 0}
    for one in judged:
        lengths[correctness(one) == 1.0].append(one.trajectory.num_sampled_tokens)
    metrics = {
        **rewards,
        "advantage_mean": fmean(advantages) if advantages else 0.0,
        "zero_spread_share": fmean(not differs(group, config) for group in groups) if groups else 0.0,
        "num_groups_taught": float(sum(teaches(group, config) for group in groups)),
        **count_absent(groups),
        "cheat_share": fmean(one.verdict.outcome is Outcome.CHEAT for one in judged) if judged else 0.0,
        "truncated_share": fmean(truncated) if truncated else 0.0,
        "num_tokens_sampled": float(num_sampled_tokens(groups)),
    }
    canaries = [one.reward.parts["canary"] for one in judged if one.reward and "canary" in one.reward.parts]
    if canaries:
        metrics["canary_pass_share"] = fmean(canaries)
    named = (("_correct", lengths[True]), ("_wrong", lengths[False]), ("", lengths[True] + lengths[False]))
    metrics |= {f"completion_length{name}": fmean(values) for name, values in named if values}
    return metrics


def num_sampled_tokens(groups: Sequence[Group]) -> int:
    """Tokens that the policy sampled in all attempts."""
    return sum(one.trajectory.num_sampled_tokens for group in groups for one in group.scored)


def error_rate(groups: Sequence[Group]) -> float:
    """Share of attempts whose reward is absent."""
    absent = [one.reward is None for group in groups for one in group.scored]
    return fmean(absent) if absent else 0.0


def policy_lag(groups: Sequence[Group], version: int) -> float:
    """Updates that the policy was ahead of the one that sampled, as a mean over completions."""
    lags = [
        version - turn.completion.policy_version
        for group in groups
        for one in group.scored
        for turn in one.trajectory.turns
    ]
    return fmean(lags) if lags else 0.0


def merge(updates: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The metrics of several updates of one step: sums of ``num_``, the largest of ``_max``, means of the rest."""
    merged: dict[str, float] = {}
    for name in dict.fromkeys(name for update in updates for name in update):
        values = [update[name] for update in updates if name in update]
        combine = math.fsum if name.startswith("num_") else max if name.endswith("_max") else fmean
        merged[name] = float(combine(values))
    return merged


def _means(groups: Sequence[Group]) -> dict[str, float]:
    """Mean reward, of each part, and of each domain."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for group in groups:
        for scored in group.scored:
            if scored.reward is None:
                continue
            values["reward"].append(scored.reward.value)
            values["correct"].append(correctness(scored) or 0.0)
            values[f"reward/{group.task.domain}"].append(scored.reward.value)
            for part, value in scored.reward.parts.items():
                if part not in _APART:
                    values[f"reward/{part}"].append(value)
    return {name: fmean(of_name) for name, of_name in values.items()}
