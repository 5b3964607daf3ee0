"""B1 to B7: seeds, groups, absent rewards, what is logged, what is evaluated."""

from __future__ import annotations

import math
from statistics import fmean

import pytest
import torch
from safetensors.torch import load_file

from small_models import small_model
from small_recipes import CrashAfter, CrashError, write_recipe
from small_rollouts import Scripted, collect, group, make_task
from tahr.core.progress import SilentProgress
from tahr.core.protocols import Sampling
from tahr.core.types import Outcome, StopReason, broken, failed, passed
from tahr.data.splits import build_task_sets
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.evaluation.runner import evaluation_row
from tahr.losses.config import AdvantageConfig
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.rollout.samples import credit, to_samples
from tahr.store.metrics import is_timing
from tahr.store.rollouts import rollouts_path
from tahr.store.tables import read_table
from tahr.training.metrics import error_rate, group_metrics
from tahr.verifiers.build import build_verifiers


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """(recipe, run) of 6 supervised and 4 reinforced steps, unbroken."""
    folder = tmp_path_factory.mktemp("finished")
    loaded = load_recipe(write_recipe(folder))
    run = run_recipe(loaded, runs_root=folder, folder=folder / "run", progress=SilentProgress())
    return loaded.recipe, run


# ---- runs


def logged(run):
    return [(r.stage, r.step, {k: v for k, v in r.metrics.items() if not is_timing(k)}) for r in run.metrics()]


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 9])
def test_b1_a_resumed_run_ends_as_the_unbroken_one_bit_for_bit(count, finished, tmp_path):
    _, unbroken = finished
    loaded, folder = load_recipe(write_recipe(tmp_path)), tmp_path / "run"
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path, folder=folder, progress=CrashAfter(count))
    run = run_recipe(loaded, runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert logged(run) == logged(unbroken)
    assert run.evaluations() == unbroken.evaluations()
    left, right = (load_file(one.folder / "model" / "model.safetensors") for one in (run, unbroken))
    assert left.keys() == right.keys()
    assert all(torch.equal(left[name], right[name]) for name in left)


# ---- attempts and groups


class Numbers:
    """A renderer whose tokens are the small model's ids."""

    stop_token_ids = (2,)

    def render(self, messages):
        return (5, 6, 7)

    def decode(self, token_ids):
        return " ".join(map(str, token_ids))


def sampled(run_seed):
    """The completions of one group of 8, from a real engine."""
    engine = EmbeddedEngine(small_model("llama"), max_context=64)
    settings = {"group_size": 8, "sampling": Sampling(max_new_tokens=12)}
    (one,) = collect(engine, [make_task()], renderer=Numbers(), run_seed=run_seed, **settings)
    return [scored.trajectory.turns[0].completion.token_ids for scored in one.scored]


def test_b2_members_of_a_group_differ_and_repeat_with_the_run():
    first, again, other = sampled(1), sampled(1), sampled(2)
    assert len(set(first)) == 8
    assert first == again
    assert not set(first) & set(other)


def test_b2_every_attempt_has_a_seed_of_its_own():
    seeds = []
    for run_seed in (1, 1, 2):
        engine = Scripted()
        collect(engine, [make_task("a"), make_task("b"), make_task("a")], run_seed=run_seed)
        seeds.append([request.seed for request in engine.requests])
    assert len(set(seeds[0])) == 9
    assert seeds[0] == seeds[1]
    assert not set(seeds[0]) & set(seeds[2])


class Flaky:
    """A verifier set that breaks on the answer "crash"."""

    def verify(self, task, text):
        return broken("the judge is gone") if text == "crash" else failed(text)


def test_b3_failures_of_the_task_the_verifier_and_the_machine_are_told_apart():
    wrong = collect(Scripted("no"), [make_task()], group_size=1)[0].scored[0]
    unjudged = collect(Scripted("crash"), [make_task()], group_size=1, verifiers=Flaky())[0].scored[0]
    lost = collect(Scripted(fail=3), [make_task()], group_size=1)[0].scored[0]
    found = [(one.trajectory.stop_reason, one.verdict.outcome, one.reward is None) for one in (wrong, unjudged, lost)]
    assert found == [
        (StopReason.FINISHED, Outcome.FAIL, False),
        (StopReason.FINISHED, Outcome.ERROR, True),
        (StopReason.INFRASTRUCTURE, Outcome.ERROR, True),
    ]
    assert lost.trajectory.error == "connection lost"


def test_b3_infrastructure_failures_are_retried_then_dropped_and_counted():
    engine = Scripted(fail=2)
    assert collect(engine, [make_task()], group_size=1)[0].rewards == (1.0,)
    assert len(engine.requests) == 3
    # the first attempt uses up its three tries, the second needs its third
    groups = collect(Scripted(fail=5), [make_task()], group_size=3)
    assert groups[0].rewards == (None, 1.0, 1.0)
    credited = credit(groups, AdvantageConfig())
    assert group_metrics(credited, AdvantageConfig())["dropped_attempts"] == 1.0
    assert error_rate(groups) == pytest.approx(1 / 3)
    assert len(to_samples(credited)) == 2


def test_b4_an_attempt_without_a_reward_is_absent_and_beats_nobody():
    """Rewards -1 and none: with 0 for the absent one, having done nothing would be the better half."""
    attempts = group(failed("harmful", value=-1.0), failed("harmful", value=-1.0), broken("nothing was done"))
    (credited,) = credit([attempts], AdvantageConfig(scale="none"))
    assert credited.advantages == (0.0, 0.0, None)
    assert len(to_samples([credited])) == 2
    assert group_metrics([credited], AdvantageConfig())["reward"] == -1.0
    assert evaluation_row(attempts.task, attempts.scored[2]).score is None


def test_b5_attempts_are_grouped_by_task_in_order():
    tasks = [make_task("a"), make_task("b", "no")]
    groups = collect(Scripted(), tasks)
    assert [one.task for one in groups] == tasks
    assert [one.rewards for one in groups] == [(1.0,) * 3, (0.0,) * 3]
    assert [scored.trajectory.index for scored in groups[1].scored] == [0, 1, 2]
    # each is compared with those at its own task: nobody stands out, though the batch's mean is 0.5
    for credited in credit(groups, AdvantageConfig()):
        assert credited.advantages == (0.0,) * 3


def test_b5_a_task_that_comes_twice_makes_two_groups():
    groups = collect(Scripted(), [make_task("a"), make_task("a")])
    ids = {scored.trajectory.group_id for one in groups for scored in one.scored}
    assert [len(one.scored) for one in groups] == [3, 3]
    assert len(ids) == 2


# ---- what is logged, what is evaluated


def test_b6_logged_metrics_equal_those_recomputed_from_the_stored_rollouts(finished):
    _, run = finished
    rows_of_rlvr = [row for row in run.metrics() if row.stage == "rlvr"]
    assert len(rows_of_rlvr) == 4
    for row in rows_of_rlvr:
        stored = read_table(rollouts_path(run.folder, "rlvr", row.step)).to_pylist()
        judged = [one for one in stored if one["reward"] is not None]
        expected = {
            "reward": fmean(one["reward"] for one in judged),
            "correct": fmean(one["correct"] for one in judged),
            f"reward/{stored[0]['domain']}": fmean(one["reward"] for one in judged),
            "advantage_mean": fmean(one["advantage"] for one in judged),
            "completion_length": fmean(one["num_tokens"] for one in judged),
            "num_tokens_sampled": sum(one["num_tokens"] for one in stored),
            "truncated_share": fmean(one["finish_reason"] == "length" for one in judged),
            "dropped_attempts": len(stored) - len(judged),
        }
        assert {name: row.metrics[name] for name in expected} == pytest.approx(expected)
        taught = {
            one["group_id"]
            for one in judged
            if len({x["correct"] for x in judged if x["group_id"] == one["group_id"]}) > 1
        }
        assert row.metrics["zero_spread_share"] == pytest.approx(
            1 - len(taught) / len({one["group_id"] for one in stored})
        )
        assert row.metrics["num_tokens_trained"] == sum(
            sum(one["loss_mask"]) for one in judged if one["group_id"] in taught
        )


def test_b6_a_weighted_reward_is_logged_as_it_is_trained_on():
    attempts = group(passed(parts={"format": 0.5}), failed("wrong", value=0.25, parts={"format": 1.0}))
    metrics = group_metrics(credit([attempts], AdvantageConfig()), AdvantageConfig())
    assert metrics["reward"] == pytest.approx(0.625)
    assert metrics["correct"] == 0.5
    assert metrics["reward/format"] == pytest.approx(0.75)
    assert math.isclose(metrics["reward/default"], metrics["reward"])


def test_b7_evaluations_come_at_every_interval_and_on_held_out_tasks(finished):
    recipe, run = finished
    found = {one.name: one for one in run.evaluations()}
    assert list(found) == ["before", "after-sft", "step-000002", "step-000004", "after"]
    assert [one.split for one in found.values()] == ["test", "test", "validation", "validation", "test"]
    trained = set()
    for step in range(1, 5):
        trained |= set(read_table(rollouts_path(run.folder, "rlvr", step)).column("task_id").to_pylist())
    tasks = build_task_sets(recipe.tasks, build_verifiers(recipe.verifiers))["reverse"]
    assert trained <= {task.id for task in tasks.train}
    for one in found.values():
        evaluated = {row.task_id for row in one.rows}
        assert len(evaluated) == 8
        assert evaluated <= {task.id for task in getattr(tasks, one.split)}
        assert not evaluated & {task.id for task in tasks.train}
