"""On-policy distillation: the student samples, and learns at each of its tokens to choose as its teacher would.

GKD (Agarwal et al. 2023, arXiv:2306.13649) and MiniLLM (Gu et al. 2023, arXiv:2306.08543); with the exact reverse KL
at each token, as in "On-Policy Distillation" (Thinking Machines Lab 2025). No verifier decides anything here: rewards
are measured alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from tahr.core.errors import TahrError
from tahr.core.progress import Progress
from tahr.core.protocols import Sampling
from tahr.core.seeding import derive_seed
from tahr.core.types import Group, Sample, StopReason, Task
from tahr.curriculum.uniform import UniformCurriculum
from tahr.losses.aggregation import token_weights
from tahr.losses.config import AdvantageConfig
from tahr.losses.distillation import kl_divergence, sampled_divergence, token_divergence
from tahr.models.logprobs import PolicyLogprobs
from tahr.models.row_logits import by_rows
from tahr.rollout.collect import Collector
from tahr.rollout.samples import Credited, trajectory_samples
from tahr.store.run import Run
from tahr.training.absent import why_absent
from tahr.training.batch import Batch, make_batches
from tahr.training.checkpoint import save_checkpoint
from tahr.training.distillation_config import DistillationConfig
from tahr.training.interrupt import StopRequest
from tahr.training.metrics import group_metrics
from tahr.training.optimizer import learning_rate
from tahr.training.step import Policy, descend

STAGE = "distillation"

_MEASURES = ("reward", "correct", "completion_length", "truncated_share", "num_tokens_sampled", "cheat_share")


@dataclass(slots=True, kw_only=True)
class Distillation:
    """The parts of one stage: `student` samples by the policy, `teacher` by the teacher (None where it never does).

    `teacher_logprobs` gives the teacher's rows; `teacher_hash` names its weights, so that no other one goes on.

    Example: ``asyncio.run(Distillation(config=recipe.distillation, policy=policy, ...).train(first_step=1))``
    """

    config: DistillationConfig
    policy: Policy
    student: Collector
    teacher: Collector | None
    teacher_logprobs: PolicyLogprobs
    teacher_hash: str
    curriculum: UniformCurriculum
    run: Run
    progress: Progress
    stop: StopRequest
    _sums: dict[str, float] = field(default_factory=dict[str, float])

    async def train(self, *, first_step: int = 1) -> None:
        """Steps `first_step` to ``config.steps``; ends early, after a saved step, where a stop is asked for.

        Raises TahrError where more answers than ``config.max_error_rate`` could not be sampled.
        """
        self.progress.stage(STAGE, total_steps=self.config.steps, first_step=first_step)
        for step_index in range(first_step, self.config.steps + 1):
            started = time.perf_counter()
            groups = await self._collect(step_index)
            sampled = time.perf_counter()
            metrics = measured(groups) | self._learn(groups, step_index)
            self.student.engine.load_weights(self.policy.model, self.policy.version)
            ended = time.perf_counter()
            metrics |= {
                "seconds_sampling": sampled - started,
                "seconds_training": ended - sampled,
                "seconds_step": ended - started,
                "tokens_per_second": metrics["num_tokens_sampled"] / (ended - started),
            }
            self.run.write_rollouts(STAGE, step_index, groups, [[None] * len(group.scored) for group in groups])
            self.run.log(STAGE, step_index, metrics)
            self.progress.step(step_index, metrics)
            stopping = self.stop.asked  # read once, so that what stops here is saved
            if stopping or step_index == self.config.steps or step_index % self.config.checkpoint_every == 0:
                self.save(step_index)
            if stopping:
                return

    async def _collect(self, step_index: int) -> list[Group]:
        """A step's answers, the teacher's first. Raises TahrError where too many could not be sampled."""
        config = self.config
        tasks = self.curriculum.next(config.groups_per_step)
        num_taught = num_by_teacher(step_index, config)
        self.progress.phase("sampling", total=len(tasks) * config.group_size)
        groups: list[Group] = []
        if self.teacher is not None and num_taught:
            groups += await self._sample(self.teacher, tasks[:num_taught], step_index, "teacher")
        if num_taught < len(tasks):
            groups += await self._sample(self.student, tasks[num_taught:], step_index, "student")
        failed = [one.trajectory.stop_reason is StopReason.INFRASTRUCTURE for g in groups for one in g.scored]
        rate = sum(failed) / len(failed)
        if rate > config.max_error_rate or rate == 1:
            raise TahrError(
                f"{rate:.0%} of the answers of step {step_index} could not be sampled",
                received=why_absent(groups),
                instead=f"mend the cause, or raise distillation.max_error_rate (now {config.max_error_rate})",
            )
        return groups

    async def _sample(self, who: Collector, tasks: Sequence[Task], step_index: int, name: str) -> list[Group]:
        return await who.collect(
            tasks,
            group_size=self.config.group_size,
            sampling=Sampling(**dict(self.config.sampling)),
            purpose=f"{STAGE}/{name}",
            step=step_index,
            on_scored=lambda _: self.progress.advance(),
        )

    def _learn(self, groups: Sequence[Group], step_index: int) -> dict[str, float]:
        """One update on all sampled tokens, each weighing the same."""
        config = self.config
        samples = distilled(groups)
        num_tokens = [sample.num_loss_tokens for sample in samples]
        weights = token_weights(num_tokens, "token_mean", max_new_tokens=config.sampling.max_new_tokens)
        batches = make_batches(samples, weights, max_tokens=config.micro_batch_tokens, device=self.policy.device)
        self.progress.phase("training", total=sum(num_tokens))
        self._sums = dict.fromkeys(("kl_teacher", "entropy"), 0.0)
        learned = descend(
            self.policy.model,
            self.policy.optimizer,
            self._parts(batches),
            learning_rate=learning_rate(
                step_index - 1, peak=config.learning_rate, total=config.steps, config=config.optimizer
            ),
            max_norm=self.policy.max_grad_norm,
            seed=derive_seed(self.student.run_seed, f"{STAGE}/dropout", step_index),
        )
        self.policy.version += 1
        return learned | self._sums | {"num_tokens_trained": float(sum(num_tokens))}

    def _parts(self, batches: Sequence[Batch]) -> Iterator[Tensor]:
        for batch in batches:
            divergence, reverse_kl, entropy = self._rows(batch)
            self._sums["kl_teacher"] += float((batch.weights * reverse_kl).sum())
            self._sums["entropy"] += float((batch.weights * entropy).sum())
            self.progress.advance(len(batch.targets))
            yield (batch.weights * divergence).sum()

    def _rows(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Of each loss token (M,): the divergence, KL(student || teacher), and the student's entropy, in nats."""
        loss = self.config.loss

        def reduce(student: Tensor, teacher: Tensor, targets: Tensor) -> tuple[Tensor, ...]:
            if loss.estimate == "sampled":
                chosen = targets[:, None]
                own, other = student.gather(1, chosen).squeeze(1), teacher.gather(1, chosen).squeeze(1)
                divergence = sampled_divergence(own, other)
            else:
                divergence = token_divergence(student, teacher, loss)
            own, is_kl = student.detach(), loss.estimate == "exact" and loss.divergence == "reverse_kl"
            reverse_kl = divergence.detach() if is_kl else kl_divergence(own, teacher)
            return divergence, reverse_kl, -(own.exp() * own).nansum(-1)

        with torch.no_grad():
            teacher = self.teacher_logprobs.row_logits(batch.tokens, batch.rows)
        student = self.policy.logprobs.row_logits(batch.tokens, batch.rows)
        divergence, reverse_kl, entropy = by_rows(student, teacher, reduce, batch.targets, temperature=1.0)
        return divergence, reverse_kl, entropy

    def save(self, step_index: int) -> None:
        """Write a checkpoint after `step_index`; at the stage's end without what only another step would need."""
        state = {"stage": STAGE, "step": step_index, "cursor": self.curriculum.cursor, "teacher": self.teacher_hash}
        with self.run.checkpoint(STAGE, step_index) as folder:
            save_checkpoint(folder, self.policy, state, with_optimizer=step_index < self.config.steps)


def num_by_teacher(step_index: int, config: DistillationConfig) -> int:
    """Tasks of a step that the teacher answers: the share is met over all steps together."""
    a_step = config.groups_per_step * config.teacher_share
    return int(step_index * a_step + 1e-9) - int((step_index - 1) * a_step + 1e-9)


def distilled(groups: Sequence[Group]) -> list[Sample]:
    """Every sampled token of every answer, cut-off ones included: what they hold so far can be judged."""
    return [
        sample
        for group in groups
        for scored in group.scored
        for sample in trajectory_samples(scored.trajectory, 0.0, domain=group.task.domain)
    ]


def measured(groups: Sequence[Group]) -> dict[str, float]:
    """Rewards, lengths and the attempts that were cut off, over the step's answers."""
    none = [Credited(group=group, advantages=(None,) * len(group.scored)) for group in groups]
    found = group_metrics(none, AdvantageConfig())
    return {name: value for name, value in found.items() if name in _MEASURES or name.startswith("reward/")}
