"""B1: a run that is stopped at any step and resumed ends as the unbroken run does, bit for bit."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from small_recipes import CrashAfter, CrashError, write_recipe
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.lock import is_locked
from tahr.store.metrics import is_timing
from tahr.store.run import Run

pytestmark = pytest.mark.slow  # every test trains

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}


def results(run: Run):
    metrics = [
        (row.stage, row.step, {k: v for k, v in row.metrics.items() if not is_timing(k)}) for row in run.metrics()
    ]
    return metrics, load_file(run.folder / "model" / "model.safetensors"), run.evaluations()


def assert_same(left, right):
    assert left[0] == right[0]
    assert left[2] == right[2]
    assert left[1].keys() == right[1].keys()
    assert all(torch.equal(left[1][name], right[1][name]) for name in left[1])


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    loaded = load_recipe(write_recipe(folder))
    found = results(run_recipe(loaded, runs_root=folder, folder=folder / "run", progress=SilentProgress()))
    # equal runs prove little where nothing was learned
    assert all(metrics["grad_norm"] > 0 for stage, _, metrics in found[0] if stage == "rlvr")
    return found


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7, 8, 10])
def test_a_run_that_fails_after_any_step_and_goes_on_ends_equal(count, unbroken, tmp_path):
    loaded = load_recipe(write_recipe(tmp_path))
    folder = tmp_path / "run"
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path, folder=folder, progress=CrashAfter(count))
    assert Run.open(folder).status == "failed"
    run = run_recipe(loaded, runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert run.status == "finished"
    assert_same(unbroken, results(run))


class CrashInEvaluation(SilentProgress):
    """Raises when the evaluation between the stages begins, or when it has been kept."""

    def __init__(self, *, kept):
        self.kept = kept

    def phase(self, name, *, total):
        if not self.kept and name == "evaluating (after-sft)":
            raise CrashError

    def evaluation(self, name, score):
        if self.kept and name == "after-sft":
            raise CrashError


@pytest.mark.parametrize("kept", [False, True])
def test_a_run_that_fails_between_its_stages_goes_on_from_there(kept, unbroken, tmp_path):
    loaded = load_recipe(write_recipe(tmp_path))
    folder = tmp_path / "run"
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path, folder=folder, progress=CrashInEvaluation(kept=kept))
    assert [one.name for one in Run.open(folder).evaluations()] == ["before", *["after-sft"] * kept]
    run = run_recipe(loaded, runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert [one.name for one in run.evaluations()][:2] == ["before", "after-sft"]
    assert_same(unbroken, results(run))


ALGORITHMS = {
    "critic": ["rlvr.algorithm=ppo"],
    "reference": ["rlvr.loss.kl.coefficient=0.05", "rlvr.loss.kl.place=reward"],
    "reference in the loss": ["rlvr.algorithm=grpo_published"],
    "lag": ["rlvr.schedule.max_policy_lag=2", "rlvr.algorithm=decoupled"],
    "greedy": ["rlvr.algorithm=remax"],
    "chosen tokens": ["rlvr.algorithm=clip_cov", "rlvr.loss.covariance.low=-10", "rlvr.loss.covariance.share=0.2"],
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_whatever_an_algorithm_carries_along_goes_on_too(name, tmp_path):
    loaded = load_recipe(write_recipe(tmp_path), ["rlvr.checkpoint_every=1", "rlvr.steps=5", *ALGORITHMS[name]])
    whole = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "whole", progress=SilentProgress())
    folder = tmp_path / "run"
    with pytest.raises(CrashError):  # 6 steps of sft, then 3 of rlvr
        run_recipe(loaded, runs_root=tmp_path, folder=folder, progress=CrashAfter(9))
    run = run_recipe(loaded, runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert_same(results(whole), results(run))


@pytest.mark.parametrize("lines", [1, 5, 8])
def test_a_run_killed_with_sigkill_goes_on_to_the_same_end(lines, unbroken, tmp_path):
    recipe, folder = write_recipe(tmp_path), tmp_path / "run"
    command = [sys.executable, "-m", "tahr", "train"]
    process = subprocess.Popen([*command, str(recipe), "--run-dir", str(folder)], env=ENVIRONMENT)
    metrics = folder / "metrics.jsonl"
    deadline = time.monotonic() + 120
    while not (metrics.exists() and metrics.read_bytes().count(b"\n") >= lines):
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert Run.open(folder).status == "interrupted"
    subprocess.run([*command, "--resume", str(folder)], env=ENVIRONMENT, check=True)
    assert_same(unbroken, results(Run.open(folder)))


def test_ctrl_c_finishes_the_step_and_says_how_to_go_on(unbroken, tmp_path):
    recipe, folder = write_recipe(tmp_path), tmp_path / "run"
    command = [sys.executable, "-m", "tahr", "train"]
    arguments = [*command, str(recipe), "--run-dir", str(folder)]
    process = subprocess.Popen(arguments, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    metrics = folder / "metrics.jsonl"
    deadline = time.monotonic() + 120
    while not (metrics.exists() and metrics.read_bytes().count(b"\n") >= 2):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert f"tahr train --resume {folder}" in output
    run = Run.open(folder)
    assert run.status == "interrupted"
    checkpoint = run.latest_checkpoint()
    assert checkpoint is not None
    assert checkpoint.step == run.metrics()[-1].step
    subprocess.run([*command, "--resume", str(folder)], env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
    assert_same(unbroken, results(Run.open(folder)))


def test_a_run_folder_that_exists_is_refused_before_anything_is_loaded(tmp_path: Path):
    loaded = load_recipe(write_recipe(tmp_path))
    (tmp_path / "run").mkdir()
    with pytest.raises(InputError, match="exists already"):
        run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())


def crashed(tmp_path: Path, count: int = 8) -> tuple[Path, Path]:
    """A recipe, and the folder of its run, which failed after `count` steps (two checkpoints are kept)."""
    recipe, folder = write_recipe(tmp_path), tmp_path / "run"
    with pytest.raises(CrashError):
        run_recipe(load_recipe(recipe), runs_root=tmp_path, folder=folder, progress=CrashAfter(count))
    return recipe, folder


class Heard(SilentProgress):
    """Keeps what it is told."""

    def __init__(self):
        self.messages = []

    def message(self, text):
        self.messages.append(text)


@pytest.mark.parametrize("name", ["trainable.safetensors", "optimizer.pt", "state.json", "checkpoint.json"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_serves(name, unbroken, tmp_path):
    recipe, folder = crashed(tmp_path, 10)  # within the second stage: the end of one needs no optimizer
    newest = Run.open(folder).latest_checkpoint()
    assert newest is not None
    damaged = newest.folder / name
    damaged.write_bytes(damaged.read_bytes()[:20])
    heard = Heard()
    run = run_recipe(load_recipe(recipe), runs_root=tmp_path, resume=folder, progress=heard)
    assert any("is damaged" in text and newest.folder.name in text for text in heard.messages)
    assert_same(unbroken, results(run))


@pytest.mark.parametrize("name", ["optimizer.pt", "trainable.safetensors"])
def test_a_file_that_is_gone_is_damage_too(name, unbroken, tmp_path):
    recipe, folder = crashed(tmp_path, 10)  # within the second stage: the end of one needs no optimizer
    newest = Run.open(folder).latest_checkpoint()
    assert newest is not None
    (newest.folder / name).unlink()
    heard = Heard()
    run = run_recipe(load_recipe(recipe), runs_root=tmp_path, resume=folder, progress=heard)
    assert any("is damaged" in text and newest.folder.name in text for text in heard.messages)
    assert_same(unbroken, results(run))


@pytest.mark.parametrize("name", ["state.json", "checkpoint.json"])
def test_without_any_checkpoint_that_can_be_read_the_run_stays_as_it_was(name, tmp_path):
    recipe, folder = crashed(tmp_path)
    for checkpoint in Run.open(folder).checkpoints():
        (checkpoint.folder / name).write_text("{}")
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(InputError, match=r"is damaged|can be read"):
        run_recipe(load_recipe(recipe), runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert (folder / "manifest.json").read_bytes() == before


@pytest.mark.parametrize("damage", [None, b"short"])
def test_without_the_reference_that_it_began_with_the_run_stays_as_it_was(damage, tmp_path):
    loaded = load_recipe(write_recipe(tmp_path), ["rlvr.algorithm=grpo_published"])
    folder = tmp_path / "run"
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path, folder=folder, progress=CrashAfter(9))
    path = folder / "reference.safetensors"
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(InputError, match=r"the reference policy .* is missing or damaged"):
        run_recipe(loaded, runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert (folder / "manifest.json").read_bytes() == before


def test_a_run_that_another_process_writes_is_left_to_it_before_anything_is_loaded(tmp_path):
    recipe, folder = crashed(tmp_path)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    heard = Heard()
    with Run.open(folder, write=True), pytest.raises(InputError, match="another process is writing the run"):
        run_recipe(load_recipe(recipe), runs_root=tmp_path, resume=folder, progress=heard)
    assert heard.messages == []
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_of_two_that_resume_at_once_one_is_refused_and_the_other_ends_as_if_alone(unbroken, tmp_path):
    recipe, folder = crashed(tmp_path)
    command = [sys.executable, "-m", "tahr", "train", "--resume", str(folder)]
    first = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not is_locked(folder):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    with pytest.raises(InputError, match=f"process {first.pid} holds its lock"):
        run_recipe(load_recipe(recipe), runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert first.wait(timeout=120) == 0
    assert_same(unbroken, results(Run.open(folder)))


def test_a_run_folder_that_may_not_be_written_is_named(tmp_path, monkeypatch):
    recipe, folder = crashed(tmp_path)
    real = os.open

    def refuse(path, flags, *arguments):
        if flags & os.O_RDWR and str(path).startswith(str(folder)):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, *arguments)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match=f"{folder} can't be written to"):
        run_recipe(load_recipe(recipe), runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert Run.open(folder).status == "failed"


def test_an_edited_recipe_is_not_gone_on_with(tmp_path):
    recipe, folder = crashed(tmp_path)
    before = (folder / "manifest.json").read_bytes()
    edited = load_recipe(recipe, ["rlvr.learning_rate=0.5"])
    with pytest.raises(InputError, match="not the one that this run started with") as caught:
        run_recipe(edited, runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert "rlvr" in str(caught.value.received)
    assert (folder / "manifest.json").read_bytes() == before


def test_a_finished_run_that_can_not_go_on_stays_finished(tmp_path):
    loaded = load_recipe(write_recipe(tmp_path))
    run = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    with pytest.raises(InputError):
        run_recipe(
            load_recipe(write_recipe(tmp_path), ["seed=4"]),
            runs_root=tmp_path,
            resume=run.folder,
            progress=SilentProgress(),
        )
    assert Run.open(run.folder).status == "finished"
