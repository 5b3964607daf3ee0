"""B1 for conversations: a run that fails after any step and goes on ends as the unbroken one, bit for bit."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import load_file

from small_recipes import CrashAfter, CrashError
from small_talk import write_talk
from tahr.core.progress import SilentProgress
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.metrics import is_timing

OVERRIDES = ["eval=", "sft.tasks=['words']"]


def results(run):
    metrics = [(row.step, {k: v for k, v in row.metrics.items() if not is_timing(k)}) for row in run.metrics()]
    return metrics, load_file(run.folder / "model" / "model.safetensors")


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    loaded = load_recipe(write_talk(folder), OVERRIDES)
    return results(run_recipe(loaded, runs_root=folder, folder=folder / "run", progress=SilentProgress()))


@pytest.mark.parametrize("count", [1, 3, 4])
def test_a_run_on_conversations_that_fails_and_goes_on_ends_equal(count, unbroken, tmp_path):
    loaded = load_recipe(write_talk(tmp_path), OVERRIDES)
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=CrashAfter(count))
    metrics, weights = results(
        run_recipe(loaded, runs_root=tmp_path, resume=tmp_path / "run", progress=SilentProgress())
    )
    assert metrics == unbroken[0]
    assert all(torch.equal(weights[name], weight) for name, weight in unbroken[1].items())
