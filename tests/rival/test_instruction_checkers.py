"""Every disagreement with the reference checkers of instructions has a known cause; the first prompts stand for all.

It runs in the checkers' environment; without that (``benchmarks/instruction_checkers.py`` builds it) it is skipped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "benchmarks" / ".venv-checkers" / "bin" / "python"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON.relative_to(ROOT)} is not there"),
]


@pytest.mark.parametrize("suite", ["ifeval", "ifbench"])
def test_every_disagreement_is_explained(suite: str) -> None:
    command = [sys.executable, "benchmarks/instruction_checkers.py", "--smoke", "--suite", suite]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 disagreements that no cause explains" in done.stdout
