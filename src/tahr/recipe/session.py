"""One run under way: what its stages share, and the order in which they are gone through."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Protocol

from tahr.core.progress import Progress
from tahr.core.protocols import Engine
from tahr.core.types import Task
from tahr.curriculum.uniform import UniformCurriculum
from tahr.data.config import Split
from tahr.data.mixture import Mixture
from tahr.data.splits import TaskSet
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.engines.embedded.lagged import LaggedEngine
from tahr.evaluation.runner import evaluate
from tahr.evaluation.statistics import mean_score
from tahr.losses.presets import find_preset
from tahr.models.load import LoadedModel
from tahr.recipe.evaluation_plan import MODEL_FOLDER as MODEL_FOLDER
from tahr.recipe.schema import Recipe, StageName
from tahr.rollout.collect import Collector
from tahr.store.checkpoints import Checkpoint
from tahr.store.run import Run
from tahr.training.checkpoint import Saved, load_checkpoint
from tahr.training.critic import Critic
from tahr.training.interrupt import StopRequest
from tahr.training.reference import Reference
from tahr.training.rlvr import Rlvr
from tahr.training.sft import Sft
from tahr.training.step import Policy
from tahr.verifiers.build import VerifierSet


class Stage(Protocol):
    """What a stage's section of the recipe says about its length."""

    @property
    def steps(self) -> int:
        """Steps of the stage."""
        ...


