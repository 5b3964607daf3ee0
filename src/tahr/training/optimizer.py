"""AdamW over the trainable weights, with a schedule that is a pure function of the update's number."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import nn

from tahr.training.config import OptimizerConfig


def make_optimizer(parameters: Iterable[nn.Parameter], config: OptimizerConfig) -> torch.optim.AdamW:
    """AdamW (Loshchilov and Hutter 2019). Weight decay spares norms and biases, as is usual."""
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    groups = [
        {"params": [p for p in trained if p.dim() >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in trained if p.dim() < 2], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    betas = (config.beta1, config.beta2)
    return torch.optim.AdamW(groups, lr=0.0, betas=betas, eps=config.epsilon, fused=True)


def learning_rate(update: int, *, peak: float, total: int, config: OptimizerConfig) -> float:
    """The rate of update number `update` (from 0) of `total`: a linear warm-up, then the schedule.

    "cosine" and "linear" reach 0 after the last update.
    """
    if update < config.warmup_steps:
        return peak * (update + 1) / config.warmup_steps
    progress = (update - config.warmup_steps) / max(total - config.warmup_steps, 1)
    if config.schedule == "cosine":
        return peak * 0.5 * (1 + math.cos(math.pi * progress))
    if config.schedule == "linear":
        return peak * (1 - progress)
    return peak
