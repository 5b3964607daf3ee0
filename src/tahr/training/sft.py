"""Supervised fine-tuning on the task sets' own gold answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from tahr.core.errors import InputError
from tahr.core.progress import Progress
from tahr.core.protocols import Renderer
from tahr.core.seeding import derive_seed
from tahr.core.types import Sample, Task
from tahr.curriculum.uniform import UniformCurriculum
from tahr.losses.aggregation import token_weights
from tahr.losses.supervised import supervised_loss
from tahr.store.run import Run
from tahr.training.batch import Batch, make_batches
from tahr.training.checkpoint import save_checkpoint
from tahr.training.config import SftConfig
from tahr.training.interrupt import StopRequest
from tahr.training.optimizer import learning_rate
from tahr.training.step import Policy, step

STAGE = "sft"


@dataclass(slots=True, kw_only=True)
class Sft:
    """The parts of one supervised stage. `answer` gives the text to learn for a task: its verifier's gold answer.
    `encode` gives a text's ids as a policy would sample them, the id that ends its turn the last of them.

    Example: ``Sft(config=recipe.sft, policy=policy, renderer=renderer, ...).train(first_step=1)``
    """

    config: SftConfig
    policy: Policy
    renderer: Renderer
    encode: Callable[[str], Sequence[int]]
    answer: Callable[[Task], str]
    curriculum: UniformCurriculum
    run: Run
    progress: Progress
    stop: StopRequest
    max_context: int
    run_seed: int

    def train(self, *, first_step: int = 1) -> None:
        """Steps `first_step` to ``config.steps``; ends early, after a saved step, where a stop is asked for."""
        config = self.config
        self.progress.stage(STAGE, total_steps=config.steps, first_step=first_step)
        for step_index in range(first_step, config.steps + 1):
            started = time.perf_counter()
            samples = [self.example(task) for task in self.curriculum.next(config.batch_size)]
            num_tokens = [sample.num_loss_tokens for sample in samples]
            weights = token_weights(num_tokens, "token_mean", max_new_tokens=self.max_context)
            self.progress.phase("training", total=sum(num_tokens))
            metrics = step(
                self.policy,
                make_batches(samples, weights, max_tokens=config.micro_batch_tokens, device=self.policy.device),
                _objective,
                learning_rate=learning_rate(
                    step_index - 1, peak=config.learning_rate, total=config.steps, config=config.optimizer
                ),
                seed=derive_seed(self.run_seed, "sft/dropout", step_index),
                on_batch=lambda batch: self.progress.advance(len(batch.targets)),
            )
            seconds = time.perf_counter() - started
            metrics |= {"seconds_step": seconds, "tokens_per_second": metrics["num_tokens_trained"] / seconds}
            self.run.log(STAGE, step_index, metrics)
            self.progress.step(step_index, metrics)
            stopping = self.stop.asked  # read once, so that what stops here is saved
            if stopping or step_index == config.steps or step_index % config.checkpoint_every == 0:
                self.save(step_index)
            if stopping:
                return

    def example(self, task: Task) -> Sample:
        """Prompt, gold answer and the id that ends a turn; the loss is on the latter two.

        Raises InputError where they do not fit into the context: a cut answer would teach to stop short.
        """
        prompt = self.renderer.render(task.prompt)
        answer = tuple(self.encode(self.answer(task)))
        if len(prompt) + len(answer) > self.max_context:
            raise InputError(
                "an example does not fit into the context",
                received=f"task {task.id}: {len(prompt)} + {len(answer)} tokens",
                instead=f"model.max_context above {self.max_context}, or shorter tasks",
            )
        return Sample(
            token_ids=(*prompt, *answer),
            loss_mask=(False,) * len(prompt) + (True,) * len(answer),
            logprobs=(0.0,) * (len(prompt) + len(answer)),
            advantages=(0.0,) * (len(prompt) + len(answer)),
            prompt_length=len(prompt),
        )

    def save(self, step_index: int) -> None:
        """Write a checkpoint after `step_index`; at the stage's end without what only another step would need."""
        state = {"stage": STAGE, "step": step_index, "cursor": self.curriculum.cursor}
        with self.run.checkpoint(STAGE, step_index) as folder:
            save_checkpoint(folder, self.policy, state, with_optimizer=step_index < self.config.steps)


def _objective(batch: Batch, policy_logprobs: Tensor, _entropies: Tensor) -> Tensor:
    return supervised_loss(policy_logprobs, batch.weights)
