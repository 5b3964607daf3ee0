"""What ``tahr eval MODEL --suite SUITE`` does with a suite: every question in every setting, kept as a run folder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import Field

from tahr.core.config import Config
from tahr.core.errors import InputError, ResourceError, UnknownNameError
from tahr.core.progress import Progress
from tahr.core.types import Task
from tahr.engines.config import EngineConfig
from tahr.engines.sample_cache import SampleCache
from tahr.evaluation.absences import reasons_text
from tahr.evaluation.suites.asking import sampling_in
from tahr.evaluation.suites.config import SuiteConfig, SuiteSetting, SuiteSplit
from tahr.evaluation.suites.load import parse_suite, read_suite, suite_tasks
from tahr.models.config import ModelConfig
from tahr.recipe.evaluation_plan import Wishes, within_model
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.suite_asking import Answered, ask_questions
from tahr.recipe.suite_guard import suite_label
from tahr.recipe.suite_model import CACHE_NAME, Asked, SuiteModel, conditions_of, model_label, open_model
from tahr.store.journal import EvaluationJournal
from tahr.store.run import Run
from tahr.verifiers.build import build_verifiers


class SuiteRun(Config):
    """Everything that decides the result; what ``--set`` may change of it."""

    model: ModelConfig = Field(description="how the model is loaded")
    engine: EngineConfig = Field(default_factory=EngineConfig, description="the engine's bounds")
    server: dict[str, Any] = Field(
        default_factory=dict, description="of a model behind a server: api_key_env, timeout_seconds, request, ..."
    )
    suite: SuiteConfig = Field(description="what is asked, and how")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlan:
    """A run of one suite. `num_tasks` bounds each set of questions.

    Example: ``SuitePlan(settings=settings, name="ifeval", split="all", num_tasks=None, only=("bare",))``
    """

    settings: SuiteRun
    name: str
    split: SuiteSplit
    num_tasks: int | None
    only: tuple[str, ...]


def plan_suite(
    model: str, suite: str, overrides: Sequence[str], wishes: Wishes, *, split: SuiteSplit, only: Sequence[str] = ()
) -> SuitePlan:
    """The plan for `model` on the suite of that name or in that file, in all settings or those in `only`.

    Raises InputError for an unknown suite or setting, or a value that is wrong.
    """
    values = {"model": {"source": model}, "suite": _wished(read_suite(suite), wishes)}
    changed = apply_overrides(values, [_inside_suite(one) for one in overrides], SuiteRun)
    parsed = parse_suite(changed["suite"], origin=suite)
    for name in only:
        if name not in parsed.settings:
            raise UnknownNameError("setting", name, parsed.settings)
    settings = SuiteRun(
        model=within_model(ModelConfig.read(changed["model"], where="model")),
        engine=EngineConfig.read(changed.get("engine", {}), where="engine"),
        server=changed.get("server", {}),
        suite=parsed,
    )
    return SuitePlan(
        settings=settings,
        name=suite_label(suite),
        split=split,
        num_tasks=wishes.num_tasks,
        only=tuple(only) or tuple(parsed.settings),
    )


def run_suite(plan: SuitePlan, root: Path, *, progress: Progress) -> Path:
    """Ask all questions and give the run folder, one evaluation a setting. What an earlier call sampled of the same
    weights is taken from the cache in `root`. Raises as loading a model does, and ResourceError where nothing that was
    asked in a setting has a reward."""
    settings = plan.settings
    verifiers = build_verifiers(settings.suite.verifiers)
    tasks = suite_tasks(settings.suite, verifiers, plan.split, plan.num_tasks)
    values = _as_recipe(plan)
    seed = settings.suite.sampling.seed
    with SampleCache(root / CACHE_NAME) as cache:
        model = open_model(settings.model, engine=settings.engine, server=settings.server, cache=cache)
        # every setting before the first is asked: a template without a switch is an error now, not after an hour
        asked = {name: model.asked(verifiers, seed=seed, thinking=_setting(plan, name).thinking) for name in plan.only}
        with Run.create(root, _run_name(plan), recipe=values, recipe_toml=tomli_w.dumps(values), seed=seed) as run:
            verifiers.enter_run(run.folder)
            with run.ending():
                for name in plan.only:
                    found = asyncio.run(_evaluate(plan, name, tasks, model, asked[name], run, progress))
                    _check_scored(name, found)
        return run.folder


async def _evaluate(
    plan: SuitePlan, name: str, tasks: Sequence[Task], model: SuiteModel, asked: Asked, run: Run, progress: Progress
) -> Answered:
    """All attempts in one setting, kept in the run as rows under the suite's own questions."""
    suite, setting = plan.settings.suite, _setting(plan, name)
    sampling, num_samples = sampling_in(suite, setting), suite.sampling.samples_per_task
    progress.phase(f"evaluating ({name})", total=len(tasks) * num_samples)
    conditions = conditions_of(
        suite=plan.name,
        setting=name,
        asked=setting,
        request=model.request,
        source=plan.settings.model.source,
        weights=model.weights,
        size=model.size,
        sampling=sampling,
        of_suite=suite.sampling,
    )
    with EvaluationJournal(run.folder, name=name, stage="eval", step=0, split=plan.split) as journal:
        return await ask_questions(
            tasks,
            setting,
            asked,
            journal=journal,
            samples_per_task=num_samples,
            sampling=sampling,
            conditions=conditions,
            num_cached=lambda: model.num_cached,
            progress=progress,
        )


