"""B1 with adapters: whatever an algorithm carries along is of the adapters, and goes on bit for bit."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import load_file

from small_recipes import CrashAfter, CrashError, write_recipe
from tahr.core.progress import SilentProgress
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.metrics import is_timing


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A folder with a model that has learned a little: adapters on random weights can't."""
    folder = tmp_path_factory.mktemp("source")
    loaded = load_recipe(write_recipe(folder), ["stages=['sft']", "rlvr=", "eval=", "sft.steps=30"])
    return run_recipe(loaded, runs_root=folder, folder=folder / "run", progress=SilentProgress()).folder / "model"


ALGORITHMS = {
    "critic": ["rlvr.algorithm=ppo"],
    "reference": ["rlvr.loss.kl.coefficient=0.05", "rlvr.loss.kl.place=reward"],
    "reference in the loss": ["rlvr.algorithm=grpo_published"],
    "critic and reference": ["rlvr.algorithm=ppo", "rlvr.loss.kl.coefficient=0.05", "rlvr.loss.kl.place=reward"],
    "lag": ["rlvr.schedule.max_policy_lag=2", "rlvr.algorithm=decoupled"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_adapters_go_on_with_all_that_an_algorithm_carries_along(name, source, tmp_path):
    adapters = f"model={{source='{source}', max_context=48, lora={{rank=4, alpha=8}}}}"
    settings = [adapters, "rlvr.learning_rate=1e-2", "rlvr.checkpoint_every=1", "rlvr.steps=5", *ALGORITHMS[name]]
    loaded = load_recipe(write_recipe(tmp_path), settings)
    whole = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "whole", progress=SilentProgress())
    folder = tmp_path / "run"
    with pytest.raises(CrashError):  # 6 steps of sft, then 3 of rlvr
        run_recipe(loaded, runs_root=tmp_path, folder=folder, progress=CrashAfter(9))
    run = run_recipe(loaded, runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert metrics(run) == metrics(whole)
    assert any(row[2].get("grad_norm", 0.0) > 0 for row in metrics(run)[-2:])
    assert run.evaluations() == whole.evaluations()
    left, right = (load_file(one.folder / "model" / "model.safetensors") for one in (run, whole))
    assert left.keys() == right.keys()
    assert all(torch.equal(left[key], right[key]) for key in left)


def metrics(run):
    return [
        (row.stage, row.step, {key: one for key, one in row.metrics.items() if not is_timing(key)})
        for row in run.metrics()
    ]
