"""Which two evaluations of a run are before and after, and every difference between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tahr.evaluation.statistics import Difference, compare, part_names, task_scores
from tahr.store.records import Evaluation


def before_and_after(evaluations: Sequence[Evaluation]) -> tuple[Evaluation, Evaluation] | None:
    """The evaluation called "before" and the one called "after", or the latest that shares tasks with the first.

    None where there is no such pair yet.
    """
    before = next((one for one in evaluations if one.name == "before"), None)
    if before is None:
        return None
    tasks = task_scores(before).keys()
    later = [one for one in evaluations if one is not before and tasks & task_scores(one).keys()]
    if not later:
        return None
    return before, next((one for one in later if one.name == "after"), later[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class StageGain:
    """One stage between the evaluations on either side of it.

    Example: ``StageGain(stage="rlvr", before=after_sft, after=after)``
    """

    stage: str
    before: Evaluation
    after: Evaluation

    @property
    def differences(self) -> list[Difference]:
        """What the stage changed over all tasks: the reward, then each part that both sides have."""
        return [one for one in all_differences(self.before, self.after) if not one.domain]


def stage_gains(evaluations: Sequence[Evaluation]) -> list[StageGain]:
    """Every stage that was evaluated on both sides on tasks in common, in order."""
    ends = [one for one in evaluations if one.name in ("before", "after", f"after-{one.stage}")]
    return [
        StageGain(stage=after.stage, before=before, after=after)
        for before, after in pairwise(ends)
        if (before.name != "before" or before.stage == after.stage) and _share_tasks(before, after, "reward")
    ]


def all_differences(before: Evaluation, after: Evaluation) -> list[Difference]:
    """Differences of the reward and of each part that both have: all tasks first, then domain by domain."""
    shared = [name for name in part_names(before) if name in part_names(after)]
    by_part = [compare(before, after, part=part) for part in ("reward", *shared) if _share_tasks(before, after, part)]
    found = [difference for differences in by_part for difference in differences]
    domains = sorted({difference.domain for difference in found})
    if len(domains) == 2:  # one domain besides "": it repeats what stands under all tasks
        found = [difference for difference in found if not difference.domain]
    return sorted(found, key=lambda difference: difference.domain)


def _share_tasks(before: Evaluation, after: Evaluation, part: str) -> bool:
    return bool(task_scores(before, part).keys() & task_scores(after, part).keys())
