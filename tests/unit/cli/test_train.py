import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tahr.store.run import Run


@pytest.fixture
def run_folder(tmp_path: Path, recipe: Path) -> Path:
    """A run that was made from `recipe` and then interrupted."""
    from tahr.recipe.load import load_recipe

    loaded = load_recipe(recipe)
    values = loaded.recipe.model_dump(mode="json")
    run = Run.create(tmp_path, "small", recipe=values, recipe_toml=loaded.text, seed=0, folder=tmp_path / "small-one")
    run.finish("interrupted")
    return run.folder


def test_without_a_recipe_there_is_nothing_to_train(tahr):
    result = tahr("train")
    assert result.code == 2
    assert "there is nothing to train" in result.err


@pytest.mark.parametrize("option", [["--set", "rlvr.steps=9"], ["--name", "other"], ["--run-dir", "elsewhere"]])
def test_a_resumed_run_keeps_its_recipe(tahr, run_folder, option):
    result = tahr("train", "--resume", run_folder, *option)
    assert result.code == 2
    assert "a resumed run keeps its recipe, name and folder" in result.err


def test_a_run_is_not_resumed_with_another_recipe(tahr, run_folder, recipe):
    recipe.write_text(recipe.read_text().replace("steps = 2", "steps = 3"))
    result = tahr("train", recipe, "--resume", run_folder)
    assert result.code == 2
    assert "the recipe is not the one that" in result.err


def test_an_unknown_run_can_not_be_resumed(tahr, tmp_path):
    result = tahr("train", "--resume", "nothing", "--runs", tmp_path)
    assert result.code == 2
    assert "there is no such run" in result.err


@pytest.mark.slow
def test_a_run_goes_on_without_the_file_of_a_stage_that_is_over(tahr, tmp_path):
    from small_recipes import SMALL, CrashAfter, CrashError
    from tahr.recipe.load import load_recipe
    from tahr.recipe.run import run_recipe

    chats, path = tmp_path / "chats.jsonl", tmp_path / "small.toml"
    chats.write_text("".join(json.dumps({"prompt": "say it", "completion": one}) + "\n" for one in ("ab", "ba")))
    path.write_text(f'{SMALL}\n[sft.chats.mine]\nsource = "{chats}"\n')
    with pytest.raises(CrashError):  # in the first step of rlvr
        run_recipe(load_recipe(path), runs_root=tmp_path, folder=tmp_path / "run", progress=CrashAfter(7))
    chats.unlink()
    assert tahr("train", "--resume", tmp_path / "run").code == 0
    assert Run.open(tmp_path / "run").status == "finished"


def test_conflicts_are_found_before_a_run_folder_is_made(tahr, recipe, tmp_path):
    result = tahr("train", recipe, "--set", "rlvr.group_size=1", "--runs", tmp_path / "runs")
    assert result.code == 2
    assert "rlvr.group_size" in result.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_a_recipe_is_trained_evaluated_and_reported(tahr, recipe, tmp_path):
    folder = tmp_path / "runs" / "one"
    result = tahr("train", recipe, "--run-dir", folder, "--set", "threads=1", "--set", "rlvr.groups_per_step=2")
    assert result.code == 0, result.err
    assert "rlvr 2/2  reward " in result.out
    assert "Held-out tasks, before and after" in result.out
    assert f"report: {folder / 'report.html'}" in result.out
    assert Run.open(folder).status == "finished"

    scored = tahr("eval", folder, "--suite", recipe, "--json", tmp_path / "scores.json")
    assert scored.code == 0, scored.err
    assert scored.out.startswith("evaluating: ")
    after = next(one for one in Run.open(folder).evaluations() if one.name == "after")
    attempts = json.loads((tmp_path / "scores.json").read_text())["attempts"]
    assert [row["text"] for row in attempts] == [row.text for row in after.rows]

    again = tahr("train", recipe, "--run-dir", folder)
    assert again.code == 2
    assert f"the run folder {folder} exists already" in again.err


@pytest.mark.slow
def test_ctrl_c_finishes_the_step_and_says_how_to_resume(recipe, tmp_path):
    folder = tmp_path / "runs" / "one"
    program = str(Path(sys.executable).parent / "tahr")
    settings = ["--set", "rlvr.steps=2000", "--set", "threads=1"]
    command = [program, "train", str(recipe), "--run-dir", str(folder), *settings]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("rlvr 2/2000"):
            process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 130, "".join(lines)
    said = "".join(lines)
    assert "stopping after this step" in said
    assert f"go on with: tahr train --resume {folder}" in said
    assert "Traceback" not in said
    assert Run.open(folder).status == "interrupted"
    checkpoint = Run.open(folder).latest_checkpoint()
    assert checkpoint is not None
    assert checkpoint.step == Run.open(folder).metrics()[-1].step
