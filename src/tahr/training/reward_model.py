"""A reward model from pairs of answers: the score of the better one shall lie above that of the worse.

The policy that it starts from is not changed; checkpoints hold it as it is, and the reward model beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev
from typing import Any

import torch
from torch import Tensor

from tahr.core.progress import Progress
from tahr.core.seeding import derive_seed
from tahr.data.mixture import Mixture
from tahr.losses.reward_model import bradley_terry_loss
from tahr.models.packing import pack_groups
from tahr.models.reward import RewardModel, Scale, in_parts
from tahr.models.save import load_trainable_state, trainable_state
from tahr.store.run import Run
from tahr.training.checkpoint import save_checkpoint
from tahr.training.interrupt import StopRequest
from tahr.training.optimizer import learning_rate, make_optimizer
from tahr.training.reward_model_config import RewardModelConfig
from tahr.training.scored_pairs import ScoredPair, TokenPair, pair_metrics
from tahr.training.step import Policy, descend

STAGE = "reward_model"


@dataclass(slots=True, kw_only=True)
class RewardModelTraining:
    """The parts of one stage. `num_train` pairs are behind `draws`, of which `cursor` were drawn so far; `save_model`
    keeps the finished reward model.

    Example: ``RewardModelTraining(config=recipe.reward_model, policy=policy, model=model, ...).train(first_step=1)``
    """

    config: RewardModelConfig
    policy: Policy
    model: RewardModel
    draws: Mixture[TokenPair]
    num_train: int
    validation: Sequence[TokenPair]
    run: Run
    progress: Progress
    stop: StopRequest
    run_seed: int
    save_model: Callable[[Scale], None]
    cursor: int = 0
    optimizer: torch.optim.Optimizer = field(init=False)

    def __post_init__(self) -> None:
        self.optimizer = make_optimizer(self.model.model.parameters(), self.config.optimizer)

    def restore(self, more: dict[str, Any]) -> None:
        """Go on from what a checkpoint holds besides the policy."""
        load_trainable_state(self.model.model, more["weights"])
        self.optimizer.load_state_dict(more["optimizer"])

    def train(self, *, first_step: int = 1) -> None:
        """Steps `first_step` to ``config.steps``; ends early, after a saved step, where a stop is asked for."""
        config = self.config
        self.progress.stage(STAGE, total_steps=config.steps, first_step=first_step)
        for step_index in range(first_step, config.steps + 1):
            started = time.perf_counter()
            before = self.validate("_before") if step_index == 1 else {}
            metrics = self.learn(step_index) | before
            seconds = time.perf_counter() - started
            metrics |= {"seconds_step": seconds, "tokens_per_second": metrics["num_tokens_trained"] / seconds}
            is_last = step_index == config.steps
            if is_last or (config.evaluate_every and step_index % config.evaluate_every == 0):
                metrics |= self.validate()
            self.run.log(STAGE, step_index, metrics)
            self.progress.step(step_index, metrics)
            if is_last:
                self.save_model(self.scale())
            stopping = self.stop.asked  # read once, so that what stops here is saved
            if stopping or is_last or step_index % config.checkpoint_every == 0:
                self.save(step_index)
            if stopping:
                return

    def learn(self, step_index: int) -> dict[str, float]:
        """One update on the next ``config.batch_size`` pairs, each of them weighing the same."""
        config = self.config
        pairs = self.draws.take(self.cursor, config.batch_size)
        self.cursor += config.batch_size
        self.progress.phase("training", total=len(pairs))
        scored: list[ScoredPair] = []
        num_tokens = 0

        def parts() -> Iterator[Tensor]:
            nonlocal num_tokens
            for part in in_parts([pair.answers for pair in pairs], config.micro_batch_tokens):
                of_part = pairs[len(scored) : len(scored) + len(part)]
                tokens, rows = pack_groups(part)
                scores = self.model.scores(tokens.to(self.model.device), rows.to(self.model.device)).view(-1, 2)
                yield self._loss(of_part, scores, len(pairs))
                scored.extend(ScoredPair.of(pair, *row) for pair, row in zip(of_part, scores.tolist(), strict=True))
                num_tokens += len(tokens.token_ids)
                self.progress.advance(len(part))

        metrics = descend(
            self.model.model,
            self.optimizer,
            parts(),
            learning_rate=learning_rate(
                step_index - 1, peak=config.learning_rate, total=config.steps, config=config.optimizer
            ),
            max_norm=config.optimizer.max_grad_norm,
            seed=derive_seed(self.run_seed, "reward_model/dropout", step_index),
        )
        more = {"num_tokens_trained": float(num_tokens), "epoch": self.cursor / self.num_train}
        return metrics | pair_metrics(scored) | more

    def _loss(self, pairs: Sequence[TokenPair], scores: Tensor, num_pairs: int) -> Tensor:
        """The part of the step's loss that these pairs make; `scores` (P, 2), chosen first."""
        asked = [self.config.margin_scale * (pair.margin or 0.0) for pair in pairs]
        return bradley_terry_loss(
            scores[:, 0],
            scores[:, 1],
            torch.full_like(scores[:, 0], 1 / num_pairs),
            margins=scores.new_tensor(asked) if any(asked) else None,
            centering=self.config.centering,
        )

    @torch.no_grad()
    def validate(self, suffix: str = "") -> dict[str, float]:
        """Loss and metrics on the held-out pairs as ``validation_accuracy`` and so on, and `suffix`; nothing without
        held-out pairs."""
        scored = self._score(self.validation)
        if not scored:
            return {}
        scores = torch.tensor([[one.chosen, one.rejected] for one in scored])
        found = pair_metrics(scored) | {"loss": float(self._loss(self.validation, scores, len(scored)))}
        return {f"validation_{name}{suffix}": value for name, value in found.items()}

    def scale(self) -> Scale:
        """Mean and deviation of the scores of held-out answers, else of those that were learnt from last."""
        recent = self.draws.take(max(0, self.cursor - self.config.batch_size), self.config.batch_size)
        scored = self._score(self.validation or recent)
        scores = [score for one in scored for score in (one.chosen, one.rejected)]
        return Scale(mean=fmean(scores), deviation=pstdev(scores) or 1.0)

    def _score(self, pairs: Sequence[TokenPair]) -> list[ScoredPair]:
        self.progress.phase("measuring on held-out pairs", total=len(pairs))
        found = self.model.score_groups([pair.answers for pair in pairs], max_tokens=self.config.micro_batch_tokens)
        return [ScoredPair.of(pair, *scores) for pair, scores in zip(pairs, found, strict=True)]

    def save(self, step_index: int) -> None:
        """Write a checkpoint after `step_index`; at the stage's end only the policy, which the next one starts from."""
        state = {"stage": STAGE, "step": step_index, "cursor": self.cursor}
        is_last = step_index == self.config.steps
        more = {"weights": trainable_state(self.model.model), "optimizer": self.optimizer.state_dict()}
        with self.run.checkpoint(STAGE, step_index) as folder:
            save_checkpoint(folder, self.policy, state, more=None if is_last else more, with_optimizer=not is_last)
