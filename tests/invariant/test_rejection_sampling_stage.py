"""The stage rejection_sampling: what it keeps, that it learns it, and that it ends the same when it is interrupted."""

from __future__ import annotations

import signal

import pytest
import torch
from safetensors.torch import load_file

from small_distillation import make_teacher
from small_recipes import CrashAfter, CrashError
from small_rejection import REJECTION, write_rejection
from tahr.core.errors import TahrError
from tahr.core.progress import SilentProgress
from tahr.models.chat import ChatRenderer
from tahr.models.scratch import make_tokenizer
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.rollout.collect import Collector
from tahr.store.metrics import is_timing
from tahr.store.query import sql
from tahr.store.run import Run
from tahr.training.rejection_sampling import RejectionSampling
from tahr.training.sampled_parts import SampledParts

pytestmark = pytest.mark.slow  # every test trains

STAGE = "rejection_sampling"


def train(folder, overrides=(), progress=None, text=REJECTION, **places):
    loaded = load_recipe(write_rejection(folder, text), overrides)
    places = places or {"folder": folder / "run"}
    return run_recipe(loaded, runs_root=folder, progress=progress or SilentProgress(), **places)


def results(run: Run):
    metrics = [(row.step, {k: v for k, v in row.metrics.items() if not is_timing(k)}) for row in run.metrics()]
    rollouts = sql(run.folder, "SELECT * EXCLUDE (filename) FROM rollouts ORDER BY step, group_id, index", ()).rows
    return metrics, rollouts, load_file(run.folder / "model" / "model.safetensors")


def assert_same(left, right):
    assert left[0] == right[0]
    assert left[1] == right[1]
    assert all(torch.equal(right[2][name], weight) for name, weight in left[2].items())


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    return train(tmp_path_factory.mktemp("unbroken"))


def test_rounds_sample_from_the_policy_as_it_then_is(unbroken):
    metrics = unbroken.metrics()
    assert [row.step for row in metrics if "pass_rate" in row.metrics] == [1, 5]
    versions = sql(unbroken.folder, "SELECT DISTINCT step, policy_version FROM rollouts ORDER BY step", ()).rows
    assert [tuple(row) for row in versions] == [(1, 0), (5, len([row for row in metrics if row.step < 5]))]


def test_what_is_kept_passes_whole_and_at_most_twice_a_task(unbroken):
    rows = sql(
        unbroken.folder,
        "SELECT group_id, outcome, finish_reason, completion FROM rollouts WHERE advantage = 1",
        (),
    ).rows
    assert rows
    assert {row[1] for row in rows} == {"pass"}
    assert {row[2] for row in rows} == {"stop"}
    by_group = {}
    for group, _, _, text in rows:
        by_group.setdefault(group, []).append(text)
    assert all(len(texts) == len(set(texts)) <= 2 for texts in by_group.values())
    kept = sum(row.metrics.get("num_kept", 0) for row in unbroken.metrics())
    assert kept == len(rows)


@pytest.mark.parametrize("count", [1, 4, 6])
def test_B1_a_run_that_fails_after_any_step_and_goes_on_ends_equal(count, unbroken, tmp_path):
    with pytest.raises(CrashError):
        train(tmp_path, progress=CrashAfter(count))
    assert_same(results(unbroken), results(train(tmp_path, resume=tmp_path / "run")))


class CrashWhileSampling(SilentProgress):
    """Raises after so many attempts."""

    def __init__(self, count):
        self.left = count

    def advance(self, count=1):
        self.left -= count
        if self.left <= 0:
            raise CrashError


def test_what_was_sampled_before_a_crash_is_not_sampled_again(unbroken, tmp_path, monkeypatch):
    with pytest.raises(CrashError):
        train(tmp_path, progress=CrashWhileSampling(37))
    asked = []
    collect = Collector.collect

    async def counting(self, tasks, **settings):
        asked.append(len(tasks))
        return await collect(self, tasks, **settings)

    monkeypatch.setattr(Collector, "collect", counting)
    run = train(tmp_path, resume=tmp_path / "run")
    assert sum(asked) == 24 - 8  # two parts of four tasks were whole
    assert_same(results(unbroken), results(run))
    assert not (run.folder / "sampled").exists()


def test_the_policy_learns_what_is_kept(tmp_path):
    """Answers that are cut off never are: of an untrained model they are half."""
    more = ["steps=45", "rounds=3", "tasks_per_round=32", "max_epochs=10", "learning_rate=1e-2", "keep.prefer=shortest"]
    more = [f"rejection_sampling.{setting}" for setting in more]
    run = train(tmp_path, more)
    rounds = [row.metrics for row in run.metrics() if "pass_rate" in row.metrics]
    assert rounds[0]["truncated_share"] > 0.4
    assert rounds[-1]["truncated_share"] < 0.5 * rounds[0]["truncated_share"]
    assert rounds[-1]["kept_share"] > rounds[0]["kept_share"]


