"""What ``tahr scale`` does: one model, one setting of a suite, every knob of test-time computing turned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w
from pydantic import Field

from tahr.core.config import Config
from tahr.core.errors import InputError, UnknownNameError
from tahr.core.progress import Progress
from tahr.core.protocols import Sampling, task_sources
from tahr.core.types import Task
from tahr.engines.config import EngineConfig
from tahr.evaluation.scaling.config import ScalingConfig
from tahr.evaluation.suites.asking import asked_in, sampling_in
from tahr.evaluation.suites.config import SuiteConfig, SuiteSetting, SuiteSplit, SuiteTasks
from tahr.evaluation.suites.load import is_suite, load_suite, suite_names, suite_tasks
from tahr.models.config import ModelConfig
from tahr.recipe.evaluation_plan import within_model
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.suite_guard import suite_label
from tahr.recipe.suite_model import CACHE_NAME, model_label
from tahr.store.run import Run
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig

if TYPE_CHECKING:
    from tahr.evaluation.runner import Collects
    from tahr.evaluation.scaling.sampling import Forcer, Reviser, Sampler
    from tahr.evaluation.scaling.selection import RowOf, Selection
    from tahr.recipe.suite_model import HeldModel, ServedModel, SuiteModel

    Steps = tuple[Callable[[int], tuple[Collects, RowOf]], Reviser, Forcer | None]

REWARD_MODEL = "reward model"
"""The selector of ``--reward-model``."""

RECIPE_UNSEEN_PERCENT = 20
"""Of a bare source, what a recipe's default split would have held out is asked."""


class ScaleSettings(Config):
    """What ``--set`` may change."""

    model: ModelConfig = Field(description="how the model is loaded")
    engine: EngineConfig = Field(default_factory=EngineConfig, description="the engine's bounds")
    server: dict[str, Any] = Field(
        default_factory=dict, description="of a model behind a server: api_key_env, timeout_seconds, request, ..."
    )
    scaling: ScalingConfig = Field(default_factory=ScalingConfig, description="knobs and how far they are turned")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalePlan:
    """Everything that decides a study's result.

    Example: ``ScalePlan(settings=ScaleSettings(model=ModelConfig(source="smollm2-135m")), suite_name="arithmetic",
    suite=suite, setting_name="bare", setting=setting, split="unseen", num_tasks=20, selectors=("reward model",))``
    """

    settings: ScaleSettings
    suite_name: str
    suite: SuiteConfig
    setting_name: str
    setting: SuiteSetting
    split: SuiteSplit
    num_tasks: int | None
    selectors: tuple[str, ...]

    @property
    def sampling(self) -> Sampling:
        """How attempts are sampled; greedy ones would all be alike, and are sampled at temperature 1 instead."""
        sampling = sampling_in(self.suite, self.setting)
        return replace(sampling, temperature=sampling.temperature or 1.0)

    def as_recipe(self) -> dict[str, Any]:
        """The plan as JSON values, for the run folder."""
        return {
            "description": f"test-time computing of {self.settings.model.source} on {self.suite_name}",
            "stages": [],
            "suite_name": self.suite_name,
            "suite": self.suite.model_dump(mode="json", exclude_none=True),
            "setting": self.setting_name,
            "split": self.split,
            "selectors": list(self.selectors),
            **({} if self.num_tasks is None else {"num_tasks": self.num_tasks}),
            **self.settings.model_dump(mode="json", exclude_none=True),
        }


def plan_scale(
    model: str,
    suite_name: str,
    *,
    setting: str | None,
    split: SuiteSplit,
    num_tasks: int | None,
    sampling: Mapping[str, Any],
    samples: int | None,
    selectors: Sequence[str],
    reward_model: str | None,
    overrides: Sequence[str],
) -> ScalePlan:
    """The plan for `model` on a suite (a name, a file, or a task source), in its first setting unless one is named.

    `sampling` replaces what the suite says of temperature, seed and most new tokens. Raises InputError.
    """
    suite = _suite(suite_name)
    suite = suite.model_copy(update={"sampling": suite.sampling.model_copy(update=dict(sampling))})
    if reward_model is not None:
        scorer = VerifierConfig(verifier="reward_model", args={"model": reward_model})
        suite = suite.model_copy(update={"verifiers": {**suite.verifiers, REWARD_MODEL: scorer}})
        selectors = [*selectors, REWARD_MODEL]
    name = setting or next(iter(suite.settings))
    if name not in suite.settings:
        raise UnknownNameError("setting", name, suite.settings)
    chosen = suite.settings[name]
    if "max_new_tokens" in sampling:
        chosen = chosen.model_copy(update={"max_new_tokens": None})
    knobs = {} if samples is None else {"samples": samples}
    values = apply_overrides({"model": {"source": model}, "engine": {}, "scaling": knobs}, overrides, ScaleSettings)
    settings = ScaleSettings.read(values, where="")
    return ScalePlan(
        settings=settings.model_copy(update={"model": within_model(settings.model)}),
        suite_name=suite_name,
        suite=suite,
        setting_name=name,
        setting=chosen,
        split=split,
        num_tasks=num_tasks,
        selectors=tuple(dict.fromkeys(selectors)),
    )


