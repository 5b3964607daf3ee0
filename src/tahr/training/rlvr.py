"""Reinforcement learning from verifiable rewards: sample, judge, learn, repeat.

The algorithm is a setting (`tahr.losses.presets`); by default GRPO (Shao et al. 2024) in its usual form: group-relative
advantages and a clipped policy loss. Where baseline or scale are the group's, a group teaches only where its attempts
differ in raw correctness, or in the reward with ``spread_in = "reward"``; those that teach nothing are replaced by
sampling more (DAPO's dynamic sampling, Yu et al. 2025).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tahr.core.progress import Progress
from tahr.core.protocols import Engine, Sampling
from tahr.core.seeding import derive_seed
from tahr.core.types import Group, Sample
from tahr.curriculum.uniform import UniformCurriculum
from tahr.engines.embedded.lagged import LaggedEngine
from tahr.losses.aggregation import balance_domains, token_weights
from tahr.rollout.collect import Collector
from tahr.rollout.samples import Credited, teaches
from tahr.store.run import Run
from tahr.training.batch import Batch, make_batches
from tahr.training.checkpoint import save_checkpoint
from tahr.training.config import RlvrConfig
from tahr.training.credit import Crediting
from tahr.training.critic import Critic
from tahr.training.error_limit import check_errors
from tahr.training.interrupt import StopRequest
from tahr.training.metrics import group_metrics, merge, num_sampled_tokens, policy_lag
from tahr.training.objective import PolicyObjective, select_tokens, start_of_step
from tahr.training.optimizer import learning_rate
from tahr.training.reference import Reference
from tahr.training.step import Policy, step

STAGE = "rlvr"

Evaluate = Callable[[int], Awaitable[None]]
"""Evaluate the policy on validation tasks after a step, and keep the result."""


@dataclass(slots=True, kw_only=True)
class Rlvr:
    """The parts of one RLVR stage: `reference` where the loss has a KL term, `critic` where that is the baseline.

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
    reference: Reference | None = None
    critic: Critic | None = None
    crediting: Crediting = field(init=False)

    def __post_init__(self) -> None:
        self.crediting = Crediting(config=self.config, policy=self.policy, reference=self.reference, critic=self.critic)

    async def train(self, *, first_step: int = 1) -> None:
        """Steps `first_step` to ``config.steps``; ends early, after a saved step, where a stop is asked for.

        Raises TahrError where more attempts than ``config.max_error_rate``, or all of a step, have no reward.
        """
        self.progress.stage(STAGE, total_steps=self.config.steps, first_step=first_step)
        for step_index in range(first_step, self.config.steps + 1):
            started = time.perf_counter()
            self.collector.seconds_verifying = 0.0
            groups = await self.collect_step(step_index)
            greedy = await self.collect_greedy(groups, step_index)
            seconds_sampling = time.perf_counter() - started
            credited = self.crediting.credit(groups, [one.rewards[0] for one in greedy])
            taught = [one for one in credited if teaches(one.group, self.config.advantage)]
            lag = policy_lag(groups, self.policy.version)
            learned = self.learn(taught, step_index)
            self.engine.load_weights(self.policy.model, self.policy.version)
            seconds = time.perf_counter() - started
            metrics = group_metrics(credited, self.config.advantage) | self.crediting.metrics(groups) | learned
            metrics["num_tokens_sampled"] += num_sampled_tokens(greedy)
            metrics |= {
                "policy_lag": lag,
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
        wanted, extra = config.groups_per_step, config.schedule.max_resampled_groups
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

    async def collect_greedy(self, groups: Sequence[Group], step_index: int) -> list[Group]:
        """One greedy attempt at each group's task, where its reward is the baseline."""
        if self.config.advantage.baseline != "greedy":
            return []
        self.progress.phase("sampling greedily", total=len(groups))
        sampling = Sampling(max_new_tokens=self.config.sampling.max_new_tokens, temperature=0.0)
        attempts = await self.collector.collect(
            [group.task for group in groups],
            group_size=1,
            sampling=replace(sampling, stop=self.config.sampling.stop),
            purpose="rlvr/greedy",
            step=step_index,
            on_scored=lambda _: self.progress.advance(),
        )
        self._check_errors(attempts, step_index)
        return attempts

    def learn(self, taught: Sequence[Credited], step_index: int) -> dict[str, float]:
        """Update the policy on the groups that teach; nothing happens where none does."""
        config = self.config
        samples = self.crediting.samples(taught)
        parts = self._split(samples)
        self.progress.phase("training", total=sum(sample.num_loss_tokens for sample in samples))
        batches = [self._batches(part) for part in parts]
        known = [
            start_of_step(
                self.policy,
                of_part,
                config.loss,
                reference=self.reference,
                temperature=config.sampling.temperature,
                several_updates=len(parts) > 1,
            )
            for of_part in batches
        ]
        updates: list[dict[str, float]] = []
        for place, part in enumerate(parts):
            chosen = select_tokens(
                self.policy,
                batches[place],
                known[place],
                config.loss,
                temperature=config.sampling.temperature,
                seed=derive_seed(self.collector.run_seed, "rlvr/selection", step_index, place),
            )
            objective = PolicyObjective(config.loss, chosen, [sample.domain for sample in part])
            learned = step(
                self.policy,
                batches[place],
                objective,
                learning_rate=self._rate(step_index, place),
                seed=derive_seed(self.collector.run_seed, "rlvr/dropout", step_index, place),
                temperature=config.sampling.temperature,
                on_batch=lambda batch: self.progress.advance(len(batch.targets)),
            )
            updates.append(learned | objective.metrics())
        return merge(updates) | self.crediting.learn() | {"num_updates": float(len(updates))}

    def _split(self, samples: Sequence[Sample]) -> list[list[Sample]]:
        """The samples of each update: whole groups, as many in each as there are."""
        by_prompt: dict[tuple[int, ...], list[Sample]] = {}
        for sample in samples:
            by_prompt.setdefault(sample.token_ids[: sample.prompt_length], []).append(sample)
        groups = list(by_prompt.values())
        size = max(1, -(-len(groups) // self.config.schedule.updates_per_step))
        parts = [groups[start : start + size] for start in range(0, len(groups), size)]
        return [[sample for group in part for sample in group] for part in parts]

    def _batches(self, samples: Sequence[Sample]) -> list[Batch]:
        """Micro-batches of one update, the whole normalisation in their tokens' weights."""
        loss = self.config.loss
        num_tokens = [sample.num_loss_tokens for sample in samples]
        weights = token_weights(num_tokens, loss.aggregation, max_new_tokens=self.config.sampling.max_new_tokens)
        if loss.balance_domains:
            weights = balance_domains(weights, num_tokens, [sample.domain for sample in samples])
        return make_batches(samples, weights, max_tokens=self.config.micro_batch_tokens, device=self.policy.device)

    def _rate(self, step_index: int, place: int) -> float:
        updates = self.config.schedule.updates_per_step
        return learning_rate(
            (step_index - 1) * updates + place,
            peak=self.config.learning_rate,
            total=self.config.steps * updates,
            config=self.config.optimizer,
        )

    def save(self, step_index: int) -> None:
        """Write a checkpoint after `step_index`; at the stage's end without what only another step would need."""
        goes_on = step_index < self.config.steps
        more: dict[str, Any] = {}
        if goes_on and self.critic is not None:
            more["critic"] = self.critic.state()
        if goes_on and isinstance(self.engine, LaggedEngine):
            more["snapshots"] = self.engine.snapshots()
        state = {"stage": STAGE, "step": step_index, "cursor": self.curriculum.cursor}
        with self.run.checkpoint(STAGE, step_index) as folder:
            save_checkpoint(folder, self.policy, state, more=more, with_optimizer=goes_on)

    def restore(self, more: dict[str, Any]) -> None:
        """Go on with what a checkpoint held besides the policy."""
        if self.critic is not None:
            self.critic.load_state(more["critic"])
        if isinstance(self.engine, LaggedEngine):
            self.engine.restore(more["snapshots"])

    def _check_errors(self, groups: Sequence[Group], step_index: int) -> None:
        limit = self.config.max_error_rate
        check_errors(groups, stage=STAGE, where=f"step {step_index}", max_error_rate=limit)
