"""What the recipe's rewards invite: their ranges, and what answers that do nothing earn."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from tahr.core.ranges import RewardRange
from tahr.core.types import Task
from tahr.recipe.findings import Findings
from tahr.recipe.parts import Parts, used_tasks
from tahr.recipe.schema import Recipe
from tahr.recipe.scorers import own_scorers
from tahr.verifiers.build import VerifierSet

NUM_TRIED = 20
"""Tasks of a verifier that the null answers are tried on."""

NULLS = ("empty", "full stop", "echo")
"""Answers that do nothing: no text, a full stop, and the question said back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardFacts:
    """What one verifier in use gives. `known` is None where it does not state its range.

    `nulls` has the mean reward of each null answer over some tasks, None where it has no reward; `gold` that of the
    tasks' own answers.

    Example: ``RewardFacts(verifier="numeric", known=BINARY, nulls={"empty": 0.0}, gold=1.0)``
    """

    verifier: str
    known: RewardRange | None
    nulls: Mapping[str, float | None]
    gold: float | None


def judge_rewards(recipe: Recipe, parts: Parts, findings: Findings) -> tuple[RewardFacts, ...]:
    """The rewards of every verifier in use, by name; warns of those to train on that invite something else.

    A failing answer must not earn more than a passing one, and doing nothing not more than half of what there is.
    """
    facts = _facts(used_tasks(recipe, parts), parts.verifiers, own_scorers(recipe))
    trained = used_tasks(recipe, parts, "rlvr.tasks")
    imitated = {task.verifier for task in used_tasks(recipe, parts, "rejection_sampling.tasks")}
    trained_on = {task.verifier for task in trained}
    for one in facts:
        if one.verifier in trained_on:
            _warn_of_range(one, findings)
        if one.verifier in trained_on or one.verifier in imitated:
            _warn_of_nulls(one, findings)
    _warn_of_endlessness(recipe, trained_on, parts.verifiers, findings)
    _domain_weights(recipe, {task.domain for task in trained}, findings)
    return facts


def _facts(tasks: Sequence[Task], verifiers: VerifierSet, own: Collection[str]) -> tuple[RewardFacts, ...]:
    """What each verifier gives; those in `own` wait for a model of the run's and judge nothing yet."""
    by_verifier: dict[str, list[Task]] = {}
    for task in tasks:
        by_verifier.setdefault(task.verifier, []).append(task)
    tried = {name: [] if name in own else _some(of_one) for name, of_one in sorted(by_verifier.items())}
    return tuple(_judge(name, of_one, verifiers) for name, of_one in tried.items())


def _some(tasks: Sequence[Task]) -> Sequence[Task]:
    return tasks[:: max(1, len(tasks) // NUM_TRIED)][:NUM_TRIED]


def _judge(name: str, tried: Sequence[Task], verifiers: VerifierSet) -> RewardFacts:
    verifier = verifiers.get(name)
    golds = [(task, gold) for task in tried if (gold := verifier.gold(task)) is not None]
    echoes = [(task, task.prompt[-1].content if task.prompt else "") for task in tried]
    answers = ([(task, "") for task in tried], [(task, ".") for task in tried], echoes)
    return RewardFacts(
        verifier=name,
        known=verifiers.reward_range(name),
        nulls={null: _mean(verifiers, texts) for null, texts in zip(NULLS, answers, strict=True)},
        gold=_mean(verifiers, golds),
    )


def _mean(verifiers: VerifierSet, answers: Sequence[tuple[Task, str]]) -> float | None:
    rewards = [verifiers.verify(task, text).reward for task, text in answers]
    values = [reward.value for reward in rewards if reward is not None]
    return fmean(values) if values else None


def _warn_of_range(one: RewardFacts, findings: Findings) -> None:
    if one.known is None or one.known.failing[1] <= one.known.passing[0]:
        return
    findings.warn(
        f"verifiers.{one.verifier}",
        "an answer that fails can earn more than one that passes",
        received=f"failing up to {one.known.failing[1]:g}, passing from {one.known.passing[0]:g}",
        instead='more weight on the parts that decide, less on the others, or when = "correct" for them',
    )


def _warn_of_nulls(one: RewardFacts, findings: Findings) -> None:
    """Where the range is unknown, it is taken to reach from 0, or what null answers earn below it, to the gold's."""
    worths = {null: worth for null, worth in one.nulls.items() if worth is not None}
    high = one.known.high if one.known else one.gold
    if not worths or high is None:
        return
    low = one.known.low if one.known else min(0.0, *worths.values())
    null, worth = max(worths.items(), key=lambda pair: pair[1])
    if worth > (low + high) / 2:
        findings.warn(
            f"verifiers.{one.verifier}",
            f"an answer that does nothing ({null}) earns more than half of what there is",
            received=f"{worth:g} on average, of {low:g} to {high:g}",
            instead="a part that it fails, with more weight, or a gate",
        )


def _warn_of_endlessness(recipe: Recipe, names: set[str], verifiers: VerifierSet, findings: Findings) -> None:
    """Where neither the recipe nor the reward has anything against answers that are cut off and earn all there is."""
    if recipe.rlvr is None or recipe.rlvr.advantage.overlong_share or recipe.rlvr.advantage.mask_truncated:
        return
    for name in sorted(names):
        if getattr(verifiers.get(name), "passes_unfinished", False) is True:
            findings.warn(
                "rlvr.advantage.overlong_share",
                f"answers that max_new_tokens cuts off can earn all that {name!r} gives: nothing teaches to stop",
                received="0, with mask_truncated = false",
                instead="a share such as 0.25, mask_truncated = true, or a part `length` with a max in the reward",
            )


def _domain_weights(recipe: Recipe, domains: set[str], findings: Findings) -> None:
    for domain in recipe.rlvr.advantage.domain_weights if recipe.rlvr and domains else ():
        if domain not in domains:
            findings.conflict(
                "rlvr.advantage.domain_weights",
                f"no task that is trained on is of the domain {domain!r}",
                instead=f"one of {', '.join(sorted(domains))}",
            )
