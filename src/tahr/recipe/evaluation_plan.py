"""What ``tahr eval MODEL --suite SUITE`` will do: a task source, or what a recipe's ``[eval]`` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.protocols import task_sources
from tahr.data.config import TaskSetConfig
from tahr.engines.config import EngineConfig
from tahr.evaluation.config import EvalConfig
from tahr.evaluation.suites.load import suite_names
from tahr.models.config import ModelConfig
from tahr.recipe.load import read_values
from tahr.recipe.overrides import apply_overrides
from tahr.verifiers.config import VerifierConfig

TASKS_PER_TEST_TASK = 12
"""Tasks to generate for each one wanted: a tenth of them is held out, and the share varies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the command line asks for in place of the suite's own settings; None leaves them.

    Example: ``Wishes(num_tasks=50, samples_per_task=None, seed=None, max_new_tokens=None, temperature=None,
    verifier=None)``
    """

    num_tasks: int | None = None
    samples_per_task: int | None = None
    seed: int | None = None
    max_new_tokens: int | None = None
    temperature: float | None = None
    verifier: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPlan:
    """Everything that decides an evaluation's result, `threads` (0: all cores) among it.

    Example: ``EvaluationPlan(model=ModelConfig(source="smollm2-135m"), tasks={"arithmetic":
    TaskSetConfig(source="arithmetic")}, verifiers={}, eval=EvalConfig(tasks=("arithmetic",)),
    engine=EngineConfig(), seed=0, threads=0)``
    """

    model: ModelConfig
    tasks: Mapping[str, TaskSetConfig]
    verifiers: Mapping[str, VerifierConfig]
    eval: EvalConfig
    engine: EngineConfig
    seed: int
    threads: int


def plan_evaluation(model: str, suite: str, overrides: Sequence[str], wishes: Wishes) -> EvaluationPlan:
    """The plan for `model` (as in ``model.source``) on `suite`: a recipe file, or the name of a task source.

    Raises InputError where the suite is neither, has no ``[eval]``, or a setting is wrong.
    """
    is_file = suite.endswith(".toml") or Path(suite).exists()
    values = _from_recipe(Path(suite), model) if is_file else _from_source(suite, model, wishes)
    values = apply_overrides(_with_wishes(values, wishes), overrides)
    evaluation = EvalConfig.read(values["eval"], where="eval")
    missing = [name for name in evaluation.tasks if name not in values["tasks"]]
    if missing:
        raise InputError(f"eval.tasks: there is no [tasks.{missing[0]}]", received=suite)
    return EvaluationPlan(
        model=within_model(ModelConfig.read(values["model"], where="model")),
        tasks={name: TaskSetConfig.read(values["tasks"][name], where=f"tasks.{name}") for name in evaluation.tasks},
        verifiers={
            name: VerifierConfig.read(one, where=f"verifiers.{name}")
            for name, one in values.get("verifiers", {}).items()
        },
        eval=evaluation,
        engine=EngineConfig.read(values.get("engine", {}), where="engine"),
        seed=int(values.get("seed", 0)),
        threads=int(values.get("threads", 0)),
    )


def _from_recipe(path: Path, model: str) -> dict[str, Any]:
    """The recipe's sections with another model in them: a trained model is no longer made from scratch, nor adapted."""
    values = read_values(path)
    if "eval" not in values:
        raise InputError(f"{path} has no [eval] section", received=path, instead="a recipe with [eval], or a source")
    kept = {"max_context", "dtype", "device"} | ({"architecture"} if model == "scratch" else set[str]())
    settings = {key: value for key, value in values.get("model", {}).items() if key in kept}
    return {**values, "model": {**settings, "source": model}}


def _from_source(source: str, model: str, wishes: Wishes) -> dict[str, Any]:
    """One task set of the source, split as a recipe's defaults would: a model trained on its training split may be
    evaluated here without having seen the tasks."""
    if ":" not in source and source not in task_sources.names():
        raise UnknownNameError("suite or task source", source, sorted({*suite_names(), *task_sources.names()}))
    name = source if source.isidentifier() else "suite"
    wanted = (wishes.num_tasks or 100) * TASKS_PER_TEST_TASK
    return {
        "model": {"source": model},
        "tasks": {name: {"source": source, "num_tasks": max(2000, wanted)}},
        "eval": {"tasks": [name]},
    }


def _with_wishes(values: dict[str, Any], wishes: Wishes) -> dict[str, Any]:
    names = ("num_tasks", "samples_per_task", "max_new_tokens", "temperature")
    asked = {name: getattr(wishes, name) for name in names if getattr(wishes, name) is not None}
    section = {**values["eval"], **asked}
    if section.get("samples_per_task", 1) > 1 and not section.get("temperature"):
        section["temperature"] = 1.0  # greedy attempts would all be alike
    changed = {**values, "eval": section}
    if wishes.seed is not None:
        changed["seed"] = wishes.seed
    if wishes.verifier is not None:
        changed["tasks"] = {name: {**one, "verifier": wishes.verifier} for name, one in values["tasks"].items()}
    return changed


def within_model(config: ModelConfig) -> ModelConfig:
    """The context cut to what the model was built for, where its sizes are known before it is loaded."""
    from tahr.models.known import facts

    if config.source == "scratch":
        return config
    try:
        limit = facts(config.model_copy(update={"max_context": 8})).max_context
    except InputError:
        return config  # loading the model says what is wrong with it
    return config.model_copy(update={"max_context": min(config.max_context, limit)})
