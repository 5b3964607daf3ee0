from __future__ import annotations

import pytest

from small_rollouts import group
from tahr.core.types import failed, passed
from tahr.losses.config import AdvantageConfig
from tahr.losses.presets import PRESETS
from tahr.rollout.samples import credit
from tahr.training.config import RlvrConfig
from tahr.training.metrics import group_metrics

GROUPS = [
    group(passed(), passed()),
    group(passed(), failed("wrong")),
    group(failed("a", value=0.25), failed("b", value=0.5)),
    group(failed("a"), failed("b")),
]


@pytest.mark.parametrize("name", PRESETS)
def test_groups_without_spread_are_the_same_share_for_every_algorithm(name):
    config = RlvrConfig(tasks={"any": 1.0}, steps=1, algorithm=name).advantage
    credited = credit(GROUPS, config, greedy=[0.0] * 4)
    metrics = group_metrics(credited, config)
    assert metrics["zero_spread_share"] == 0.75
    assert metrics["num_groups_taught"] == (1 if config.needs_group else 4)
    by_reward = config.model_copy(update={"spread_in": "reward"})
    assert group_metrics(credited, by_reward)["zero_spread_share"] == 0.5


def test_passes_of_impossible_tasks_are_a_share_of_the_attempts_at_them():
    caught, honest = failed("cheat", parts={"canary": 1.0}), failed("a", parts={"canary": 0.0})
    groups = [group(passed(), passed()), group(caught, honest), group(honest, honest)]
    metrics = group_metrics(credit(groups, AdvantageConfig()), AdvantageConfig())
    assert metrics["canary_pass_share"] == 0.25
    assert "reward/canary" not in metrics
    assert "canary_pass_share" not in group_metrics(credit(GROUPS, AdvantageConfig()), AdvantageConfig())


def test_a_step_without_groups_has_no_share_of_them():
    assert group_metrics([], AdvantageConfig())["zero_spread_share"] == 0.0
