"""Which levels a machine offers, wherever tahr and Python lie on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tahr
from sandbox_levels import OFFERED
from tahr.sandbox.levels import probe


def test_tahr_may_lie_in_a_folder_that_is_covered_inside(tmp_path: Path) -> None:
    """Such as /tmp, where pytest's own folders are."""
    shutil.copytree(Path(tahr.__file__).parent, tmp_path / "tahr", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import tahr; from tahr.sandbox import LEVELS, probe\n"
        "print(tahr.__file__, *(level for level in LEVELS if probe(level).works))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(tmp_path / "tahr" / "__init__.py"), *OFFERED]


@pytest.mark.parametrize("level", ["namespaces", "bubblewrap"])
def test_a_python_that_a_run_s_own_folder_would_cover_is_said(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    if level == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed")
    monkeypatch.setattr("sys.base_prefix", "/tmp/python")
    assert probe.__wrapped__(level).error == "Python lies in /tmp/python, and /tmp is each run's own there"
