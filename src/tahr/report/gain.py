"""Which two evaluations of a run are before and after, and every difference between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tahr.evaluation.statistics import Difference, Mean, compare, part_names, task_scores
from tahr.store.records import Evaluation


def before_and_after(evaluations: Sequence[Evaluation]) -> tuple[Evaluation, Evaluation] | None:
    """The evaluation called "before" and the one called "after", or the latest that shares tasks with the first.

    None where there is no such pair yet.
    """
    before = next((one for one in evaluations if one.name == "before"), None)
    if before is None:
        return None
    tasks = task_scores(before).keys()
    others = [one for one in evaluations if one is not before and one.conditions is None]  # suites stand by themselves
    later = [one for one in others if tasks & task_scores(one).keys()]
    if not later:
        return None
    return before, next((one for one in later if one.name == "after"), later[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One measure of the model after a stage: what that stage changed, and all stages so far.

    `stage` is "" for the model that training began with, which nothing has changed. `domain` is "" for all tasks.

    Example: ``Rung(stage="rlvr", domain="", part="reward", mean=mean, gain=gain, total=total)``
    """

    stage: str
    domain: str
    part: str
    mean: Mean
    gain: Difference | None
    total: Difference | None


def steps_up(evaluations: Sequence[Evaluation]) -> list[tuple[Evaluation, Evaluation]]:
    """For every stage evaluated on both sides on tasks in common, the evaluation before it and the one after it."""
    ends = [one for one in evaluations if one.name in ("before", "after", f"after-{one.stage}")]
    return [
        (below, above)
        for below, above in pairwise(ends)
        if (below.name != "before" or below.stage == above.stage) and _share_tasks(below, above)
    ]


def ladder(evaluations: Sequence[Evaluation]) -> list[Rung]:
    """Each measure of the model at the beginning and after every stage; measure by measure, all tasks first.

    Only stages evaluated on both sides on tasks in common have a rung. Empty where that leaves fewer than two stages:
    the run's own gain says as much.
    """
    climbed = steps_up(evaluations)
    if len(climbed) < 2 or climbed[0][0].name != "before":
        return []
    base = climbed[0][0]
    climbed = [(below, one) for below, one in climbed if _share_tasks(base, one)]
    gains = [{_measure(one): one for one in all_differences(below, after)} for below, after in climbed]
    totals = [{_measure(one): one for one in all_differences(base, after)} for _, after in climbed]
    rungs: list[Rung] = []
    for domain, part in totals[0]:
        start = totals[0][domain, part].before
        rungs.append(Rung(stage="", domain=domain, part=part, mean=start, gain=None, total=None))
        for (_, after), gain, total in zip(climbed, gains, totals, strict=True):
            if (domain, part) in gain and (domain, part) in total:
                found = total[domain, part]
                rungs.append(
                    Rung(
                        stage=after.stage,
                        domain=domain,
                        part=part,
                        mean=found.after,
                        gain=gain[domain, part],
                        total=found,
                    )
                )
    return rungs


def all_differences(before: Evaluation, after: Evaluation) -> list[Difference]:
    """Differences of the reward and of each part that both have: all tasks first, then domain by domain."""
    shared = [name for name in part_names(before) if name in part_names(after)]
    by_part = [compare(before, after, part=part) for part in ("reward", *shared) if _share_tasks(before, after, part)]
    found = [difference for differences in by_part for difference in differences]
    domains = sorted({difference.domain for difference in found})
    if len(domains) == 2:  # one domain besides "": it repeats what stands under all tasks
        found = [difference for difference in found if not difference.domain]
    return sorted(found, key=lambda difference: difference.domain)


def _measure(difference: Difference) -> tuple[str, str]:
    return difference.domain, difference.part


def _share_tasks(before: Evaluation, after: Evaluation, part: str = "reward") -> bool:
    return bool(task_scores(before, part).keys() & task_scores(after, part).keys())
