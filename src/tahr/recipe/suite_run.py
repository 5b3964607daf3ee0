"""What ``tahr eval MODEL --suite SUITE`` does with a suite: every question in every setting, kept as a run folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import tomli_w
from pydantic import Field

from tahr.core.config import Config
from tahr.core.errors import UnknownNameError
from tahr.core.progress import Progress
from tahr.core.protocols import Sampling
from tahr.core.types import Scored, Task
from tahr.engines.config import EngineConfig
from tahr.evaluation.runner import attempt_in_windows, evaluation_row
from tahr.evaluation.suites.asking import asked_in
from tahr.evaluation.suites.config import SuiteConfig, SuiteSetting, SuiteSplit
from tahr.evaluation.suites.load import parse_suite, read_suite, suite_tasks
from tahr.models.config import ModelConfig
from tahr.recipe.evaluation_plan import Wishes, within_model
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.suite_guard import suite_label
from tahr.store.records import Conditions, Evaluation, EvaluationRow
from tahr.store.run import Run
from tahr.verifiers.build import build_verifiers

CACHE_NAME = ".samples.sqlite"
"""The cache of samples, in the folder of runs."""


class SuiteRun(Config):
    """Everything that decides the result; what ``--set`` may change of it."""

    model: ModelConfig = Field(description="how the model is loaded")
    engine: EngineConfig = Field(default_factory=EngineConfig, description="the engine's bounds")
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
    changed = apply_overrides(values, overrides, SuiteRun)
    parsed = parse_suite(changed["suite"], origin=suite)
    for name in only:
        if name not in parsed.settings:
            raise UnknownNameError("setting", name, parsed.settings)
    settings = SuiteRun(
        model=within_model(ModelConfig.read(changed["model"], where="model")),
        engine=EngineConfig.read(changed.get("engine", {}), where="engine"),
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
    weights is taken from the cache in `root`. Raises as loading a model does."""
    from tahr.engines.sample_cache import SampleCache
    from tahr.models.load import load_model

    suite = plan.settings.suite
    verifiers = build_verifiers(suite.verifiers)
    tasks = suite_tasks(suite, verifiers, plan.split, plan.num_tasks)
    loaded = load_model(plan.settings.model)
    loaded.model.requires_grad_(False)
    values = _as_recipe(plan)
    name = "-".join(["eval", plan.name, Path(plan.settings.model.source).name])
    with (
        SampleCache(root / CACHE_NAME) as cache,
        Run.create(root, name, recipe=values, recipe_toml=tomli_w.dumps(values), seed=suite.sampling.seed) as run,
    ):
        verifiers.enter_run(run.folder)
        try:
            for setting in plan.only:
                asked = _Setting(plan=plan, name=setting, config=suite.settings[setting], loaded=loaded)
                run.write_evaluation(asyncio.run(asked.evaluate(tasks, verifiers, cache, progress)))
        except KeyboardInterrupt:
            run.finish("interrupted")
            raise
        except BaseException as error:
            run.finish("failed", error=f"{type(error).__name__}: {error}"[:2000])
            raise
        run.finish("finished")
        return run.folder


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """One setting of a plan, with the model that answers in it (`tahr.models.load.LoadedModel`)."""

    plan: SuitePlan
    name: str
    config: SuiteSetting
    loaded: Any

    async def evaluate(self, tasks: Sequence[Task], verifiers: Any, cache: Any, progress: Progress) -> Evaluation:
        """All attempts, as rows under the suite's own questions."""
        from tahr.engines.cached import CachedEngine
        from tahr.engines.embedded.engine import EmbeddedEngine
        from tahr.models.fingerprint import weights_hash
        from tahr.rollout.collect import Collector

        settings, sampling = self.plan.settings, self.sampling
        renderer = self.loaded.renderer
        if self.config.thinking is not None:
            renderer = renderer.with_thinking(self.config.thinking)
        embedded = EmbeddedEngine(
            self.loaded.model, max_context=settings.model.max_context, config=settings.engine, decode=renderer.decode
        )
        weights = weights_hash(self.loaded.model)
        engine = CachedEngine(embedded, cache, weights)
        of_suite = settings.suite.sampling
        collector = Collector(engine=engine, renderer=renderer, verifiers=verifiers, run_seed=of_suite.seed)
        own = {(asked := asked_in(task, self.config)).id: (task, asked) for task in tasks}
        progress.phase(f"evaluating ({self.name})", total=len(own) * of_suite.samples_per_task)
        begun, rows = monotonic(), list[EvaluationRow]()
        async for group in attempt_in_windows(
            collector,
            [asked for _, asked in own.values()],
            group_size=of_suite.samples_per_task,
            sampling=sampling,
            on_scored=_counting(progress),
        ):
            task, _ = own[group.task.id]
            rows += [
                replace(
                    evaluation_row(group.task, scored, renderer.decode),
                    task_id=task.id,
                    cluster=str(task.meta.get("cluster", "")),
                )
                for scored in group.scored
            ]
        parameters = list(self.loaded.model.parameters())
        conditions = Conditions(
            suite=self.plan.name,
            setting=self.name,
            model=self.loaded.source,
            training=settings.model.source,
            weights=weights,
            num_parameters=sum(one.numel() for one in parameters),
            num_bytes=sum(one.numel() * one.element_size() for one in parameters),
            seed=of_suite.seed,
            temperature=sampling.temperature,
            max_new_tokens=sampling.max_new_tokens,
            samples_per_task=of_suite.samples_per_task,
            seconds=monotonic() - begun,
            num_cached=engine.num_cached,
        )
        return Evaluation(
            name=self.name, stage="eval", step=0, split=self.plan.split, rows=tuple(rows), conditions=conditions
        )

    @property
    def sampling(self) -> Sampling:
        """The suite's, with the setting's own bound where it has one."""
        of_suite = self.plan.settings.suite.sampling
        return Sampling(
            max_new_tokens=self.config.max_new_tokens or of_suite.max_new_tokens,
            temperature=of_suite.temperature,
            top_p=of_suite.top_p,
            top_k=of_suite.top_k,
        )


def _counting(progress: Progress) -> Callable[[Scored], None]:
    return lambda _: progress.advance()


def _wished(suite: dict[str, Any], wishes: Wishes) -> dict[str, Any]:
    """The suite with what the command line asks for in place of its own."""
    names = ("samples_per_task", "max_new_tokens", "temperature", "seed")
    asked = {name: getattr(wishes, name) for name in names if getattr(wishes, name) is not None}
    sampling = {**suite.get("sampling", {}), **asked}
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
