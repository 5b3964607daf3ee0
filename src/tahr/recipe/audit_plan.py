"""What ``tahr audit VERIFIER`` will judge: files, a recipe's own tasks, or what tahr has for the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tahr.data.splits import build_task_sets
from tahr.evaluation.audit.material import Material, built_in, pairs_from_file, tasks_from_file, tasks_from_sources
from tahr.evaluation.audit.run import AuditJob
from tahr.evaluation.bulk.judges import built_verifiers
from tahr.recipe.load import load_recipe
from tahr.recipe.verifier_choice import verifier_sections
from tahr.verifiers.build import VerifierSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the command line names.

    Example: ``Given(verifier="math", tasks=None, pairs=Path("pairs.jsonl"), recipe=None, arguments=())``
    """

    verifier: str
    tasks: Path | None = None
    pairs: Path | None = None
    recipe: Path | None = None
    arguments: Sequence[str] = ()


def plan_audit(given: Given, *, num_tasks: int, seconds: float) -> tuple[AuditJob, Material]:
    """The audit's job and its material. Files go before a recipe's tasks, and those before tahr's own.

    Raises InputError where a file, the recipe or the verifier is at fault.
    """
    name = given.verifier
    sections = verifier_sections(name, given.recipe, given.arguments)
    verifiers = built_verifiers(sections)
    verifier = verifiers.get(name)
    job = AuditJob(verifier=name, verifiers=sections, num_tasks=num_tasks, seconds=seconds)
    material = Material()
    if given.pairs is not None:
        material += pairs_from_file(given.pairs, name, verifier)
    if given.tasks is not None:  # then the labelled answers' tasks are not audited beside them
        material = Material(pairs=material.pairs, sources=material.sources) + tasks_from_file(given.tasks, name)
    if given.pairs is None and given.tasks is None and given.recipe is not None:
        material += _recipe_tasks(given.recipe, name, verifiers)
    if not material.sources:
        registered = str(sections.get(name, {}).get("verifier", name))
        material += built_in(registered, name, verifier) + tasks_from_sources(registered, name, num_tasks)
    return job, material


def _recipe_tasks(recipe: Path, name: str, verifiers: VerifierSet) -> Material:
    """The tasks of a recipe that the verifier judges."""
    material = Material()
    for set_name, tasks in build_task_sets(load_recipe(recipe).recipe.tasks, verifiers).items():
        judged = [task for task in (*tasks.train, *tasks.validation, *tasks.test) if task.verifier == name]
        if judged:
            material += Material(tasks=tuple(judged), sources=(f"the task set {set_name!r}",))
    return material
