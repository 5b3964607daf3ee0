"""One update of the policy: the only place where gradients are made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from tahr.core.errors import TahrError
from tahr.models.logprobs import PolicyLogprobs
from tahr.training.batch import Batch
from tahr.training.config import OptimizerConfig
from tahr.training.optimizer import make_optimizer

Objective = Callable[[Batch, Tensor, Tensor], Tensor]
"""``(batch, policy_logprobs (M,), entropies (M,)) -> loss``: the batch's part of the update's loss."""


class Policy:
    """The model under training: its log-probabilities, its optimizer, and its version, which counts updates.

    `temperature` is the sampler's, so that log-probabilities are of the same distribution.
    """

    def __init__(self, model: PreTrainedModel, optimizer: OptimizerConfig, *, max_context: int) -> None:
        self.model = model
        self.logprobs = PolicyLogprobs(model, max_context=max_context)
        self.optimizer = make_optimizer(model.parameters(), optimizer)
        self.max_grad_norm = optimizer.max_grad_norm
        self.version = 0

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.model.parameters()).device


def step(
    policy: Policy,
    batches: Sequence[Batch],
    objective: Objective,
    *,
    learning_rate: float,
    seed: int,
    temperature: float = 1.0,
    on_batch: Callable[[Batch], None] | None = None,
) -> dict[str, float]:
    """Add up the batches' gradients, clip, and update the weights.

    How the step is cut into batches does not matter: the weights of their tokens hold the normalisation. `seed`
    decides the adapters' dropout, where there is any. Returns ``loss``, ``entropy`` (nats, mean over loss tokens),
    ``grad_norm`` (before clipping), ``learning_rate`` and ``num_tokens_trained``.

    Raises TahrError, before the weights change, where the loss or the gradient is not finite.
    """
    entropy, num_tokens = 0.0, 0

    def parts() -> Iterator[Tensor]:
        nonlocal entropy, num_tokens
        for batch in batches:
            logprobs, entropies = policy.logprobs(batch.tokens, batch.rows, batch.targets, temperature=temperature)
            yield objective(batch, logprobs, entropies)
            entropy += float(entropies.detach().sum())
            num_tokens += len(batch.targets)
            if on_batch:
                on_batch(batch)

    metrics = descend(
        policy.model, policy.optimizer, parts(), learning_rate=learning_rate, max_norm=policy.max_grad_norm, seed=seed
    )
    policy.version += 1
    return {**metrics, "entropy": entropy / num_tokens, "num_tokens_trained": float(num_tokens)}


def descend(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    parts: Iterable[Tensor],
    *,
    learning_rate: float,
    max_norm: float,
    seed: int,
) -> dict[str, float]:
    """One update of `model` by the gradient of the sum of `parts`, each made and gone through before the next.

    Returns ``loss``, ``grad_norm`` (before it is scaled down to `max_norm`) and ``learning_rate``. Raises TahrError,
    before the weights change, where the loss or the gradient is not finite.
    """
    optimizer.zero_grad(set_to_none=True)
    loss = 0.0
    model.train()
    torch.manual_seed(seed)
    for part in parts:
        part.backward()
        loss += float(part.detach())
    model.eval()
    grad_norm = float(torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm))
    if not (math.isfinite(loss) and math.isfinite(grad_norm)):
        raise TahrError(
            "the loss or its gradient is not a finite number; the weights were left as they were",
            received=f"loss {loss}, gradient norm {grad_norm}",
            instead="a lower learning_rate, a milder loss (a smaller clip_high, another beta), or dtype = 'float32'",
        )
    for group in optimizer.param_groups:
        group["lr"] = learning_rate
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return {"loss": loss, "grad_norm": grad_norm, "learning_rate": learning_rate}
