"""One run under way: what its stages share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tahr.core.progress import Progress
from tahr.core.protocols import Engine
from tahr.core.types import Task
from tahr.curriculum.uniform import UniformCurriculum
from tahr.data.config import Split
from tahr.data.decontaminate import question_text
from tahr.data.mixture import Mixture
from tahr.data.splits import TaskSet
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.evaluation.runner import evaluate
from tahr.evaluation.statistics import mean_score
from tahr.models.load import LoadedModel
from tahr.recipe.decontamination import Kind, clean
from tahr.recipe.schema import Recipe, StageName
from tahr.recipe.scorers import comes_too_early, judged_by_own_model
from tahr.recipe.suite_evaluation import evaluate_suite
from tahr.recipe.suite_guard import suite_label
from tahr.rollout.collect import Collector
from tahr.store.run import Run
from tahr.training.interrupt import StopRequest
from tahr.verifiers.build import VerifierSet

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Session:
    """The parts of a run that has a folder and a loaded model. `version` counts the updates of the policy so far;
    `suite_verifiers` are those of the suites that were asked so far.

    Example: ``go(Session(recipe=recipe, run=run, loaded=loaded, ...))``
    """

    recipe: Recipe
    run: Run
    loaded: LoadedModel
    verifiers: VerifierSet
    task_sets: dict[str, TaskSet]
    progress: Progress
    stop: StopRequest
    version: int = 0
    suite_verifiers: dict[str, VerifierSet] = field(default_factory=dict[str, VerifierSet])
    _engine: EmbeddedEngine | None = field(default=None)

    def curriculum(self, weights: Mapping[str, float], stage: StageName, cursor: int) -> UniformCurriculum:
        """Training tasks of the sets in `weights`, from the one that comes after `cursor` others."""
        sets = {name: self.training_tasks(name) for name in weights}
        # the stages of a run go through the tasks in orders of their own
        mixture = Mixture(sets, weights, seed=self.recipe.seed + self.recipe.stages.index(stage))
        return UniformCurriculum(mixture, cursor=cursor)

    def training_tasks(self, name: str) -> list[Task]:
        """The tasks of a set that may be trained on."""
        tasks = self.task_sets[name].split("train")
        return self.without_questions(
            "tasks", name, tasks, text=lambda task: question_text(task.prompt), place=lambda task: f"task {task.id}"
        )

    def without_questions(
        self, kind: Kind, name: str, rows: Sequence[T], *, text: Callable[[T], str], place: Callable[[T], str]
    ) -> list[T]:
        """The rows of a training source without those that hold a question of the evaluation; says what it left out.

        `name` is the source's in the recipe, `place` says where a row stands. Raises InputError where the recipe
        refuses such sources.
        """
        return clean(
            self.recipe,
            self.task_sets,
            self.run.folder,
            kind,
            name,
            rows,
            text=text,
            place=place,
            say=self.progress.message,
        )

    def engine(self) -> EmbeddedEngine:
        """The engine that samples from the policy, made when first needed: a supervised stage alone needs none."""
        if self._engine is None:
            self._engine = EmbeddedEngine(
                self.loaded.model,
                max_context=self.recipe.model.max_context,
                config=self.recipe.engine,
                decode=self.loaded.renderer.decode,
            )
            if self._engine.reason:
                self.progress.message(f"sampling through transformers: {self._engine.reason}")
            self._engine.load_weights(self.loaded.model, self.version)
        return self._engine

    def refresh_engine(self, version: int) -> None:
        """Sample from the policy as it is now, after `version` updates."""
        self.version = version
        if self._engine is not None:
            self._engine.load_weights(self.loaded.model, version)

    def collector(self, engine: Engine | None = None) -> Collector:
        """Who has tasks attempted and judged, by `engine` or the policy's own."""
        return Collector(
            engine=engine or self.engine(),
            renderer=self.loaded.renderer,
            verifiers=self.verifiers,
            run_seed=self.recipe.seed,
        )

    def evaluate_once(self, name: str, stage: StageName, step: int) -> None:
        """The evaluations before or after a stage, those of the suites too, but for what a resumed run has already.

        Tasks that the run's own reward model judges wait until there is one.
        """
        if self.recipe.eval is None:
            return
        done = {found.name for found in self.run.evaluations()}
        waiting = judged_by_own_model(self.recipe, self.task_sets)
        if waiting and comes_too_early(self.recipe, stage, step):
            names = ", ".join(waiting)
            self.progress.message(f"no evaluation {name}: the reward model that judges {names} is yet to be trained")
        elif name not in done:
            asyncio.run(self.evaluate(name, stage, step, self.recipe.eval.split))
        for suite in self.recipe.eval.suites:
            label = f"{name} {suite_label(suite)}"
            if label not in done:
                asyncio.run(evaluate_suite(self, label, suite, stage, step))

    async def evaluate(self, name: str, stage: StageName, step: int, split: Split) -> None:
        """Evaluate the policy on tasks of `split`, and keep the result as `name`; nothing without ``[eval]``."""
        config = self.recipe.eval
        if config is None:
            return
        tasks: list[Task] = []
        for set_name in config.tasks:
            tasks.extend(self.task_sets[set_name].split(split)[: config.num_tasks])
        self.progress.phase(f"evaluating ({name})", total=len(tasks) * config.samples_per_task)
        found = await evaluate(
            self.collector(),
            tasks,
            config=config,
            name=name,
            stage=stage,
            step=step,
            split=split,
            on_progress=lambda _done, _total: self.progress.advance(),
            decode=self.loaded.renderer.decode,
        )
        self.run.write_evaluation(found)
        scored = [row for row in found.rows if row.score is not None]
        self.progress.evaluation(name, mean_score(found).mean if scored else None)
