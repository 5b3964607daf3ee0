from __future__ import annotations

import pytest
import torch
from torch import nn

from tahr.training.config import OptimizerConfig
from tahr.training.optimizer import learning_rate, make_optimizer


def rates(total, **settings):
    config = OptimizerConfig(**settings)
    return [learning_rate(update, peak=1.0, total=total, config=config) for update in range(total)]


def test_schedules():
    assert rates(3) == [1.0, 1.0, 1.0]
    assert rates(4, schedule="linear") == [1.0, 0.75, 0.5, 0.25]
    assert rates(4, schedule="cosine") == pytest.approx([1.0, 0.8535534, 0.5, 0.1464466])
    assert rates(4, warmup_steps=2) == [0.5, 1.0, 1.0, 1.0]
    assert rates(4, warmup_steps=2, schedule="linear") == [0.5, 1.0, 1.0, 0.5]


def test_decay_spares_norms_and_frozen_weights_are_left_out():
    model = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 2))
    model[2].requires_grad_(False)
    optimizer = make_optimizer(model.parameters(), OptimizerConfig(weight_decay=0.1))
    decays = {id(p): group["weight_decay"] for group in optimizer.param_groups for p in group["params"]}
    assert decays == {
        id(model[0].weight): 0.1,
        id(model[0].bias): 0.0,
        id(model[1].weight): 0.0,
        id(model[1].bias): 0.0,
    }


def test_one_step_is_adamw():
    weight = nn.Parameter(torch.tensor([[1.0, -2.0]]))
    optimizer = make_optimizer([weight], OptimizerConfig(weight_decay=0.1))
    optimizer.param_groups[0]["lr"] = 0.01
    weight.grad = torch.tensor([[0.5, -3.0]])
    optimizer.step()
    # the first step moves by the learning rate against the gradient's sign, after decay by 0.001
    assert weight.tolist()[0] == pytest.approx([0.999 - 0.01, -1.998 + 0.01])
