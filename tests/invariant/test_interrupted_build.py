"""Ctrl-C while a run builds its pairs, in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from small_build import SMALL_BUILD, write_build_recipe
from tahr.core.progress import SilentProgress
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.run import Run

pytestmark = pytest.mark.slow  # every test trains

NUM_ANSWERS = 80 * 4
LONG = SMALL_BUILD.replace("num_prompts = 12", "num_prompts = 80").replace("num_tasks = 40", "num_tasks = 160")


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    # checks that run in the background of a shell ignore Ctrl-C, and hand that on
    listening = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(
        [sys.executable, "-m", "tahr", "train", *arguments],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "TAHR_CACHE": str(folder / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=listening,
    )


def journal(run: Path, name: str = "candidates.jsonl") -> bytes:
    path = run / "preferences" / name
    return path.read_bytes() if path.exists() else b""


def wait_for_answers(process: subprocess.Popen[str], run: Path, count: int) -> None:
    deadline = time.monotonic() + 120
    while journal(run).count(b"\n") < count:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.002)


def keys(text: bytes) -> list[str]:
    return [json.loads(line)["key"] for line in text.splitlines()]


def weights(run: Path):
    return load_file(run / "model" / "model.safetensors")


def test_ctrl_c_ends_a_build_and_what_was_answered_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    recipe, run, whole = str(write_build_recipe(tmp_path, LONG)), tmp_path / "run", tmp_path / "whole"
    process = start(tmp_path, recipe, "--run-dir", str(run))
    wait_for_answers(process, run, 20)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 130, said
    assert "press Ctrl-C again to stop at once" in said and "Traceback" not in said
    assert "dpo.build: stopped after the questions under way; what was answered and judged is kept" in said
    assert f"go on with: tahr train --resume {run}" in said
    assert Run.open(run).status == "interrupted" and Run.open(run).latest_checkpoint() is None
    kept = {name: journal(run, name) for name in ("candidates.jsonl", "judgments.jsonl")}
    assert (
        20 <= len(keys(kept["candidates.jsonl"])) < NUM_ANSWERS and not (run / "preferences" / "pairs.jsonl").exists()
    )

    again = start(tmp_path, "--resume", str(run))
    said = again.communicate(timeout=240)[0]
    assert again.returncode == 0, said
    for name, written in kept.items():
        assert journal(run, name).startswith(written)
        assert len(set(keys(journal(run, name)))) == len(keys(journal(run, name)))
    assert len(keys(journal(run))) == NUM_ANSWERS and Run.open(run).status == "finished"

    monkeypatch.setenv("TAHR_CACHE", str(tmp_path / "cache"))
    run_recipe(load_recipe(Path(recipe)), runs_root=tmp_path, folder=whole, progress=SilentProgress())
    assert journal(run, "pairs.jsonl") == journal(whole, "pairs.jsonl")
    assert all(torch.equal(weights(whole)[name], weight) for name, weight in weights(run).items())
