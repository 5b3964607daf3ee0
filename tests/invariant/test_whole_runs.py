"""Settings that meet only in a whole run of RLVR."""

from __future__ import annotations

import pytest

from small_recipes import write_recipe
from tahr.core.progress import SilentProgress
from tahr.recipe.check import check
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe

ALONE = ["stages=['rlvr']", "sft=", "eval=", "rlvr.evaluate_every=0", "rlvr.schedule.updates_per_step=1"]


def train(folder, *overrides):
    """The metrics of each step."""
    loaded = load_recipe(write_recipe(folder), [*ALONE, *overrides])
    run = run_recipe(loaded, runs_root=folder, folder=folder / "run", progress=SilentProgress())
    return [row.metrics for row in run.metrics()]


def test_two_domains_share_every_update_and_balancing_changes_their_shares(tmp_path):
    domains = [
        "tasks.sort={source='sort', num_tasks=200, verifier='small_recipes:EvenLength'}",
        "rlvr.tasks={reverse=3.0, sort=1.0}",
        "rlvr.groups_per_step=16",
        "rlvr.algorithm=reinforce",
        "rlvr.steps=2",
    ]
    found = {}
    for balance in ("false", "true"):
        folder = tmp_path / balance
        folder.mkdir()
        found[balance] = train(folder, *domains, f"rlvr.loss.balance_domains={balance}")
        for metrics in found[balance]:
            assert {"reward/reverse", "reward/sort"} <= metrics.keys()
            assert metrics["grad_share/reverse"] + metrics["grad_share/sort"] == pytest.approx(1.0)
    plain, balanced = found["false"][0], found["true"][0]
    assert plain["reward"] == balanced["reward"]
    # a quarter of the tasks gets half of the weight
    assert balanced["grad_share/sort"] > plain["grad_share/sort"] > 0


@pytest.mark.parametrize(("place", "name"), [("loss", "kl_reference"), ("reward", "kl_penalty")])
@pytest.mark.parametrize("algorithm", ["grpo", "ppo"])
def test_the_reference_is_asked_at_the_temperature_of_the_sampler(place, name, algorithm, tmp_path):
    """In the first step it is the policy itself: k2, a square, is 0 only where both are at one temperature."""
    kl = [f"rlvr.loss.kl.place={place}", "rlvr.loss.kl.coefficient=0.5", "rlvr.loss.kl.estimator=k2"]
    first, *later = train(tmp_path, "rlvr.sampling.temperature=0.7", f"rlvr.algorithm={algorithm}", "rlvr.steps=3", *kl)
    assert abs(first[name]) < 1e-9
    assert later[-1][name] > 1e-5


def test_a_sampler_more_steps_behind_than_there_are_stays_with_the_first_policy(tmp_path):
    lag = ["rlvr.schedule.max_policy_lag=9", "rlvr.algorithm=decoupled"]
    steps = train(tmp_path, *lag)
    assert [metrics["policy_lag"] for metrics in steps] == [0.0, 1.0, 2.0, 3.0]
    assert all(metrics["grad_norm"] > 0 for metrics in steps)
    warnings = check(load_recipe(write_recipe(tmp_path), [*ALONE, *lag]).recipe).warnings
    assert any("every step is sampled from the first policy" in warning for warning in warnings)
    warnings = check(load_recipe(write_recipe(tmp_path), [*ALONE, "rlvr.schedule.max_policy_lag=2"]).recipe).warnings
    assert not any("first policy" in warning for warning in warnings)
