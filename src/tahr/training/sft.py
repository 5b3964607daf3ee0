"""Supervised fine-tuning: on conversations, on the task sets' own gold answers, or on both."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from tahr.core.progress import Progress
from tahr.core.seeding import derive_seed
from tahr.core.types import Sample, Task
from tahr.losses.aggregation import token_weights
from tahr.losses.supervised import supervised_loss
from tahr.store.run import Run
from tahr.training.batch import Batch, make_batches
from tahr.training.checkpoint import save_checkpoint
from tahr.training.config import SftConfig
from tahr.training.examples import Example
from tahr.training.interrupt import StopRequest
from tahr.training.optimizer import learning_rate
from tahr.training.step import Policy, step

STAGE = "sft"


class Draws(Protocol):
    """An endless stream by position: `tahr.data.mixture.Mixture`."""

    def take(self, cursor: int, count: int) -> Sequence[Task | Example]:
        """What stands at `cursor` to `cursor + count - 1`."""
        ...


@dataclass(slots=True, kw_only=True)
class Sft:
    """The parts of one supervised stage.

    `draws` is what there is to learn from, `cursor` how much of it was drawn so far, `gold` the sample of a task, and
    `held_out` the samples of the validation loss.

    Example: ``Sft(config=recipe.sft, policy=policy, draws=mixture, ...).train(first_step=1)``
    """

    config: SftConfig
    policy: Policy
    draws: Draws
    gold: Callable[[Task], Sample]
    run: Run
    progress: Progress
    stop: StopRequest
    max_context: int
    run_seed: int
    cursor: int = 0
    held_out: Sequence[Sample] = field(default=())

    def train(self, *, first_step: int = 1) -> None:
        """Steps `first_step` to ``config.steps``; ends early, after a saved step, where a stop is asked for."""
        config = self.config
        self.progress.stage(STAGE, total_steps=config.steps, first_step=first_step)
        for step_index in range(first_step, config.steps + 1):
            started = time.perf_counter()
            before = {"validation_loss_before": self.validation_loss()} if step_index == 1 and self._validates else {}
            metrics = self._step(step_index) | before
            seconds = time.perf_counter() - started
            metrics |= {"seconds_step": seconds, "tokens_per_second": metrics["num_tokens_trained"] / seconds}
            if self._validates and (step_index % config.validate_every == 0 or step_index == config.steps):
                metrics["validation_loss"] = self.validation_loss()
            self.run.log(STAGE, step_index, metrics)
            self.progress.step(step_index, metrics)
            stopping = self.stop.asked  # read once, so that what stops here is saved
            if stopping or step_index == config.steps or step_index % config.checkpoint_every == 0:
                self.save(step_index)
            if stopping:
                return

    @property
    def _validates(self) -> bool:
        return bool(self.config.validate_every and self.held_out)

    def _step(self, step_index: int) -> dict[str, float]:
        """One update on the next ``config.batch_size`` examples, each of their tokens weighing the same."""
        config = self.config
        samples = [sample for item in self._next() for sample in self.samples(item)]
        num_tokens = [sample.num_loss_tokens for sample in samples]
        weights = token_weights(num_tokens, "token_mean", max_new_tokens=self.max_context)
        self.progress.phase("training", total=sum(num_tokens))
        return step(
            self.policy,
            make_batches(samples, weights, max_tokens=config.micro_batch_tokens, device=self.policy.device),
            supervised_objective,
            learning_rate=learning_rate(
                step_index - 1, peak=config.learning_rate, total=config.steps, config=config.optimizer
            ),
            seed=derive_seed(self.run_seed, "sft/dropout", step_index),
            on_batch=lambda batch: self.progress.advance(len(batch.targets)),
        )

    def _next(self) -> Sequence[Task | Example]:
        drawn = self.draws.take(self.cursor, self.config.batch_size)
        self.cursor += self.config.batch_size
        return drawn

    def samples(self, item: Task | Example) -> list[Sample]:
        """What one draw teaches. Raises InputError where a task's gold answer does not fit into the context."""
        return [self.gold(item)] if isinstance(item, Task) else item.samples()

    @torch.no_grad()
    def validation_loss(self) -> float:
        """Nats a token over the held-out samples' answers."""
        weights = token_weights([sample.num_loss_tokens for sample in self.held_out], "token_mean", max_new_tokens=1)
        tokens = self.config.micro_batch_tokens
        total = 0.0
        for batch in make_batches(self.held_out, weights, max_tokens=tokens, device=self.policy.device):
            logprobs, _ = self.policy.logprobs(batch.tokens, batch.rows, batch.targets)
            total += float(supervised_loss(logprobs, batch.weights))
        return total

    def save(self, step_index: int) -> None:
        """Write a checkpoint after `step_index`; at the stage's end without what only another step would need."""
        state = {"stage": STAGE, "step": step_index, "cursor": self.cursor}
        with self.run.checkpoint(STAGE, step_index) as folder:
            save_checkpoint(folder, self.policy, state, with_optimizer=step_index < self.config.steps)


def supervised_objective(batch: Batch, policy_logprobs: Tensor, _entropies: Tensor) -> Tensor:
    """The batch's part of the loss: every target's negative log-probability by its weight."""
    return supervised_loss(policy_logprobs, batch.weights)
