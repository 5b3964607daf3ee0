"""A stage that nothing has changed about is not trained again, and what is taken over equals what training gives."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from small_recipes import CrashAfter, CrashError, write_recipe
from tahr.core.progress import SilentProgress
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.metrics import is_timing
from tahr.store.run import Run

pytestmark = pytest.mark.slow  # every test trains


class Steps(SilentProgress):
    """Remembers which steps were trained and what was evaluated."""

    def __init__(self) -> None:
        self.trained: list[tuple[str, int]] = []
        self.evaluated: list[str] = []
        self._stage = ""

    def stage(self, name: str, *, total_steps: int, first_step: int) -> None:
        self._stage = name

    def step(self, step: int, metrics) -> None:
        self.trained.append((self._stage, step))

    def evaluation(self, name: str, mean) -> None:
        self.evaluated.append(name)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run]:
    """A finished run of both stages, in a folder of runs."""
    root = tmp_path_factory.mktemp("first")
    return root, run_recipe(load_recipe(write_recipe(root)), runs_root=root / "runs", progress=SilentProgress())


def again(first: tuple[Path, Run], tmp_path: Path, *overrides: str) -> tuple[Run, Steps]:
    """The recipe with `overrides`, where a copy of the first run lies."""
    shutil.copytree(first[0] / "runs", tmp_path / "runs")
    heard = Steps()
    loaded = load_recipe(write_recipe(tmp_path), overrides)
    return run_recipe(loaded, runs_root=tmp_path / "runs", progress=heard, reuse=True), heard


def model(run: Run) -> dict[str, torch.Tensor]:
    return load_file(run.folder / "model" / "model.safetensors")


def metrics(run: Run):
    return [(row.stage, row.step, {k: v for k, v in row.metrics.items() if not is_timing(k)}) for row in run.metrics()]


def test_nothing_changed_trains_nothing(first, tmp_path):
    run, heard = again(first, tmp_path)
    assert heard.trained == heard.evaluated == []
    assert run.folder.name == first[1].folder.name
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_a_change_in_the_second_stage_leaves_the_first(first, tmp_path):
    run, heard = again(first, tmp_path, "rlvr.learning_rate=3e-3")
    assert {stage for stage, _ in heard.trained} == {"rlvr"}
    assert "before" not in heard.evaluated and "after-sft" not in heard.evaluated
    assert run.manifest.reused == {"sft": first[1].folder.name}
    fresh = run_recipe(
        load_recipe(write_recipe(tmp_path), ["rlvr.learning_rate=3e-3"]),
        runs_root=tmp_path / "fresh",
        progress=SilentProgress(),
    )
    assert metrics(run) == metrics(fresh)
    assert run.evaluations() == fresh.evaluations()
    assert all(torch.equal(model(run)[name], weight) for name, weight in model(fresh).items())


@pytest.mark.parametrize("override", ["seed=6", "sft.learning_rate=2e-3", "sft.batch_size=7"])
def test_a_change_in_the_first_stage_trains_both(first, tmp_path, override):
    run, heard = again(first, tmp_path, override)
    assert {stage for stage, _ in heard.trained} == {"sft", "rlvr"}
    assert run.manifest.reused == {}


def test_another_evaluation_is_measured_on_the_stages_taken_over(first, tmp_path):
    run, heard = again(first, tmp_path, "eval.num_tasks=3")
    assert heard.trained == []
    assert heard.evaluated == ["before", "after-sft", "after"]
    assert {len(found.rows) for found in run.evaluations()} == {3}
    assert [found.name for found in run.evaluations()] == ["before", "after-sft", "after"]
    whole = {found.name: found for found in first[1].evaluations()}
    for found in run.evaluations():  # the same models answered: what they share of the tasks is equal
        rows = {row.task_id: row.text for row in whole[found.name].rows}
        assert all(rows[row.task_id] == row.text for row in found.rows)


def test_a_run_taken_over_can_be_taken_over(first, tmp_path):
    changed, _ = again(first, tmp_path, "rlvr.learning_rate=3e-3")
    shutil.rmtree(tmp_path / "runs" / first[1].folder.name)
    heard = Steps()
    loaded = load_recipe(write_recipe(tmp_path), ["rlvr.learning_rate=4e-3"])
    run = run_recipe(loaded, runs_root=tmp_path / "runs", progress=heard, reuse=True)
    assert {stage for stage, _ in heard.trained} == {"rlvr"}
    assert run.manifest.reused == {"sft": changed.folder.name}


def test_a_run_that_crashed_in_its_second_stage_gives_the_first(tmp_path):
    loaded = load_recipe(write_recipe(tmp_path))
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path / "runs", progress=CrashAfter(loaded.recipe.sft.steps + 1))
    heard = Steps()
    run_recipe(loaded, runs_root=tmp_path / "runs", progress=heard, reuse=True)
    assert {stage for stage, _ in heard.trained} == {"rlvr"}


def test_damage_is_passed_over(first, tmp_path):
    shutil.copytree(first[0] / "runs", tmp_path / "runs")
    (folder,) = (tmp_path / "runs").iterdir()
    for weights in folder.glob("checkpoints/*/trainable.safetensors"):
        weights.write_bytes(b"cut short")
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "manifest.json").write_text("{")
    heard = Steps()
    run_recipe(load_recipe(write_recipe(tmp_path)), runs_root=tmp_path / "runs", progress=heard, reuse=True)
    assert {stage for stage, _ in heard.trained} == {"sft", "rlvr"}


def test_without_reuse_all_is_trained(first, tmp_path):
    shutil.copytree(first[0] / "runs", tmp_path / "runs")
    heard = Steps()
    run_recipe(load_recipe(write_recipe(tmp_path)), runs_root=tmp_path / "runs", progress=heard)
    assert {stage for stage, _ in heard.trained} == {"sft", "rlvr"}
