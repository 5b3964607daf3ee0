"""Inspect and lm-evaluation-harness read what is exported, and Inspect computes the same scores again.

It runs in their environment; without that (``benchmarks/exports.py`` makes it) it is skipped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "benchmarks" / ".venv-exports" / "bin" / "python"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON.relative_to(ROOT)} is not there"),
]


def test_both_programs_read_every_file() -> None:
    command = [sys.executable, "benchmarks/exports.py", "--smoke"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Inspect read 6 logs" in done.stdout
    assert "FAULT" not in done.stdout
