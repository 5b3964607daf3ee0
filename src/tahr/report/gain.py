"""Which two evaluations of a run are before and after, and every difference between them."""

from __future__ import annotations

from collections.abc import Sequence

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
