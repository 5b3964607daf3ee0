"""The stage reward_model: it learns, leaves the policy alone, and ends the same when it is interrupted."""

from __future__ import annotations

import shutil

import pytest
import torch
from safetensors.torch import load_file

from small_recipes import CrashAfter, CrashError
from tahr.core.preferences import Pair
from tahr.core.progress import SilentProgress
from tahr.core.types import Message
from tahr.data.preferences.files import read_pairs, write_pairs
from tahr.losses.reward_metrics import top_credit
from tahr.models.config import ModelConfig
from tahr.models.load import load_model
from tahr.models.reward import load_reward_model
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.metrics import is_timing
from tahr.store.run import Run

pytestmark = pytest.mark.slow  # every test trains

RECIPE = """
name = "scores"
seed = 3
threads = 1
stages = ["reward_model"]

[model]
source = "scratch"
max_context = 64
architecture = { hidden_size = 32, num_layers = 2, num_heads = 4, num_kv_heads = 2, intermediate_size = 48 }

[tasks.reverse]
source = "reverse_text"
args = { min_length = 3, max_length = 4 }
num_tasks = 400

[reward_model]
tasks = ["reverse"]
steps = 6
batch_size = 16
learning_rate = 3e-3
evaluate_every = 3
checkpoint_every = 2
micro_batch_tokens = 300
"""


def load(folder, text=RECIPE):
    path = folder / "scores.toml"
    path.write_text(text)
    return load_recipe(path)


def results(run: Run):
    metrics = [(row.step, {k: v for k, v in row.metrics.items() if not is_timing(k)}) for row in run.metrics()]
    return metrics, load_file(run.folder / "reward_model" / "model.safetensors")


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    return run_recipe(load(folder), runs_root=folder, folder=folder / "run", progress=SilentProgress())


@pytest.mark.parametrize("count", [1, 3, 5])
def test_B1_an_interrupted_stage_ends_as_the_unbroken_one(count, unbroken, tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(CrashError):
        run_recipe(load(tmp_path), runs_root=tmp_path, folder=folder, progress=CrashAfter(count))
    run = run_recipe(load(tmp_path), runs_root=tmp_path, resume=folder, progress=SilentProgress())
    expected, found = results(unbroken), results(run)
    assert found[0] == expected[0]
    assert all(torch.equal(found[1][name], weight) for name, weight in expected[1].items())


def test_what_it_says_of_held_out_pairs_is_true_of_what_it_saved(unbroken):
    pairs = read_pairs(unbroken.folder / "held_out_pairs.jsonl").pairs
    model = load_reward_model(ModelConfig(source=str(unbroken.folder / "reward_model"), max_context=64))
    scores = model.score_groups(
        [[model.conversation(pair.prompt, text) for text in (pair.chosen, pair.rejected)] for pair in pairs]
    )
    last = unbroken.metrics()[-1].metrics
    assert last["validation_accuracy"] == pytest.approx(
        sum(top_credit([chosen], [rejected]) for chosen, rejected in scores) / len(scores)
    )
    flat = [score for one in scores for score in one]
    assert model.scale.mean == pytest.approx(sum(flat) / len(flat), abs=1e-5)


def test_how_the_step_is_cut_does_not_matter(unbroken, tmp_path):
    whole = load(tmp_path, RECIPE.replace("micro_batch_tokens = 300", "micro_batch_tokens = 8192"))
    run = run_recipe(whole, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    cut, uncut = unbroken.metrics(), run.metrics()
    assert cut[0].metrics["grad_norm"] == pytest.approx(uncut[0].metrics["grad_norm"], rel=1e-4)
    assert cut[0].metrics["loss"] == pytest.approx(uncut[0].metrics["loss"], rel=1e-5)


def test_the_loss_falls_on_pairs_that_differ_in_a_letter(tmp_path):
    prompts = [(Message(role="user", content=f"{number}?"),) for number in range(200)]
    write_pairs(tmp_path / "pairs.jsonl", [Pair(prompt=one, chosen="aaa", rejected="bbb") for one in prompts])
    given = f'pairs = {{ letters = {{ source = "{tmp_path / "pairs.jsonl"}", validation_percent = 20 }} }}'
    recipe = load(tmp_path, RECIPE.replace('tasks = ["reverse"]', given))
    metrics = run_recipe(recipe, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress()).metrics()
    assert metrics[-1].metrics["validation_loss"] < 0.5 * metrics[0].metrics["validation_loss_before"]


def test_the_policy_is_not_changed_and_a_stage_after_it_starts_from_it(tmp_path):
    text = RECIPE.replace('["reward_model"]', '["reward_model", "sft"]').replace("steps = 6", "steps = 2")
    text += '\n[sft]\ntasks = ["reverse"]\nsteps = 1\nbatch_size = 4\nlearning_rate = 1e-12\n'
    loaded = load(tmp_path, text)
    run = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    trained = load_file(run.folder / "model" / "model.safetensors")
    first = dict(load_model(loaded.recipe.model, seed=3).model.named_parameters())
    for name, weight in trained.items():
        assert torch.allclose(weight, first[name], atol=1e-6)


def test_a_run_of_a_reward_model_alone_saves_no_policy(unbroken):
    assert not (unbroken.folder / "model").exists()


def test_what_the_stage_left_besides_the_policy_is_taken_over_with_it(unbroken, tmp_path):
    runs = tmp_path / "runs"
    first = run_recipe(load(tmp_path), runs_root=runs, progress=SilentProgress())
    sft = '\n[sft]\ntasks = ["reverse"]\nsteps = 2\nbatch_size = 4\n'
    longer = load(tmp_path, RECIPE.replace('stages = ["reward_model"]', 'stages = ["reward_model", "sft"]') + sft)
    run = run_recipe(longer, runs_root=runs, progress=SilentProgress(), reuse=True)
    assert run.manifest.reused == {"reward_model": first.folder.name}
    assert [row.stage for row in run.metrics()] == ["reward_model"] * 6 + ["sft"] * 2
    for name in ("reward_model/model.safetensors", "held_out_pairs.jsonl"):
        assert (run.folder / name).read_bytes() == (unbroken.folder / name).read_bytes()
    shutil.rmtree(first.folder / "reward_model")
    shutil.rmtree(run.folder / "reward_model")
    again = run_recipe(longer, runs_root=runs, progress=SilentProgress(), reuse=True)
    assert again.manifest.reused == {}
