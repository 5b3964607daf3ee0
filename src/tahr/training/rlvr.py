"""Reinforcement learning from verifiable rewards: sample, judge, learn, repeat.

GRPO (Shao et al. 2024) in its usual form: group-relative advantages and a clipped policy loss. What differs from the
paper: groups in which all attempts score alike are replaced by sampling more (DAPO's dynamic sampling, Yu et al.
2025), a group teaches only where raw correctness differs unless the recipe says ``spread_in = "reward"``, there is no
KL term, and the loss is averaged over tokens unless the recipe says otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from tahr.core.errors import TahrError
from tahr.core.progress import Progress
from tahr.core.protocols import Engine, Sampling
from tahr.core.seeding import derive_seed
from tahr.core.types import Group
from tahr.curriculum.uniform import UniformCurriculum
from tahr.losses.aggregation import token_weights
from tahr.losses.policy import PolicyTokens, policy_loss, policy_sums
from tahr.rollout.collect import Collector
from tahr.rollout.samples import Credited, credit, teaches, to_samples
from tahr.store.run import Run
from tahr.training.batch import Batch, make_batches
from tahr.training.checkpoint import save_checkpoint
from tahr.training.config import RlvrConfig
from tahr.training.interrupt import StopRequest
from tahr.training.metrics import error_rate, group_metrics, merge
from tahr.training.optimizer import learning_rate
from tahr.training.step import Policy, step

STAGE = "rlvr"

Evaluate = Callable[[int], Awaitable[None]]
"""Evaluate the policy on validation tasks after a step, and keep the result."""


@dataclass(slots=True, kw_only=True)
class Rlvr:
    """The parts of one RLVR stage.

    Example: ``await Rlvr(config=recipe.rlvr, policy=policy, engine=engine, ...).train(first_step=1)``
    """

    config: RlvrConfig
    policy: Policy
    engine: Engine
    collector: Collector
    curriculum: UniformCurriculum
    run: Run
    progress: Progress
    stop: StopRequest
    evaluate: Evaluate

    async def train(self, *, first_step: int = 1) -> None:
        """Steps `first_step` to ``config.steps``; ends early, after a saved step, where a stop is asked for.

        Raises TahrError where more attempts than ``config.max_error_rate``, or all of a step, have no reward.
        """
        self.progress.stage(STAGE, total_steps=self.config.steps, first_step=first_step)
        for step_index in range(first_step, self.config.steps + 1):
            started = time.perf_counter()
            self.collector.seconds_verifying = 0.0
            groups = await self.collect_step(step_index)
            seconds_sampling = time.perf_counter() - started
            credited = credit(groups, self.config.advantage)
            taught = [one for one in credited if teaches(one.group, self.config.advantage)]
            learned = self.learn(taught, step_index)
            self.engine.load_weights(self.policy.model, self.policy.version)
            seconds = time.perf_counter() - started
            metrics = group_metrics(credited, len(taught)) | learned
            metrics |= {
                "resampled_groups": float(len(groups) - self.config.groups_per_step),
                "seconds_sampling": seconds_sampling - self.collector.seconds_verifying,
                "seconds_verifying": self.collector.seconds_verifying,
                "seconds_training": seconds - seconds_sampling,
                "seconds_step": seconds,
                "tokens_per_second": metrics["num_tokens_sampled"] / seconds,
            }
            self.run.write_rollouts(STAGE, step_index, groups, [one.advantages for one in credited])
            self.run.log(STAGE, step_index, metrics)
            self.progress.step(step_index, metrics)
            if self.config.evaluate_every and step_index % self.config.evaluate_every == 0:
                await self.evaluate(step_index)
            # read once, after the evaluation: a stop that is asked for while it runs must not end the stage unsaved
            stopping = self.stop.asked
            if stopping or step_index == self.config.steps or step_index % self.config.checkpoint_every == 0:
                self.save(step_index)
            if stopping:
                return

    async def collect_step(self, step_index: int) -> list[Group]:
        """Groups of one step: `groups_per_step`, and more in place of those that teach nothing, up to the bound."""
        config, sampling = self.config, Sampling(**dict(self.config.sampling))
        wanted, extra = config.groups_per_step, config.max_resampled_groups
        groups: list[Group] = []
        while wanted > 0:
            self.progress.phase("sampling", total=wanted * config.group_size)
            fresh = await self.collector.collect(
                self.curriculum.next(wanted),
                group_size=config.group_size,
                sampling=sampling,
                # a further round of the same step may draw the same task again: it must draw other numbers
                purpose=f"rlvr/{len(groups)}",
                step=step_index,
                on_scored=lambda _: self.progress.advance(),
            )
            groups.extend(fresh)
            idle = sum(not teaches(group, config.advantage) for group in fresh)
            wanted, extra = min(idle, extra), extra - min(idle, extra)
        self.curriculum.observe(groups)
        self._check_errors(groups, step_index)
        return groups

    def learn(self, taught: Sequence[Credited], step_index: int) -> dict[str, float]:
        """Update the policy on the groups that teach; nothing happens where none does."""
        config = self.config
        size = -(-len(taught) // config.updates_per_step)
        parts = [taught[start : start + size] for start in range(0, len(taught), size)] if taught else []
        self.progress.phase("training", total=sum(s.num_loss_tokens for part in parts for s in to_samples(part)))
        updates: list[dict[str, float]] = []
        for place, part in enumerate(parts):
            samples = to_samples(part)
            weights = token_weights(
                [sample.num_loss_tokens for sample in samples],
                config.loss.aggregation,
                max_new_tokens=config.sampling.max_new_tokens,
            )
            rate = learning_rate(
                (step_index - 1) * config.updates_per_step + place,
                peak=config.learning_rate,
                total=config.steps * config.updates_per_step,
                config=config.optimizer,
            )
            updates.append(
                step(
                    self.policy,
                    make_batches(samples, weights, max_tokens=config.micro_batch_tokens, device=self.policy.device),
                    self.objective,
                    learning_rate=rate,
                    seed=derive_seed(self.collector.run_seed, "rlvr/dropout", step_index, place),
                    temperature=config.sampling.temperature,
                    on_batch=lambda batch: self.progress.advance(len(batch.targets)),
                )
            )
        return merge(updates) | {"num_updates": float(len(updates))}

    def objective(self, batch: Batch, policy_logprobs: Tensor) -> tuple[Tensor, dict[str, float]]:
        """The batch's part of the step's loss."""
        tokens = PolicyTokens(
            policy_logprobs=policy_logprobs,
            sampler_logprobs=batch.sampler_logprobs,
            advantages=batch.advantages,
            weights=batch.weights,
        )
        return policy_loss(tokens, self.config.loss), policy_sums(tokens, self.config.loss)

    def save(self, step_index: int) -> None:
        """Write a checkpoint after `step_index`."""
        with self.run.checkpoint(STAGE, step_index) as folder:
            save_checkpoint(folder, self.policy, {"stage": STAGE, "step": step_index, "cursor": self.curriculum.cursor})

    def _check_errors(self, groups: Sequence[Group], step_index: int) -> None:
        rate = error_rate(groups)
        if rate > self.config.max_error_rate or rate == 1:
            notes = [one.verdict.note for group in groups for one in group.scored if one.reward is None]
            raise TahrError(
                f"{rate:.0%} of the attempts of step {step_index} have no reward; training on the rest would mislead",
                received=notes[0][:300],
                instead="mend the cause"
                + ("" if rate == 1 else f", or raise rlvr.max_error_rate (now {self.config.max_error_rate})"),
            )
