"""The parent's end of a side-by-side benchmark: TRL's own environment, one process a side, steps in turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tahr.core.types import Task
from worker import Job

HERE = Path(__file__).resolve().parent
TRL_VENV = HERE / ".venv"
# torch first and alone: asked for by another package it may come as a build of several gigabytes
TRL_INSTALLS = (
    ("torch==2.13.0",),
    ("trl==1.16.0", "transformers==5.24.0", "datasets==5.2.0", "accelerate==1.15.0", "jsonschema==4.26.0"),
)


def trl_python(*, install: bool) -> Path | None:
    """The interpreter of TRL's environment, made first where it is missing and `install` is set; else None."""
    return environment(TRL_VENV, TRL_INSTALLS, install=install)


def environment(folder: Path, installs: Sequence[Sequence[str]], *, install: bool) -> Path | None:
    """The interpreter of an environment with `installs`, each a call of pip; made first where it is missing.

    None where it is missing and `install` is not set.
    """
    python = folder / "bin" / "python"
    stamp = folder / "installed-for"
    wanted = json.dumps(installs)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    if not install:
        return None
    print(f"making {folder} with {installs[-1][0]} (once)", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    for packages in installs:
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    stamp.write_text(wanted, encoding="utf-8")
    return python


class Worker:
    """One side in its own process; it works only when told to."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process = process
        self._log = log

    def tell(self, command: str) -> dict[str, float]:
        """Send a command and wait for its answer. Raises RuntimeError, with the end of the log, where it died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RuntimeError(
                f"{self._log.stem} died:\n{self._log.read_text(encoding='utf-8', errors='replace')[-3000:]}"
            )
        return json.loads(line)


@contextmanager
def workers(folder: Path, job: Job, names: Sequence[str], *, install: bool) -> Iterator[dict[str, Worker]]:
    """The sides called `names` ("trl", "tahr"), ready to work on `job`; TRL is left out where it isn't installed.

    They load one after the other, so that neither is there while the other allocates.
    """
    path = folder / "job.json"
    path.write_text(json.dumps(asdict(job)), encoding="utf-8")
    with ExitStack() as stack:
        ready: dict[str, Worker] = {}
        for name in names:
            python = trl_python(install=install) if name == "trl" else Path(sys.executable)
            if python is None:
                print("trl: left out (benchmarks/.venv is not made; a run without --smoke makes it)")
                continue
            ready[name] = stack.enter_context(worker(name, python, path))
        yield ready


@contextmanager
def worker(name: str, python: Path, job: Path, *, log: str = "") -> Iterator[Worker]:
    """The program ``worker_NAME.py`` on the file `job`, ready to work; `log` names its log, else `name` does."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(HERE.parent / "src"),
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    file = job.parent / f"{log or name}.log"
    with (
        file.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            [str(python), str(HERE / f"worker_{name}.py"), str(job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=environment,
        ) as process,
    ):
        try:
            side = Worker(process, file)
            side.tell("hello")
            yield side
        finally:
            process.kill()


def rows_of(tasks: list[Task] | tuple[Task, ...]) -> list[dict[str, Any]]:
    """Tasks as a job holds them."""
    return [
        {
            "prompt": [{"role": message.role, "content": message.content} for message in task.prompt],
            "answer": task.answer,
            "verifier": task.verifier,
            "meta": dict(task.meta),
        }
        for task in tasks
    ]