@dataclass(slots=True, kw_only=True)
class Session:
    """The parts of a run that has a folder and a loaded model.

    Example: ``Session(recipe=recipe, run=run, loaded=loaded, ...).go()``
    """

    recipe: Recipe
    run: Run
    loaded: LoadedModel
    verifiers: VerifierSet
    task_sets: dict[str, TaskSet]
    progress: Progress
    stop: StopRequest
    _engine: EmbeddedEngine | None = field(default=None)
    _version: int = 0

    def go(self, checkpoint: Checkpoint | None = None) -> bool:
        """Evaluate, and run every stage (from where `checkpoint` left off), each with an evaluation after it.

        Returns whether every stage reached its end; a stop that was asked for ends the run before that.
        """
        stages = self.recipe.stages
        self._evaluate_once("before", stages[0], 0)
        place = stages.index(_stage_name(checkpoint, stages)) if checkpoint else 0
        for stage in stages[place:]:
            if self.stop.asked:
                return False
            self._run_stage(stage, checkpoint)
            checkpoint = None
            is_last = stage == stages[-1]
            if self.stop.asked and not (is_last and self._reached_end()):
                return False
            # what a stage gained is its own only where the model was evaluated between it and the one before
            self._evaluate_once("after" if is_last else f"after-{stage}", stage, self._steps(stage))
        return True

    def _run_stage(self, stage: StageName, checkpoint: Checkpoint | None) -> None:
        config = self.recipe.sft if stage == "sft" else self.recipe.rlvr
        assert config is not None  # the recipe's check refuses a stage without its section
        policy = Policy(self.loaded.model, config.optimizer, max_context=self.recipe.model.max_context)
        policy.version = self._version
        saved = None if checkpoint is None else load_checkpoint(checkpoint.folder, policy)
        first_step = int(saved.state["step"]) + 1 if saved else 1
        self._refresh_engine(policy.version)
        if first_step <= config.steps:
            if stage == "sft":
                self._sft(policy, _cursor(saved)).train(first_step=first_step)
            else:
                asyncio.run(self._rlvr(policy, saved).train(first_step=first_step))
        self._refresh_engine(policy.version)

    def _sft(self, policy: Policy, cursor: int) -> Sft:
        config = self.recipe.sft
        assert config is not None
        renderer = self.loaded.renderer
        return Sft(
            config=config,
            policy=policy,
            renderer=renderer,
            encode=renderer.encode_answer,
            answer=self.verifiers.gold,
            curriculum=self._curriculum(dict.fromkeys(config.tasks, 1.0), "sft", cursor),
            run=self.run,
            progress=self.progress,
            stop=self.stop,
            max_context=self.recipe.model.max_context,
            run_seed=self.recipe.seed,
        )

    def _rlvr(self, policy: Policy, saved: Saved | None) -> Rlvr:
        config = self.recipe.rlvr
        assert config is not None
        lag = config.schedule.max_policy_lag
        engine = self._lagged_engine(policy, lag) if lag else self._engine_now()

        async def evaluate_step(step: int) -> None:
            if lag:  # evaluations are of the policy itself
                self._refresh_engine(policy.version)
            await self._evaluate(f"step-{step:06d}", "rlvr", step, "validation")

        self.progress.message(f"algorithm: {find_preset(config.algorithm).title}")
        has_critic = config.advantage.baseline == "critic"
        stage = Rlvr(
            config=config,
            policy=policy,
            engine=engine,
            collector=self._collector(engine),
            curriculum=self._curriculum(config.tasks, "rlvr", _cursor(saved)),
            run=self.run,
            progress=self.progress,
            stop=self.stop,
            evaluate=evaluate_step,
            reference=Reference.open(self.run.folder, policy.model, at_start=saved is None)
            if config.loss.kl.coefficient
            else None,
            critic=Critic(policy.model, config.advantage, max_tokens=config.micro_batch_tokens) if has_critic else None,
        )
        if saved is not None:
            stage.restore(saved.more)
        return stage

    def _lagged_engine(self, policy: Policy, lag: int) -> LaggedEngine:
        engine = LaggedEngine(
            policy.model,
            lag=lag,
            max_context=self.recipe.model.max_context,
            config=self.recipe.engine,
            decode=self.loaded.renderer.decode,
        )
        engine.load_weights(policy.model, policy.version)
        return engine

    def _curriculum(self, weights: dict[str, float], stage: StageName, cursor: int) -> UniformCurriculum:
        sets = {name: self.task_sets[name].split("train") for name in weights}
        # the stages of a run go through the tasks in orders of their own
        mixture = Mixture(sets, weights, seed=self.recipe.seed + self.recipe.stages.index(stage))
        return UniformCurriculum(mixture, cursor=cursor)

    def _engine_now(self) -> EmbeddedEngine:
        """The engine, made when first needed: a supervised stage alone needs none."""
        if self._engine is None:
            self._engine = EmbeddedEngine(
                self.loaded.model,
                max_context=self.recipe.model.max_context,
                config=self.recipe.engine,
                decode=self.loaded.renderer.decode,
            )
            if self._engine.reason:
                self.progress.message(f"sampling through transformers: {self._engine.reason}")
            self._engine.load_weights(self.loaded.model, self._version)
        return self._engine

    def _refresh_engine(self, version: int) -> None:
        self._version = version
        if self._engine is not None:
            self._engine.load_weights(self.loaded.model, version)

    def _collector(self, engine: Engine | None = None) -> Collector:
        return Collector(
            engine=engine or self._engine_now(),
            renderer=self.loaded.renderer,
            verifiers=self.verifiers,
            run_seed=self.recipe.seed,
        )

    def _evaluate_once(self, name: str, stage: StageName, step: int) -> None:
        """The evaluation before or after a stage, unless a resumed run has it already."""
        if self.recipe.eval is None or any(found.name == name for found in self.run.evaluations()):
            return
        asyncio.run(self._evaluate(name, stage, step, self.recipe.eval.split))

    async def _evaluate(self, name: str, stage: StageName, step: int, split: Split) -> None:
        config = self.recipe.eval
        if config is None:
            return
        tasks: list[Task] = []
        for set_name in config.tasks:
            tasks.extend(self.task_sets[set_name].split(split)[: config.num_tasks])
        self.progress.phase(f"evaluating ({name})", total=len(tasks) * config.samples_per_task)
        found = await evaluate(
            self._collector(),
            tasks,
            config=config,
            name=name,
            stage=stage,
            step=step,
            split=split,
            on_progress=lambda _done, _total: self.progress.advance(),
        )
        self.run.write_evaluation(found)
        scored = [row for row in found.rows if row.score is not None]
        self.progress.evaluation(name, mean_score(found).mean if scored else None)

    def _steps(self, stage: StageName) -> int:
        section: Stage | None = self.recipe.sft if stage == "sft" else self.recipe.rlvr
        return section.steps if section else 0

    def _reached_end(self) -> bool:
        latest, last = self.run.latest_checkpoint(), self.recipe.stages[-1]
        return latest is not None and latest.stage == last and latest.step >= self._steps(last)


def _cursor(saved: Saved | None) -> int:
    return int(saved.state["cursor"]) if saved else 0


def _stage_name(checkpoint: Checkpoint, stages: tuple[StageName, ...]) -> StageName:
    return next(stage for stage in stages if stage == checkpoint.stage)
