"""Which levels a machine offers, wherever tahr and Python lie on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import tahr
from sandbox_levels import OFFERED
from tahr.sandbox.levels import probe


@pytest.mark.skipif(shutil.which("bwrap") is None or "namespaces" not in OFFERED, reason="nothing says that it works")
def test_bubblewrap_works_where_it_is_installed_and_this_user_may_make_namespaces() -> None:
    assert "bubblewrap" in OFFERED, probe("bubblewrap").error


@pytest.fixture
def covered() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def test_tahr_may_lie_in_a_folder_that_is_covered_inside(covered: Path) -> None:
    shutil.copytree(Path(tahr.__file__).parent, covered / "tahr", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import tahr; from tahr.sandbox import LEVELS, probe\n"
        "print(tahr.__file__, *(level for level in LEVELS if probe(level).works))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(covered)},
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(covered / "tahr" / "__init__.py"), *OFFERED]


@pytest.mark.parametrize("level", ["namespaces", "bubblewrap"])
def test_a_python_that_a_run_s_own_folder_would_cover_is_said(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setattr("tahr.sandbox.bubblewrap.available", lambda: True)
    monkeypatch.setattr("sys.base_prefix", "/tmp/python")
    assert probe.__wrapped__(level).error == "Python lies in /tmp/python, and /tmp is each run's own there"
