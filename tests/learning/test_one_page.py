"""The page that defines the algorithm learns when it is run as a reader would run it."""

import re
import subprocess
import sys
from pathlib import Path
from statistics import mean

import pytest

PAGE = Path(__file__).parents[2] / "examples" / "grpo_one_page.py"


@pytest.mark.slow
def test_rewards_alone_make_it_better() -> None:
    done = subprocess.run([sys.executable, str(PAGE)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    rewards = [float(value) for value in re.findall(r"reward (\S+)", done.stdout)]
    assert len(rewards) == 30
    assert mean(rewards[-6:]) > mean(rewards[:6]) + 0.1