def _check_scored(name: str, found: Answered) -> None:
    """Raise ResourceError where no attempt has a reward: nothing was measured, and the next setting won't be either."""
    if not found.num_scored:
        raise ResourceError(
            f"none of the {found.num_attempts} attempts in the setting {name!r} has a reward",
            received=reasons_text(found.reasons),
            instead="mend that, and give the same command again: what was answered is in the cache",
        )


def _setting(plan: SuitePlan, name: str) -> SuiteSetting:
    return plan.settings.suite.settings[name]


def _run_name(plan: SuitePlan) -> str:
    """The suite and the model, fit for a folder's name."""
    return "-".join(["eval", plan.name, model_label(plan.settings.model.source)])


def _wished(suite: dict[str, Any], wishes: Wishes) -> dict[str, Any]:
    """The suite with what the command line asks for in place of its own."""
    names = ("samples_per_task", "max_new_tokens", "temperature", "seed")
    asked = {name: getattr(wishes, name) for name in names if getattr(wishes, name) is not None}
    sampling = {**suite.get("sampling", {}), **asked}
    if wishes.temperature == 0 and sampling.get("samples_per_task", 1) > 1:
        raise InputError(
            "greedy attempts at a question are all alike",
            received=f"--temperature 0 and {sampling['samples_per_task']} samples",
            instead="one sample, or a temperature above 0",
        )
    if sampling.get("samples_per_task", 1) > 1 and not sampling.get("temperature"):
        sampling["temperature"] = 1.0  # greedy attempts would all be alike
    changed = {**suite, "sampling": sampling}
    if wishes.max_new_tokens is not None and "settings" in suite:
        bare = {
            name: {k: v for k, v in one.items() if k != "max_new_tokens"} for name, one in suite["settings"].items()
        }
        changed["settings"] = bare
    if wishes.verifier is not None:
        changed["tasks"] = {name: {**one, "verifier": wishes.verifier} for name, one in suite["tasks"].items()}
    return changed


def _inside_suite(override: str) -> str:
    """An override of what is in the suite's file, ``tasks.sums.num_tasks=50``, as one of a run of it: with ``suite.``
    before it, which may stand there already."""
    first = override.partition("=")[0].split(".")[0].strip()
    return f"suite.{override.strip()}" if first in SuiteConfig.model_fields else override


def _as_recipe(plan: SuitePlan) -> dict[str, Any]:
    """The plan as JSON values, for the run folder."""
    extra: Mapping[str, Any] = {} if plan.num_tasks is None else {"num_tasks": plan.num_tasks}
    return {
        "description": f"{plan.settings.model.source} on {plan.name}, {plan.split}",
        "stages": [],
        "suite_name": plan.name,
        "split": plan.split,
        "settings": list(plan.only),
        **extra,
        **plan.settings.model_dump(mode="json", exclude_none=True),
    }