def test_a_round_ends_early_where_it_has_little_to_learn(tmp_path):
    run = train(tmp_path, ["rejection_sampling.max_epochs=1", "rejection_sampling.batch_size=1000"])
    assert [row.step for row in run.metrics()] == [1, 5]
    assert run.latest_checkpoint().step == 8


def test_where_nothing_passes_the_run_says_so(tmp_path):
    text = REJECTION.replace('verifier = "small_recipes:EvenLength"\n', "")
    with pytest.raises(TahrError, match="no attempt of round 1 passes"):
        train(tmp_path, text=text)


def test_where_no_round_keeps_anything_the_run_fails_also_when_it_goes_on(tmp_path):
    strict = ["rejection_sampling.keep.min_reward=5"]
    with pytest.raises(TahrError, match="no attempt of any round is kept: nothing is learnt") as caught:
        train(tmp_path, strict)
    assert "min_reward=5" in str(caught.value)
    run = Run.open(tmp_path / "run")
    assert [row.metrics["num_kept"] for row in run.metrics()] == [0, 0]  # each of both rounds was tried
    with pytest.raises(TahrError, match="no attempt of any round is kept"):
        train(tmp_path, strict, resume=tmp_path / "run")
    assert Run.open(tmp_path / "run").status == "failed"


def test_ctrl_c_while_sampling_loses_nothing_that_was_sampled(unbroken, tmp_path, monkeypatch):
    write, written = SampledParts.write, []

    def interrupting(self, part, groups):
        write(self, part, groups)
        written.append(part)
        if len(written) == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(SampledParts, "write", interrupting)
    run = train(tmp_path)
    assert (run.status, written, run.metrics()) == ("interrupted", [0, 1], [])
    assert_same(results(unbroken), results(train(tmp_path, resume=tmp_path / "run")))
    assert written == [0, 1, 2, 0, 1, 2]  # two rounds of three parts, none twice


def test_rlvr_goes_on_from_what_was_learnt(tmp_path):
    text = REJECTION.replace('["rejection_sampling"]', '["rejection_sampling", "rlvr"]')
    text += "\n[rlvr]\ntasks = { reverse = 1.0 }\nsteps = 1\nsampling = { max_new_tokens = 8 }\n"
    run = train(tmp_path, text=text)
    assert run.status == "finished"
    updates = len([row for row in run.metrics() if row.stage == STAGE])
    (version,) = sql(run.folder, "SELECT DISTINCT policy_version FROM rollouts WHERE stage = 'rlvr'", ()).rows
    assert version[0] == updates
    assert train(tmp_path, text=text, reuse=True).folder == run.folder  # nothing has changed, so nothing is done


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    return make_teacher(tmp_path_factory.mktemp("teacher"))


def trained_on(monkeypatch, folder, text):
    """The prompts and answers, as ids, of all samples that the stage learns."""
    learnt = []
    monkeypatch.setattr(RejectionSampling, "_learn", lambda _self, this, _begin, _first: bool(learnt.append(this)))
    train(folder, ["rejection_sampling.steps=2", "rejection_sampling.rounds=1", "eval="], text=text)
    return learnt[0]


def test_a_teacher_of_the_same_tokens_is_learnt_as_it_was_sampled(teacher, tmp_path, monkeypatch):
    text = REJECTION.replace("group_size = 4", f'group_size = 4\nmodel = "{teacher}"')
    this = trained_on(monkeypatch, tmp_path, text)
    turns = {one.trajectory.turns[0].completion.token_ids for group in this.groups for one in group.scored}
    assert this.samples
    assert {sample.token_ids[sample.prompt_length :] for sample in this.samples} <= turns


def test_a_teacher_of_other_tokens_is_encoded_anew(teacher, tmp_path, monkeypatch):
    """The student's alphabet lies in another order: the same words are other ids, and they end with its own end."""
    alphabet = "[tasks.reverse]\n"
    reverse = f'alphabet = "zyxwvutsrqponmlkjihgfedcba0123456789 .,:+-*/=()?\'"\n\n{alphabet}'
    text = REJECTION.replace("group_size = 4", f'group_size = 4\nmodel = "{teacher}"').replace(alphabet, reverse)
    this = trained_on(monkeypatch, tmp_path, text)
    config = load_recipe(write_rejection(tmp_path, text)).recipe.model
    renderer = ChatRenderer(make_tokenizer(config.architecture, 48))
    kept = [
        one.text
        for group, keep in zip(this.groups, this.kept, strict=True)
        for one, wanted in zip(group.scored, keep, strict=True)
        if wanted
    ]
    assert kept
    assert [sample.token_ids[sample.prompt_length :] for sample in this.samples] == [*map(renderer.encode_answer, kept)]