def run_scale(plan: ScalePlan, root: Path, *, progress: Progress) -> Path:
    """Sample the study into a new folder under `root`, and give it; what was sampled before is taken from the cache in
    `root`. Raises as loading a model does."""
    from tahr.engines.sample_cache import SampleCache
    from tahr.evaluation.scaling.selection import Selection
    from tahr.recipe.suite_model import open_model

    verifiers = build_verifiers(plan.suite.verifiers)
    tasks = suite_tasks(plan.suite, verifiers, plan.split, plan.num_tasks)
    selection = Selection(verifiers=verifiers, names=plan.selectors)
    selection.check(tasks)
    values = plan.as_recipe()
    name = "-".join(["scale", suite_label(plan.suite_name), model_label(plan.settings.model.source)])
    with SampleCache(root / CACHE_NAME) as cache:
        config = plan.settings.model
        model = open_model(config, engine=plan.settings.engine, server=plan.settings.server, cache=cache)
        sampler = _sampler(plan, model, tasks, selection, progress)
        toml = tomli_w.dumps(values)
        with Run.create(root, name, recipe=values, recipe_toml=toml, seed=plan.suite.sampling.seed) as run:
            verifiers.enter_run(run.folder)
            with run.ending():
                asyncio.run(_sample(sampler, model, run))
            return run.folder


async def _sample(sampler: Sampler, model: SuiteModel, run: Run) -> None:
    try:
        await sampler.evaluations(run.write_evaluation)
    finally:
        await model.close()


def _sampler(
    plan: ScalePlan, model: SuiteModel, tasks: Sequence[Task], selection: Selection, progress: Progress
) -> Sampler:
    """The model, ready to be asked. Raises InputError where it can't turn a knob that was asked for."""
    from tahr.evaluation.scaling.sampling import Sampler
    from tahr.recipe.suite_model import HeldModel, conditions_of

    steps = _held(plan, model, selection) if isinstance(model, HeldModel) else _served(plan, model, selection, progress)
    collecting, revise, force = steps
    conditions = conditions_of(
        suite=plan.suite_name,
        setting=plan.setting_name,
        asked=plan.setting,
        request=model.request,
        source=plan.settings.model.source,
        weights=model.weights,
        size=model.size,
        sampling=plan.sampling,
        of_suite=plan.suite.sampling,
    )
    return Sampler(
        collecting=collecting,
        revise=revise,
        force=force,
        selection=selection,
        questions=[(task, asked_in(task, plan.setting)) for task in tasks],
        sampling=plan.sampling,
        config=plan.settings.scaling,
        conditions=replace(conditions, samples_per_task=plan.settings.scaling.samples),
        split=plan.split,
        num_cached=lambda: model.num_cached,
        on_phase=lambda name, total: progress.phase(name, total=total),
        on_done=progress.advance,
    )


def _held(plan: ScalePlan, model: HeldModel, selection: Selection) -> Steps:
    """How a model held here is asked: token by token."""
    from tahr.evaluation.runner import evaluation_row
    from tahr.evaluation.scaling.ask import Asker
    from tahr.evaluation.scaling.forcing import force
    from tahr.evaluation.scaling.revision import revise

    seed = plan.suite.sampling.seed
    collector = model.collector(selection.verifiers, seed=seed, thinking=plan.setting.thinking)
    asker = Asker(
        engine=collector.engine,
        renderer=model.renderer(plan.setting.thinking),
        verifiers=selection.verifiers,
        sampling=plan.sampling,
        seed=seed,
    )
    return (
        lambda seed: (replace(collector, run_seed=seed), evaluation_row),
        partial(revise, asker),
        partial(force, asker),
    )


def _served(plan: ScalePlan, model: ServedModel, selection: Selection, progress: Progress) -> Steps:
    """How a model behind a server is asked: in messages, so that nothing is written on where it stopped."""
    from tahr.evaluation.scaling.chat_revision import ChatReviser

    if plan.settings.scaling.budgets:
        raise InputError(
            "thinking is cut off and drawn out where a model can write on, which a server's chat doesn't let it",
            received=f"scaling.budgets = {list(plan.settings.scaling.budgets)} for {model.name}",
            instead="no scaling.budgets, or the model's folder or hub id",
        )
    progress.message("no curve of thinking tokens: a server's chat doesn't write on where the model stopped")
    collector = model.collector(selection.verifiers, seed=plan.suite.sampling.seed, thinking=plan.setting.thinking)
    reviser = ChatReviser(
        chat=collector.chat, verifiers=selection.verifiers, sampling=plan.sampling, seed=plan.suite.sampling.seed
    )

    def collecting(seed: int) -> tuple[Collects, RowOf]:
        again = replace(collector, run_seed=seed)
        return again, again.row

    return collecting, reviser.revise, None


def _suite(name: str) -> SuiteConfig:
    if is_suite(name) or name.endswith(".toml"):
        return load_suite(name)
    if name not in task_sources.names() and ":" not in name:
        raise UnknownNameError("suite or task source", name, [*suite_names(), *task_sources.names()])
    return SuiteConfig(
        tasks={name.rpartition(":")[2]: SuiteTasks(source=name, num_tasks=2000)}, unseen_percent=RECIPE_UNSEEN_PERCENT
    )
