"""Preference tuning: pairs of answers, the better of which shall become likelier than the worse.

The reference is the policy that the stage starts from. It is asked once, before the first update: with adapters that
have learnt nothing yet, it is the model without them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from tahr.core.progress import Progress
from tahr.core.seeding import derive_seed
from tahr.data.mixture import Mixture
from tahr.models.fingerprint import model_hash
from tahr.store.run import Run
from tahr.training.checkpoint import save_checkpoint
from tahr.training.dpo_config import DpoConfig
from tahr.training.interrupt import StopRequest
from tahr.training.optimizer import learning_rate
from tahr.training.pair_batch import PairBatch, pair_batches
from tahr.training.pairs import EncodedPair
from tahr.training.preference_objective import PreferenceObjective, crossed, measure_baseline
from tahr.training.reference_logprobs import KEPT_NAME, ReferenceLogprobs, compute, read, reference_name
from tahr.training.step import Policy, step

STAGE = "dpo"


@dataclass(slots=True, kw_only=True)
class Dpo:
    """The parts of one stage of preference tuning. `num_train` pairs are behind `draws`, `cursor` were drawn so far.

    `cache` is the folder in which the reference's log-probabilities outlive the run, `name` the reference's name, from
    the checkpoint where the stage goes on.

    Example: ``Dpo(config=recipe.dpo, policy=policy, draws=mixture, validation=pairs, ...).train(first_step=1)``
    """

    config: DpoConfig
    policy: Policy
    draws: Mixture[EncodedPair]
    num_train: int
    validation: Sequence[EncodedPair]
    run: Run
    progress: Progress
    stop: StopRequest
    cache: Path
    max_context: int
    run_seed: int
    cursor: int = 0
    name: str = ""
    reference: ReferenceLogprobs | None = field(default=None, init=False)

    def train(self, *, first_step: int = 1) -> None:
        """Steps `first_step` to ``config.steps``; ends early, after a saved step, where a stop is asked for."""
        config = self.config
        self.progress.stage(STAGE, total_steps=config.steps, first_step=first_step)
        self.open_reference()
        for step_index in range(first_step, config.steps + 1):
            started = time.perf_counter()
            before = self.validate("_before") if step_index == 1 else {}
            metrics = self.learn(step_index) | before
            seconds = time.perf_counter() - started
            metrics |= {"seconds_step": seconds, "tokens_per_second": metrics["num_tokens_trained"] / seconds}
            if step_index == config.steps or (config.evaluate_every and step_index % config.evaluate_every == 0):
                metrics |= self.validate()
            self.run.log(STAGE, step_index, metrics)
            self.progress.step(step_index, metrics)
            stopping = self.stop.asked  # read once, so that what stops here is saved
            if stopping or step_index == config.steps or step_index % config.checkpoint_every == 0:
                self.save(step_index)
            if stopping:
                return

    def open_reference(self) -> None:
        """At the stage's start ask the policy as it is; where the stage goes on, what it said then is read."""
        if not self.config.loss.needs_reference:
            return
        kept = self.run.folder / KEPT_NAME
        if self.name:
            self.reference = read(kept, self.name)
            return
        hashed = model_hash(self.policy.model)
        self.name = reference_name(hashed)
        pairs = list({(pair.prompt, pair.answers): pair for pair in self._asked()}.values())
        self.progress.phase("asking the reference", total=len(pairs))
        kept.unlink(missing_ok=True)  # a run that failed before its first checkpoint may have left one
        self.reference = compute(
            self.policy,
            self.name,
            pairs,
            max_tokens=self.config.micro_batch_tokens,
            shared=self.cache / f"{hashed}.sqlite",
            kept=kept,
            on_pairs=self.progress.advance,
        )

    def _asked(self) -> Iterator[EncodedPair]:
        """Every pair whose value under the reference the stage will need, in the order of need."""
        yield from self.validation
        yield from crossed(self.validation, max_context=self.max_context) if self._has_baseline else ()
        for step_index in range(self.config.steps):
            drawn = self.draws.take(step_index * self.config.batch_size, self.config.batch_size)
            yield from drawn
            yield from crossed(drawn, max_context=self.max_context) if self._has_baseline else ()

    def learn(self, step_index: int) -> dict[str, float]:
        """One update on the next ``config.batch_size`` pairs, each of them weighing the same."""
        config = self.config
        drawn = self.draws.take(self.cursor, config.batch_size)
        self.cursor += config.batch_size
        batches = list(self._batches(drawn))
        objective = self._objective(drawn, batches)
        self.progress.phase("training", total=sum(len(one.batch.targets) for one in batches))
        metrics = step(
            self.policy,
            [one.batch for one in batches],
            objective,
            learning_rate=learning_rate(
                step_index - 1, peak=config.learning_rate, total=config.steps, config=config.optimizer
            ),
            seed=derive_seed(self.run_seed, "dpo/dropout", step_index),
            on_batch=lambda batch: self.progress.advance(len(batch.targets)),
        )
        found = objective.metrics()
        del found["preference_loss"]  # the step's own loss is the same number
        return metrics | found | {"epoch": self.cursor / self.num_train}

    @torch.no_grad()
    def validate(self, suffix: str = "") -> dict[str, float]:
        """Loss, accuracy, margin and drift on the held-out pairs, as ``validation_accuracy`` and so on, and `suffix`.

        Nothing where none are held out.
        """
        if not self.validation:
            return {}
        self.policy.model.eval()
        objective = self._objective(self.validation)
        self.progress.phase("measuring on held-out pairs", total=len(self.validation))
        for part in self._batches(self.validation):
            logprobs, _ = self.policy.logprobs(part.batch.tokens, part.batch.rows, part.batch.targets)
            objective.observe(part, logprobs)
            self.progress.advance(len(part.pairs))
        found = objective.metrics()
        names = {"preference_loss": "loss", **{name: name for name in ("accuracy", "ties", "margin", "chosen_drift")}}
        return {f"validation_{short}{suffix}": found[name] for name, short in names.items() if name in found}

    def _batches(self, pairs: Sequence[EncodedPair]) -> Iterator[PairBatch]:
        return pair_batches(pairs, max_tokens=self.config.micro_batch_tokens, device=self.policy.device)

    def _objective(self, pairs: Sequence[EncodedPair], batches: Sequence[PairBatch] = ()) -> PreferenceObjective:
        baseline = self._baseline(pairs)
        return PreferenceObjective(self.config.loss, self.reference, len(pairs), batches, baseline)

    @property
    def _has_baseline(self) -> bool:
        return self.config.loss.name == "kto"

    def _baseline(self, pairs: Sequence[EncodedPair]) -> Tensor | None:
        """KTO's, under the policy as it is: over all the pairs at once, so that no cut into batches changes it."""
        if not self._has_baseline or self.reference is None:
            return None
        others = crossed(pairs, max_context=self.max_context)
        return measure_baseline(self.policy, others, self.reference, max_tokens=self.config.micro_batch_tokens)

    def save(self, step_index: int) -> None:
        """Write a checkpoint after `step_index`; at the stage's end without what only another step would need."""
        state = {"stage": STAGE, "step": step_index, "cursor": self.cursor, "reference": self.name}
        with self.run.checkpoint(STAGE, step_index) as folder:
            save_checkpoint(folder, self.policy, state, with_optimizer=step_index < self.config.steps)
