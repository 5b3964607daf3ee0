"""What ``tahr scale`` does: one model, one setting of a suite, every knob of test-time computing turned."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from tahr.recipe.suite_model import CACHE_NAME
from tahr.store.run import Run
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig

if TYPE_CHECKING:
    from tahr.engines.sample_cache import SampleCache
    from tahr.evaluation.scaling.sampling import Sampler
    from tahr.evaluation.scaling.selection import Selection

REWARD_MODEL = "reward model"
"""The selector of ``--reward-model``."""

RECIPE_UNSEEN_PERCENT = 20
"""Of a bare source, what a recipe's default split would have held out is asked."""


class ScaleSettings(Config):
    """What ``--set`` may change."""

    model: ModelConfig = Field(description="how the model is loaded")
    engine: EngineConfig = Field(default_factory=EngineConfig, description="the engine's bounds")
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

    verifiers = build_verifiers(plan.suite.verifiers)
    tasks = suite_tasks(plan.suite, verifiers, plan.split, plan.num_tasks)
    selection = Selection(verifiers=verifiers, names=plan.selectors)
    selection.check(tasks)
    values = plan.as_recipe()
    name = "-".join(["scale", suite_label(plan.suite_name), Path(plan.settings.model.source).name])
    with SampleCache(root / CACHE_NAME) as cache:
        sampler = _sampler(plan, tasks, selection, cache, progress)
        toml = tomli_w.dumps(values)
        with Run.create(root, name, recipe=values, recipe_toml=toml, seed=plan.suite.sampling.seed) as run:
            verifiers.enter_run(run.folder)
            with run.ending():
                asyncio.run(sampler.evaluations(run.write_evaluation))
            return run.folder


def _sampler(
    plan: ScalePlan, tasks: Sequence[Task], selection: Selection, cache: SampleCache, progress: Progress
) -> Sampler:
    """The model loaded, behind the cache, ready to be asked. Raises InputError for one behind a server."""
    from tahr.evaluation.scaling.sampling import Sampler
    from tahr.recipe.suite_model import HeldModel, conditions_of, open_model

    config = plan.settings.model
    model = open_model(config, engine=plan.settings.engine, server={}, cache=cache)
    if not isinstance(model, HeldModel):
        raise InputError(
            "test-time computing is studied on the sampled tokens, which a server doesn't give out",
            received=config.source,
            instead="the model's folder or hub id",
        )
    collector = model.collector(selection.verifiers, seed=plan.suite.sampling.seed, thinking=plan.setting.thinking)
    conditions = conditions_of(
        suite=plan.suite_name,
        setting=plan.setting_name,
        asked=plan.setting,
        source=config.source,
        weights=model.weights,
        size=model.size,
        sampling=plan.sampling,
        of_suite=plan.suite.sampling,
    )
    return Sampler(
        collector=collector,
        renderer=model.renderer(plan.setting.thinking),
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


def _suite(name: str) -> SuiteConfig:
    if is_suite(name) or name.endswith(".toml"):
        return load_suite(name)
    if name not in task_sources.names() and ":" not in name:
        raise UnknownNameError("suite or task source", name, [*suite_names(), *task_sources.names()])
    return SuiteConfig(
        tasks={name.rpartition(":")[2]: SuiteTasks(source=name, num_tasks=2000)}, unseen_percent=RECIPE_UNSEEN_PERCENT
    )
