"""What a run is: its seed, the versions and hashes behind it, and how it stands. Kept in ``manifest.json``."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import TypeAdapter

import tahr
from tahr.core.errors import InputError

MANIFEST_NAME = "manifest.json"
FORMAT = 1

Status = Literal["running", "finished", "failed", "interrupted"]

_PACKAGES = ("torch", "transformers", "tokenizers", "safetensors", "peft", "numpy", "pyarrow", "duckdb")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Facts about one run. Times are ISO 8601 in UTC; `finished` is empty while the run may go on.

    `recipe_hash` is of the resolved recipe, `model_hash` of the weights that training started from, `git_revision`
    of the checkout that tahr runs from (empty where it is installed as a package). `resumed` holds the times at
    which the run was taken up again. `stage_keys` has a hash of all that decides each stage's outcome,
    `evaluation_key` one of what is measured, `data` one of every file and set of tasks that a stage or the evaluation
    reads, `reused` the run that each stage was taken over from, where it was.
    `guarded` has a hash of the unseen questions of each suite that were kept out of training.

    Example: ``Manifest(name="tiny", description="", status="running", seed=1, threads=2, stages=("sft", "rlvr"),
    log_to=(), command=("tahr", "train", "recipes/tiny.toml"), created="2026-01-05T10:00:00+00:00", finished="",
    resumed=(), error="", recipe_hash="5c1f...", model_hash="", versions={"python": "3.12.3", "torch": "2.13.0"},
    git_revision="1831599...", git_dirty=False, cpu="AMD EPYC 9J14", machine="Linux-6.8-x86_64")``
    """

    name: str
    description: str
    status: Status
    seed: int
    threads: int
    stages: tuple[str, ...]
    log_to: tuple[str, ...]
    command: tuple[str, ...]
    created: str
    finished: str
    resumed: tuple[str, ...]
    error: str
    recipe_hash: str
    model_hash: str
    versions: Mapping[str, str]
    git_revision: str
    git_dirty: bool
    cpu: str
    machine: str
    stage_keys: Mapping[str, str] = field(default_factory=dict[str, str])
    evaluation_key: str = ""
    data: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    reused: Mapping[str, str] = field(default_factory=dict[str, str])
    guarded: Mapping[str, str] = field(default_factory=dict[str, str])

    def dump(self) -> bytes:
        """The file's content."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=2, ensure_ascii=False).encode() + b"\n"

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read ``manifest.json``. Raises InputError where it is missing, damaged or of a newer tahr."""
        try:
            values = json.loads(path.read_bytes())
            if values["format"] > FORMAT:
                raise InputError(
                    f"{path} was written by a newer tahr", received=f"format {values['format']}", instead="update tahr"
                )
            return TypeAdapter(cls).validate_python(values)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path.parent} is not a complete run folder",
                received=f"{type(error).__name__}: {str(error).splitlines()[0]}",
                instead="a folder that `tahr train` made (`tahr runs` lists them)",
            ) from error


def now() -> str:
    """The present time, ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def hash_recipe(recipe: Mapping[str, Any]) -> str:
    """SHA-256 of the resolved recipe, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(recipe, sort_keys=True, default=str).encode()).hexdigest()


def describe_machine() -> dict[str, Any]:
    """The manifest's fields about versions, git revision and hardware."""
    revision, dirty = _git()
    return {
        "versions": {"tahr": tahr.__version__, "python": platform.python_version(), **_versions()},
        "git_revision": revision,
        "git_dirty": dirty,
        "cpu": f"{_cpu()}, {os.cpu_count()} cores",
        "machine": platform.platform(),
    }


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _git() -> tuple[str, bool]:
    """Revision of the checkout that tahr's source lies in, and whether it has changes; ("", False) outside one."""
    source = Path(tahr.__file__).parent
    if "site-packages" in source.parts:
        return "", False
    answers: list[str] = []
    for arguments in (["rev-parse", "HEAD"], ["status", "--porcelain", "--", "."]):
        try:
            answer = subprocess.run(
                ["git", "-C", str(source), *arguments], capture_output=True, text=True, timeout=10, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return "", False
        answers.append(answer.stdout.strip())
    return answers[0], bool(answers[1])
