"""The recipe's verifiers and tasks, built for real: they are light, and most faults of a recipe are in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tahr.core.errors import InputError, OutOfReachError
from tahr.core.types import Task
from tahr.data.config import Split
from tahr.data.splits import TaskSet, build_task_sets
from tahr.evaluation.suites.load import load_suite
from tahr.recipe.findings import Findings
from tahr.recipe.schema import Recipe
from tahr.recipe.suite_guard import first_setting, keep_out
from tahr.recipe.unseen_guard import contamination
from tahr.verifiers.build import VerifierSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The verifiers and the task sets of a recipe.

    Example: ``Parts(verifiers=VerifierSet({}), sets={"words": words})``
    """

    verifiers: VerifierSet
    sets: Mapping[str, TaskSet]

    def gold(self, task: Task) -> str:
        """The answer that supervised fine-tuning teaches for a task."""
        return self.verifiers.gold(task)


def build_parts(recipe: Recipe, findings: Findings) -> Parts:
    """Every task set that can be built; what can't be is filed as a conflict, and so are splits that are empty."""
    verifiers = VerifierSet(recipe.verifiers)
    for name in recipe.verifiers:
        findings.try_to(f"verifiers.{name}", lambda name=name: verifiers.get(name))
    sets = _without_suites(recipe, _task_sets(recipe, verifiers, findings), findings)
    for where, name, split in used_splits(recipe):
        if name in sets:
            findings.try_to(where, lambda name=name, split=split: sets[name].split(split))
    _left_out(sets, findings)
    _evaluation_sizes(recipe, sets, findings)
    return Parts(verifiers=verifiers, sets=sets)


def used_splits(recipe: Recipe) -> list[tuple[str, str, Split]]:
    """What draws on which split of which task set: (dotted path of the setting, task set, split)."""
    used: list[tuple[str, str, Split]] = []
    if recipe.sft is not None:
        used.extend(("sft.tasks", name, "train") for name in recipe.sft.tasks)
    if recipe.rejection_sampling is not None:
        used.extend(("rejection_sampling.tasks", name, "train") for name in recipe.rejection_sampling.tasks)
    if recipe.distillation is not None:
        used.extend(("distillation.tasks", name, "train") for name in recipe.distillation.tasks)
    if recipe.dpo is not None and recipe.dpo.build is not None:
        used.extend(("dpo.build.tasks", name, "train") for name in recipe.dpo.build.tasks)
    if recipe.rlvr is not None:
        used.extend(("rlvr.tasks", name, "train") for name in recipe.rlvr.tasks)
    if recipe.reward_model is not None:
        for split in ("train", "validation"):
            used.extend(("reward_model.tasks", name, split) for name in recipe.reward_model.tasks)
    if recipe.eval is not None:
        split = recipe.eval.split
        used.extend(("eval.tasks", name, split) for name in recipe.eval.tasks)
        if recipe.rlvr is not None and recipe.rlvr.evaluate_every:
            used.extend(("rlvr.evaluate_every", name, "validation") for name in recipe.eval.tasks)
    return used


def used_tasks(recipe: Recipe, parts: Parts, where: str = "") -> list[Task]:
    """Every task that the run may use, or that the setting `where` (such as ``sft.tasks``) may."""
    splits = {(name, split) for user, name, split in used_splits(recipe) if user.startswith(where)}
    return [task for name, split in sorted(splits) if name in parts.sets for task in getattr(parts.sets[name], split)]


def _task_sets(recipe: Recipe, verifiers: VerifierSet, findings: Findings) -> dict[str, TaskSet]:
    try:
        return build_task_sets(recipe.tasks, verifiers)
    except InputError:
        # At least one set is at fault: build each alone, so that every fault is reported and not just the first.
        built: dict[str, TaskSet] = {}
        for name, config in recipe.tasks.items():
            with findings.catching(f"tasks.{name}"):
                try:
                    built.update(build_task_sets({name: config}, verifiers))
                except OutOfReachError as error:
                    findings.warn(f"tasks.{name}", error.wrong.partition("\n")[0], instead=error.instead)
        return built


def _without_suites(recipe: Recipe, sets: dict[str, TaskSet], findings: Findings) -> dict[str, TaskSet]:
    """The sets without the suites' questions that are kept out, which is said; as they are where those of
    ``eval.suites`` can't be read, which is filed."""
    contaminated = contamination(recipe)
    if contaminated:
        findings.warn(
            "train_on_unseen",
            "questions of evaluations may be learnt: evaluations of the model are marked as contaminated",
            received=contaminated,
        )
    with findings.catching("eval.suites"):
        for name in recipe.eval.suites if recipe.eval is not None else ():
            first_setting(load_suite(name), name)
        try:
            kept = keep_out(recipe, sets)
        except OutOfReachError as error:
            findings.warn("eval.suites", error.wrong.partition("\n")[0], instead=error.instead)
            return sets
        for name, tasks in kept.items():
            num_found = len(sets[name].train) - len(tasks.train)
            if num_found:
                findings.warn(f"tasks.{name}", f"{num_found} training tasks are questions of suites and are left out")
        return kept
    return sets


def _left_out(sets: dict[str, TaskSet], findings: Findings) -> None:
    """What a source was told to go on without is said all the same."""
    for name, tasks in sets.items():
        for number, why in ((tasks.num_skipped, "could not be read"), (tasks.num_unproven, "fail their own tests")):
            if number:
                findings.warn(f"tasks.{name}", f"{number} rows {why} and are left out")


def _evaluation_sizes(recipe: Recipe, sets: dict[str, TaskSet], findings: Findings) -> None:
    """Held-out splits smaller than what [eval] asks for."""
    if recipe.eval is None:
        return
    for name in recipe.eval.tasks:
        tasks = getattr(sets[name], recipe.eval.split) if name in sets else ()
        if 0 < len(tasks) < recipe.eval.num_tasks:
            findings.warn(
                "eval.num_tasks",
                f"the {recipe.eval.split} split of {name!r} has only {len(tasks)} tasks",
                received=recipe.eval.num_tasks,
                instead=f"raise tasks.{name}.num_tasks or its {recipe.eval.split}_percent",
            )
