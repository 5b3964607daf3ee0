import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tahr.cli import main

ROOT = Path(__file__).parents[3]


@dataclass
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def tahr(capsys, monkeypatch):
    """Run one command in this process: exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.delenv("TAHR_DEBUG", raising=False)

    def run(*arguments: str) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(int(ended.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def python():
    """Run a line of Python in a process of its own."""

    def run(code: str) -> Result:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
        return Result(done.returncode, done.stdout, done.stderr)

    return run


RECIPE = """
name = "small"
stages = ["rlvr"]
model.source = "scratch"
model.max_context = 64
model.architecture = { hidden_size = 16, num_layers = 1, num_heads = 2, num_kv_heads = 1, intermediate_size = 16 }
tasks.words = { source = "reverse_text", num_tasks = 200 }
rlvr = { tasks = { words = 1.0 }, steps = 2, sampling = { max_new_tokens = 8 } }
eval = { tasks = ["words"], num_tasks = 10, max_new_tokens = 8 }
"""


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    return path
