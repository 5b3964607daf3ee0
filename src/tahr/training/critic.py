"""A learned critic: the value of each token's state, and advantages from it (PPO with GAE)."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from tahr.core.errors import InputError
from tahr.core.types import Sample
from tahr.losses.advantages import generalised_advantages
from tahr.losses.config import AdvantageConfig
from tahr.losses.value import explained_variance, value_loss
from tahr.models.decoder import Decoder, unsupported
from tahr.models.scalar_head import scalar_head
from tahr.training.batch import Batch, make_batches

MAX_GRAD_NORM = 1.0


class Critic:
    """A copy of the starting model whose last hidden state a new linear layer turns into a value; it starts at 0.

    Raises InputError where tahr's decoder can't compute the model.
    """

    def __init__(self, model: PreTrainedModel, config: AdvantageConfig, *, max_tokens: int) -> None:
        reason = unsupported(model)
        if reason is not None:
            raise InputError("a critic needs a model of the Llama family", received=reason, instead="another baseline")
        self._config = config
        self._max_tokens = max_tokens
        self._model = copy.deepcopy(model)
        self._decoder = Decoder(self._model)
        weight = self._decoder.embedding.weight
        self._head = nn.Linear(weight.shape[1], 1, device=weight.device, dtype=weight.dtype)
        nn.init.zeros_(self._head.weight)
        nn.init.zeros_(self._head.bias)
        self._parameters = [*(one for one in self._model.parameters() if one.requires_grad), *self._head.parameters()]
        self._optimizer = torch.optim.AdamW(self._parameters, lr=config.critic.learning_rate, weight_decay=0.0)

    def advantages(self, samples: Sequence[Sample], penalties: Sequence[Sequence[float]] = ()) -> list[Sample]:
        """Samples with GAE in place of what they bring: their reward, the same at each loss token.

        The reward comes with the last loss token; `penalties` has what each loss token of each sample takes off.
        With ``scale="batch"`` the advantages of all loss tokens are whitened.
        """
        batches = self._batches(samples)
        values = per_sample(batches, [self._values(batch) for batch in batches], len(samples))
        found: list[list[float]] = []
        for place, (sample, of_sample) in enumerate(zip(samples, values, strict=True)):
            rewards = [-one for one in penalties[place]] if penalties else [0.0] * sample.num_loss_tokens
            rewards[-1] += _reward(sample)
            found.append(
                generalised_advantages(
                    rewards, of_sample, discount=self._config.discount, gae_lambda=self._config.gae_lambda
                )
            )
        self._targets = [[a + v for a, v in zip(*pair, strict=True)] for pair in zip(found, values, strict=True)]
        self._old_values = values
        if self._config.scale == "batch":
            found = _whitened(found)
        return [_with_advantages(sample, of_sample) for sample, of_sample in zip(samples, found, strict=True)]

    def learn(self, samples: Sequence[Sample], on_batch: Callable[[Batch], None] | None = None) -> dict[str, float]:
        """Fit the values to the returns of the samples that `advantages` was last called with.

        Returns ``value_loss``, ``value_mean`` and ``explained_variance``, of the values before the update.
        """
        batches = self._batches(samples)
        targets = [_tensor(self._targets, batch) for batch in batches]
        old_values = [_tensor(self._old_values, batch) for batch in batches]
        num_tokens = sum(len(batch.targets) for batch in batches)
        loss = 0.0
        for number in range(self._config.critic.passes):
            self._optimizer.zero_grad(set_to_none=True)
            for batch, target, old in zip(batches, targets, old_values, strict=True):
                part = value_loss(self._forward(batch), old, target, clip=self._config.critic.clip)
                part = part * (len(batch.targets) / num_tokens)
                part.backward()
                loss += float(part.detach()) if number == 0 else 0.0
                if on_batch and number == 0:
                    on_batch(batch)
            norm = torch.nn.utils.clip_grad_norm_(self._parameters, MAX_GRAD_NORM)
            if math.isfinite(float(norm)):
                self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        old, target = torch.cat(old_values), torch.cat(targets)
        return {
            "value_loss": loss,
            "value_mean": float(old.mean()),
            "explained_variance": explained_variance(old, target),
        }

    def state(self) -> dict[str, Any]:
        """What a checkpoint must hold."""
        return {
            "parameters": [parameter.detach() for parameter in self._parameters],
            "optimizer": self._optimizer.state_dict(),
        }

    @torch.no_grad()
    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        for parameter, saved in zip(self._parameters, state["parameters"], strict=True):
            parameter.copy_(saved)
        self._optimizer.load_state_dict(state["optimizer"])

    def _batches(self, samples: Sequence[Sample]) -> list[Batch]:
        device = self._head.weight.device
        return make_batches(samples, [0.0] * len(samples), max_tokens=self._max_tokens, device=device)

    def _forward(self, batch: Batch) -> Tensor:
        """Values (M,) of the states in which the batch's targets were sampled, fp32 with gradient."""
        hidden = self._decoder.hidden(batch.tokens).index_select(0, batch.rows)
        return scalar_head(hidden, self._head.weight, self._head.bias)

    @torch.no_grad()
    def _values(self, batch: Batch) -> Tensor:
        return self._forward(batch)


def per_sample(batches: Sequence[Batch], values: Sequence[Tensor], num_samples: int) -> list[list[float]]:
    """Values of all loss tokens, (M,) a batch, as one list a sample in the order of its tokens."""
    found: list[list[float]] = [[] for _ in range(num_samples)]
    for batch, of_batch in zip(batches, values, strict=True):
        for sequence, value in zip(batch.sequences.tolist(), of_batch.tolist(), strict=True):
            found[sequence].append(value)
    return found


def _tensor(values: Sequence[Sequence[float]], batch: Batch) -> Tensor:
    """The reverse of `per_sample`, for one batch."""
    cursor = [0] * len(values)
    flat: list[float] = []
    for sequence in batch.sequences.tolist():
        flat.append(values[sequence][cursor[sequence]])
        cursor[sequence] += 1
    return torch.tensor(flat, device=batch.sequences.device)


def _reward(sample: Sample) -> float:
    return next(one for one, in_loss in zip(sample.advantages, sample.loss_mask, strict=True) if in_loss)


def _with_advantages(sample: Sample, advantages: Sequence[float]) -> Sample:
    left = iter(advantages)
    return replace(sample, advantages=tuple(next(left) if in_loss else 0.0 for in_loss in sample.loss_mask))


def _whitened(values: Sequence[Sequence[float]]) -> list[list[float]]:
    flat = torch.tensor([value for of_sample in values for value in of_sample], dtype=torch.float64)
    mean, deviation = float(flat.mean()), float(flat.std(unbiased=False))
    return [[(value - mean) / deviation if deviation > 0 else 0.0 for value in of_sample] for of_sample in values]
