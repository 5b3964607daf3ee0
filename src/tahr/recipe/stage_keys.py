"""What a stage's outcome depends on, as a hash: equal keys mean that the stage would end with the same weights.

In a key are: the model's weights, config, template and tokenizer, the seed, the stages before it, the stage's own
section, the tasks that it draws with their verifiers, the content of every file that the section or a verifier names,
the packages, and tahr's own code.
Not in it: the number of threads (results then differ by rounding), and the code of parts that others wrote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

import tahr
from tahr.data.splits import TaskSet
from tahr.evaluation.suites.load import load_suite
from tahr.recipe.conflicts import task_users
from tahr.recipe.named_files import hash_values, named_files
from tahr.recipe.schema import Recipe
from tahr.recipe.suite_guard import suite_questions

WITHOUT_EFFECT = ("cli", "report")
"""Packages whose code decides nothing about a trained weight."""

KEPT_OUT = {"checkpoint_every", "evaluate_every"}
"""Settings of a stage that leave its weights as they are."""

BUILT = "dpo.build"
"""Among the keys of stages: what the pairs follow from that the stage dpo builds as it begins."""

NOT_BUILT_FROM = {"weight", "validation_percent"}
"""Settings of ``[dpo.build]`` that say how its pairs are learnt from."""

TasksOf = Callable[[str], list[Any]]
"""The tasks of a set by its name, as `_tasks` describes them."""

DECIDING_PACKAGES = ("torch", "transformers", "tokenizers", "peft")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """What decides a run's outcome: the hash of its first weights, a key for each stage, one for its evaluations.

    `stages` also has one for `BUILT`, whatever dpo then learns from its pairs. `data` has a hash of everything that a
    stage (or ``eval``) reads, by its name: a run that goes on later must find the same.

    Example: ``Keys(model_hash="5c1f1e0a9d3b7f42", stages={"sft": "0d6be2f1c9a85e37"}, evaluation="9b1c5f0e7d3a2846",
    data={"sft": {"chats.jsonl": "77b0d1e3c2a4f596"}})``
    """

    model_hash: str
    stages: Mapping[str, str]
    evaluation: str
    data: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, recipe: Recipe, model_hash: str, task_sets: Mapping[str, TaskSet]) -> Self:
        """The keys of `recipe`; `model_hash` is of the weights that its first stage starts from."""

        @cache  # every file that the tasks name is hashed: once is enough
        def tasks_of(name: str) -> list[Any]:
            return _tasks(recipe, task_sets[name], name)

        stages, data = _stage_keys(recipe, model_hash, tasks_of)
        evaluation, measured = _evaluation_key(recipe, tasks_of)
        return cls(model_hash=model_hash, stages=stages, evaluation=evaluation, data={**data, "eval": measured})


def _stage_keys(recipe: Recipe, model_hash: str, tasks_of: TasksOf) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The key of each stage, and what it reads."""
    users = task_users(recipe)
    model = recipe.model.model_dump(mode="json", exclude={"source", "revision", "device", "hardware"})
    key = hash_values([model_hash, model, code_hash(), _versions()])
    keys: dict[str, str] = {}
    data: dict[str, dict[str, str]] = {}
    for place, stage in enumerate(recipe.stages):
        section: dict[str, Any] = getattr(recipe, stage).model_dump(mode="json", exclude=KEPT_OUT)
        drawn = {
            name: tasks_of(name) for name in (*users.get(f"{stage}.tasks", ()), *users.get(f"{stage}.build.tasks", ()))
        }
        engine = recipe.engine.model_dump(mode="json")
        files = dict(named_files(section))
        cleaned = _decontamination(recipe, tasks_of, section)
        if section.get("build"):
            built = {name: value for name, value in section["build"].items() if name not in NOT_BUILT_FROM}
            read = dict(named_files(built))
            keys[BUILT] = hash_values([key, place, BUILT, recipe.seed, built, engine, drawn, read, cleaned])
        key = hash_values([key, place, stage, recipe.seed, section, engine, drawn, files, cleaned])
        keys[stage] = key
        data[stage] = _data(drawn, files)
        if cleaned:
            data[stage]["what decontamination keeps out"] = hash_values(cleaned)
    return keys, data


def _decontamination(recipe: Recipe, tasks_of: TasksOf, section: Mapping[str, Any]) -> list[Any]:
    """What decides which of a stage's training rows are left out: the settings, and the questions held out."""
    kinds = () if recipe.eval is None else recipe.eval.decontaminate.sources
    if recipe.eval is not None and recipe.eval.suites:
        kinds = ("chats", "pairs", *kinds)
    if recipe.eval is None or not any(section.get(kind) or (section.get("build") or {}).get(kind) for kind in kinds):
        return []
    settings = recipe.eval.decontaminate.model_dump(mode="json")
    held_out = map(tasks_of, recipe.eval.tasks)
    return [settings, *held_out, *(one.published for one in suite_questions(recipe.eval.suites))]


def _evaluation_key(recipe: Recipe, tasks_of: TasksOf) -> tuple[str, dict[str, str]]:
    """A key for what an evaluation measures, whatever the model, and what it reads."""
    if recipe.eval is None:
        return "", {}
    drawn = {name: tasks_of(name) for name in recipe.eval.tasks}
    suites = [load_suite(name).model_dump(mode="json") for name in recipe.eval.suites]
    section = recipe.eval.model_dump(mode="json")
    files = dict(named_files([section, suites]))
    data = _data(drawn, files) | {
        f"suite {name}": hash_values(suite) for name, suite in zip(recipe.eval.suites, suites, strict=True)
    }
    return hash_values([section, recipe.seed, drawn, suites, files, code_hash(), _versions()]), data


def _data(drawn: Mapping[str, list[Any]], files: Mapping[str, str]) -> dict[str, str]:
    return {**files, **{f"tasks.{name}": hash_values(tasks) for name, tasks in drawn.items()}}


def code_hash() -> str:
    """Hash of the source of every part of tahr that may decide a weight or a score."""
    root = Path(tahr.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.suffix in (".py", ".txt", ".json", ".jsonl") and inside.parts[0] not in WITHOUT_EFFECT:
            digest.update(str(inside).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _tasks(recipe: Recipe, tasks: TaskSet, name: str) -> list[Any]:
    """The tasks of a set as they are, and what judges them."""
    config = recipe.tasks[name]
    splits = [[task.id for task in split] for split in (tasks.train, tasks.validation, tasks.test)]
    judges = sorted({task.verifier for task in (*tasks.train, *tasks.validation, *tasks.test)})
    settings = [recipe.verifiers[judge].model_dump(mode="json") for judge in judges if judge in recipe.verifiers]
    described = config.model_dump(mode="json")
    files = dict(named_files([described, settings]))
    return [described, hash_values(splits), judges, settings, files]


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in DECIDING_PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
