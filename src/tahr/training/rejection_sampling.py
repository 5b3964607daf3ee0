"""Rejection-sampling fine-tuning: sample, keep what the verifier passes, learn it as if it were given, repeat.

STaR (Zelikman et al. 2022), RFT (Yuan et al. 2023), RAFT (Dong et al. 2023). What is learnt are the very ids that were
sampled, the one that ends the turn among them.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tahr.core.errors import TahrError
from tahr.core.progress import Progress
from tahr.core.protocols import Sampling
from tahr.core.seeding import derive_seed
from tahr.core.types import Group, Sample, Scored, Task
from tahr.curriculum.uniform import Mixes
from tahr.data.mixture import Mixture
from tahr.losses.aggregation import token_weights
from tahr.rollout.collect import Collector
from tahr.rollout.keep import choose
from tahr.store.read_rollouts import read_groups
from tahr.store.rollouts import rollouts_path
from tahr.store.run import Run
from tahr.training.batch import make_batches
from tahr.training.checkpoint import save_checkpoint
from tahr.training.error_limit import check_errors
from tahr.training.interrupt import StopRequest
from tahr.training.optimizer import learning_rate
from tahr.training.rejection_config import RejectionSamplingConfig
from tahr.training.rejection_metrics import round_metrics
from tahr.training.sampled_parts import SampledParts
from tahr.training.sft import supervised_objective
from tahr.training.step import Policy, step

STAGE = "rejection_sampling"

Learnable = Callable[[Task, Scored], Sequence[Sample]]
"""The samples of a kept attempt; none where it can't be learnt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Round `number` (from 0): its attempts, which of them were kept, the samples of those, and its measures.

    Example: ``Round(number=0, groups=groups, kept=((True, False),), samples=(sample,), metrics={"pass_rate": 0.5})``
    """

    number: int
    groups: Sequence[Group]
    kept: Sequence[tuple[bool, ...]]
    samples: Sequence[Sample]
    metrics: dict[str, float]


@dataclass(slots=True, kw_only=True)
class RejectionSampling:
    """The parts of one stage.

    `collector` has tasks attempted by the policy or by a teacher; `refresh` makes the policy's present weights those
    that are sampled from, and returns a name of the sampler's weights. `teacher_hash` is empty without a teacher.
    `tasks` is the stream of tasks, `learnable` gives the samples of a kept attempt. Tasks are attempted `part_size` at
    a time, and what was sampled is kept.

    Example: ``RejectionSampling(config=recipe.rejection_sampling, policy=policy, ...).train(first_step=1)``
    """

    config: RejectionSamplingConfig
    policy: Policy
    collector: Collector
    refresh: Callable[[], str]
    teacher_hash: str
    tasks: Mixes
    learnable: Learnable
    run: Run
    progress: Progress
    stop: StopRequest
    max_context: int
    part_size: int

    def train(self, *, first_step: int = 1) -> None:
        """The rounds from the one that `first_step` lies in; ends early where a stop is asked for.

        A stop while sampling loses nothing but the part under way; one while training ends with a saved step. Raises
        TahrError where no attempt of a round passes, none of any round is kept, or more than ``config.max_error_rate``
        have no reward.
        """
        config = self.config
        self.progress.stage(STAGE, total_steps=config.steps, first_step=first_step)
        for number in range((first_step - 1) // config.steps_per_round, config.rounds):
            begin = number * config.steps_per_round + 1
            this = self._again(number, begin) if first_step > begin else self._sample(number, begin)
            if this is None or not self._learn(this, begin, max(begin, first_step)):
                return

    def _sample(self, number: int, begin: int) -> Round | None:
        """Attempts of a round, from the policy as it is now; None where a stop was asked for."""
        started = time.perf_counter()
        self.collector.seconds_verifying = 0.0
        parts = SampledParts(self.run.folder, STAGE, f"{self.refresh()}-{number}")
        tasks = self._tasks(number)
        self.progress.phase("sampling", total=len(tasks) * self.config.group_size)
        groups: list[Group] = []
        for place, start in enumerate(range(0, len(tasks), self.part_size)):
            if self.stop.asked:
                return None
            of_part = tasks[start : start + self.part_size]
            found = parts.read(place, {task.id: task for task in of_part})
            if found is None:
                found = self._collect(of_part, number, place)
                parts.write(place, found)
            else:
                self.progress.advance(len(of_part) * self.config.group_size)
            groups += found
        seconds = time.perf_counter() - started
        times = {"seconds_sampling": seconds - self.collector.seconds_verifying}
        times["seconds_verifying"] = self.collector.seconds_verifying
        this = self._round(number, groups, times)
        advantages = [[float(one) for one in of_group] for of_group in this.kept]
        self.run.write_rollouts(STAGE, begin, groups, advantages)
        return this

    def _collect(self, tasks: Sequence[Task], number: int, part: int) -> list[Group]:
        found = asyncio.run(
            self.collector.collect(
                tasks,
                group_size=self.config.group_size,
                sampling=Sampling(**dict(self.config.sampling)),
                purpose=f"{STAGE}/{part}",  # a task may come twice in a round, in two parts
                step=number,
                on_scored=lambda _: self.progress.advance(),
            )
        )
        limit = self.config.max_error_rate
        check_errors(found, stage=STAGE, where=f"round {number + 1}", max_error_rate=limit)
        return found

    def _again(self, number: int, begin: int) -> Round:
        """A round whose attempts are in the run's rollouts, where training goes on."""
        path = rollouts_path(self.run.folder, STAGE, begin)
        return self._round(number, read_groups(path, {task.id: task for task in self._tasks(number)}), {})

    def _tasks(self, number: int) -> list[Task]:
        return self.tasks.take(number * self.config.tasks_per_round, self.config.tasks_per_round)

    def _round(self, number: int, groups: Sequence[Group], times: dict[str, float]) -> Round:
        """Which attempts are kept, and what they teach. Raises TahrError where none passes."""
        kept: list[tuple[bool, ...]] = []
        samples: list[Sample] = []
        for place, group in enumerate(groups):
            seed = derive_seed(self.collector.run_seed, f"{STAGE}/keep", number, place)
            wanted = choose(group, self.config.keep, seed=seed)
            learnt = [
                self.learnable(group.task, one) if keep else () for one, keep in zip(group.scored, wanted, strict=True)
            ]
            kept.append(tuple(bool(of_one) for of_one in learnt))
            samples += [sample for of_one in learnt for sample in of_one]
        metrics = round_metrics(groups, kept) | {"round": number + 1.0} | times
        if not metrics["pass_rate"]:
            raise TahrError(
                f"no attempt of round {number + 1} passes: there is nothing to learn from",
                received=f"{sum(len(group.scored) for group in groups)} attempts at {len(groups)} tasks",
                instead="easier tasks, a larger group_size, a stage of sft before this one, or a teacher "
                "(rejection_sampling.model)",
            )
        return Round(number=number, groups=groups, kept=kept, samples=samples, metrics=metrics)

    def _learn(self, this: Round, begin: int, first_step: int) -> bool:
        """The updates of a round from `first_step`; returns whether the stage goes on."""
        config = self.config
        size = min(config.batch_size, len(this.samples))
        wanted = math.ceil(config.max_epochs * len(this.samples) / size) if size else 0
        end = begin + min(config.steps_per_round, wanted)
        last = begin + config.steps_per_round - 1
        if not size:
            self.run.log(STAGE, begin, this.metrics)
            self._check_learnt(this)
            self.progress.message(f"round {this.number + 1}: nothing is kept, so nothing is learnt")
        draws = self._draws(this) if size else None
        for step_index in range(first_step, end):
            assert draws is not None  # there is no step without samples
            metrics = self._update(draws.take((step_index - begin) * size, size), step_index)
            metrics["epochs"] = (step_index - begin + 1) * size / len(this.samples)
            metrics |= this.metrics if step_index == begin else {}
            self.run.log(STAGE, step_index, metrics)
            self.progress.step(step_index, metrics)
            stopping = self.stop.asked  # read once, so that what stops here is saved
            if step_index < end - 1 and (stopping or step_index % config.checkpoint_every == 0):
                self.save(step_index)
            if step_index < end - 1 and stopping:
                return False
        self.save(last)
        SampledParts(self.run.folder, STAGE, "").clear()
        return not self.stop.asked

    def _check_learnt(self, last: Round) -> None:
        """Raise TahrError after the last round where none has kept anything: the stage would end as it began."""
        found = (row.metrics.get("num_kept") for row in self.run.metrics() if row.stage == STAGE)
        if last.number + 1 < self.config.rounds or any(found):
            return
        keep = self.config.keep
        raise TahrError(
            "no attempt of any round is kept: nothing is learnt",
            received=f"a pass rate of {last.metrics['pass_rate']:.3f} in the last round; {keep!r}",
            instead="wider limits in rejection_sampling.keep, or tasks that are passed as often as they ask for",
        )

    def _draws(self, this: Round) -> Mixture[Sample]:
        """The round's samples without end, in another order each time that all have been drawn."""
        seed = derive_seed(self.collector.run_seed, f"{STAGE}/order", this.number)
        return Mixture({"kept": this.samples}, {"kept": 1.0}, seed=seed)

    def _update(self, samples: Sequence[Sample], step_index: int) -> dict[str, float]:
        """One update, every token of its attempts weighing the same."""
        started = time.perf_counter()
        config = self.config
        num_tokens = [sample.num_loss_tokens for sample in samples]
        weights = token_weights(num_tokens, "token_mean", max_new_tokens=self.max_context)
        self.progress.phase("training", total=sum(num_tokens))
        metrics = step(
            self.policy,
            make_batches(samples, weights, max_tokens=config.micro_batch_tokens, device=self.policy.device),
            supervised_objective,
            learning_rate=learning_rate(
                step_index - 1, peak=config.learning_rate, total=config.steps, config=config.optimizer
            ),
            seed=derive_seed(self.collector.run_seed, f"{STAGE}/dropout", step_index),
            on_batch=lambda batch: self.progress.advance(len(batch.targets)),
        )
        seconds = time.perf_counter() - started
        return metrics | {"seconds_training": seconds, "tokens_per_second": metrics["num_tokens_trained"] / seconds}

    def save(self, step_index: int) -> None:
        """Write a checkpoint after `step_index`; at the stage's end without what only another step would need."""
        cursor = -(-step_index // self.config.steps_per_round) * self.config.tasks_per_round
        state: dict[str, Any] = {"stage": STAGE, "step": step_index, "cursor": cursor, "teacher": self.teacher_hash}
        with self.run.checkpoint(STAGE, step_index) as folder:
            save_checkpoint(folder, self.policy, state, with_optimizer=step_index < self.config.steps)
