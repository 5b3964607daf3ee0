"""Pairs that the stage dpo builds from its own policy: what they are, and that a kill in any place changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from small_build import SMALL_BUILD, write_build_recipe
from small_recipes import CrashAfter, CrashError, EvenLength
from tahr.core.progress import SilentProgress
from tahr.engines.chat import EngineChat
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.metrics import is_timing

pytestmark = pytest.mark.slow  # every test trains

FILES = ("pairs.jsonl", "candidates.jsonl", "judgments.jsonl")


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAHR_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def go(folder: Path, progress=None, text=SMALL_BUILD, **places):
    loaded = load_recipe(write_build_recipe(folder, text))
    places = places or {"folder": folder / "run"}
    return run_recipe(loaded, runs_root=folder, progress=progress or SilentProgress(), **places)


def lines(run, name):
    return sorted((run.folder / "preferences" / name).read_text().splitlines())


def assert_same(left, right):
    metrics = [
        [(row.step, {k: v for k, v in row.metrics.items() if not is_timing(k)}) for row in run.metrics()]
        for run in (left, right)
    ]
    assert metrics[0] == metrics[1]
    weights = [load_file(run.folder / "model" / "model.safetensors") for run in (left, right)]
    assert all(torch.equal(weights[1][name], weight) for name, weight in weights[0].items())
    assert all(lines(left, name) == lines(right, name) for name in FILES)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    return go(tmp_path_factory.mktemp("unbroken"))


def test_the_pairs_are_the_policys_own_and_say_where_they_come_from(unbroken):
    pairs = [json.loads(line) for line in lines(unbroken, "pairs.jsonl")]
    assert pairs
    for pair in pairs:
        origin = pair["provenance"]
        assert len(pair["chosen"]) % 2 == 0 and len(pair["rejected"]) % 2 == 1
        assert origin["judge"] == "verifier"
        assert origin["chosen_model"] == origin["rejected_model"] and origin["chosen_model"].startswith("policy:")
        assert origin["chosen_rating"] - origin["rejected_rating"] == pair["margin"] > 0
        assert origin["chosen_sampling"]["seed"] != origin["rejected_sampling"]["seed"]
    assert len(lines(unbroken, "candidates.jsonl")) == 12 * 4


@pytest.mark.parametrize("count", [1, 5])
def test_B1_a_run_that_fails_while_it_learns_ends_equal(count, unbroken, tmp_path):
    with pytest.raises(CrashError):
        go(tmp_path, CrashAfter(count))
    assert_same(unbroken, go(tmp_path, resume=tmp_path / "run"))


class CrashWhileBuilding(SilentProgress):
    """Raises after five questions."""

    done = 0

    def advance(self, count=1):
        self.done += count
        if self.done == 5:
            raise CrashError


def test_what_was_answered_before_a_crash_is_not_asked_again(unbroken, tmp_path, monkeypatch):
    with pytest.raises(CrashError):
        go(tmp_path, CrashWhileBuilding())
    journal = tmp_path / "run" / "preferences" / "candidates.jsonl"
    num_kept = len(journal.read_text().splitlines())
    with journal.open("a") as file:
        file.write('{"key": "cut o')  # what a kill leaves of the last line
    asked, chat = [], EngineChat.chat

    async def counting(self, messages, sampling, seed):
        asked.append(seed)
        return await chat(self, messages, sampling, seed)

    monkeypatch.setattr(EngineChat, "chat", counting)
    run = go(tmp_path, resume=tmp_path / "run")
    assert 20 <= num_kept < 48
    assert len(asked) == 48 - num_kept
    assert_same(unbroken, run)


@pytest.fixture
def asked(monkeypatch):
    """The seeds of what the policy is asked, and the answers that are judged."""
    found = {"policy": [], "judge": []}
    chat, verify = EngineChat.chat, EvenLength.verify

    async def counting(self, messages, sampling, seed):
        found["policy"].append(seed)
        return await chat(self, messages, sampling, seed)

    def judging(self, task, text):
        found["judge"].append(text)
        return verify(self, task, text)

    monkeypatch.setattr(EngineChat, "chat", counting)
    monkeypatch.setattr(EvenLength, "verify", judging)
    return found


def again(folder, *overrides, reuse=True):
    loaded = load_recipe(write_build_recipe(folder), overrides)
    return run_recipe(loaded, runs_root=folder / "runs", progress=SilentProgress(), reuse=reuse)


def test_pairs_are_not_built_again_where_only_the_training_changes(tmp_path, asked):
    first = again(tmp_path)
    kept = {name: (first.folder / "preferences" / name).read_bytes() for name in FILES}
    assert len(set(asked["judge"]) - {"ab"}) > 10
    asked["judge"].clear()
    training = ["dpo.learning_rate=2e-3", "dpo.loss.beta=0.3", "dpo.steps=4", "dpo.build.validation_percent=10"]
    second = again(tmp_path, *training)
    assert len(asked["policy"]) == 48 and len(set(asked["judge"]) - {"ab"}) == 0
    assert second.folder != first.folder and second.manifest.reused == {"dpo.build": first.folder.name}
    assert {name: (second.folder / "preferences" / name).read_bytes() for name in FILES} == kept
    assert [row.step for row in second.metrics()] == [1, 2, 3, 4]
    fresh = again(tmp_path, *training, reuse=False)
    assert len(asked["policy"]) == 96 and fresh.manifest.reused == {}
    assert_same(second, fresh)


def test_pairs_are_built_again_where_something_decides_about_them(tmp_path, asked):
    first = again(tmp_path)
    kept = [lines(first, name) for name in FILES]
    for count, change in enumerate(("dpo.build.sampling.temperature=0.9", "seed=4"), start=2):
        assert again(tmp_path, change).manifest.reused == {}
        assert len(asked["policy"]) == 48 * count
    assert [lines(first, name) for name in FILES] == kept


def test_an_interrupted_build_is_gone_on_with_by_another_run(unbroken, tmp_path, asked):
    loaded = load_recipe(write_build_recipe(tmp_path))
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path / "runs", progress=CrashWhileBuilding())
    (crashed,) = (tmp_path / "runs").iterdir()
    journal = (crashed / "preferences" / "candidates.jsonl").read_bytes()
    num_kept = len(journal.splitlines())
    asked["policy"].clear()
    run = again(tmp_path)
    assert len(asked["policy"]) == 48 - num_kept and run.manifest.reused == {"dpo.build": crashed.name}
    assert (crashed / "preferences" / "candidates.jsonl").read_bytes() == journal
    assert_same(unbroken, run)


OWN_JUDGE = (
    SMALL_BUILD.replace('stages = ["dpo"]', 'stages = ["reward_model", "dpo"]')
    + """
[dpo.build.judge]
kind = "reward_model"
args = { source = "run" }

[tasks.plain]
source = "reverse_text"
args = { min_length = 3, max_length = 4 }
num_tasks = 100

[reward_model]
tasks = ["plain"]
steps = 2
batch_size = 8
learning_rate = 1e-3
"""
)


def test_the_reward_model_of_an_earlier_stage_judges(tmp_path):
    run = go(tmp_path, text=OWN_JUDGE)
    pairs = [json.loads(line) for line in lines(run, "pairs.jsonl")]
    assert pairs and {pair["provenance"]["judge"] for pair in pairs} == {"reward_model:run"}
    assert all(pair["margin"] > 0 for pair in pairs)
