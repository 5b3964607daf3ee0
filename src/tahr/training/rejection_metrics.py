"""What a round of rejection sampling found."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from tahr.core.types import Group, Outcome
from tahr.losses.config import AdvantageConfig
from tahr.rollout.keep import num_duplicates
from tahr.rollout.samples import Credited
from tahr.training.metrics import group_metrics

_OF_GROUPS = ("advantage_mean", "num_groups_taught", "zero_spread_share")
"""Measures that say something of comparisons within a group, which are not made here."""


def round_metrics(groups: Sequence[Group], kept: Sequence[Sequence[bool]]) -> dict[str, float]:
    """`tahr.training.metrics.group_metrics`, and what became of the attempts.

    ``pass_rate`` is the share of judged attempts that pass, ``kept_share`` that of all attempts that are learnt from;
    ``tasks_without_pass`` and ``tasks_taught`` are shares of the tasks, ``duplicate_share`` the share of attempts that
    say what an earlier one of their task said.
    """
    none = [Credited(group=group, advantages=(None,) * len(group.scored)) for group in groups]
    metrics = {name: value for name, value in group_metrics(none, AdvantageConfig()).items() if name not in _OF_GROUPS}
    attempts = [one for group in groups for one in group.scored]
    chosen = [one for of_group in kept for one in of_group]
    lengths = [one.trajectory.num_sampled_tokens for one, keep in zip(attempts, chosen, strict=True) if keep]
    judged = [one for one in attempts if one.reward is not None]
    metrics |= {
        "pass_rate": sum(one.verdict.outcome is Outcome.PASS for one in judged) / max(len(judged), 1),
        "kept_share": fmean(chosen) if chosen else 0.0,
        "num_kept": float(sum(chosen)),
        "num_kept_tokens": float(sum(lengths)),
        "tasks_without_pass": fmean(not _passes(group) for group in groups) if groups else 0.0,
        "tasks_taught": fmean(map(any, kept)) if kept else 0.0,
        "duplicate_share": sum(map(num_duplicates, groups)) / max(len(attempts), 1),
    }
    return metrics | ({"completion_length_kept": fmean(lengths)} if lengths else {})


def _passes(group: Group) -> bool:
    return any(one.verdict.outcome is Outcome.PASS for one in group.scored)
