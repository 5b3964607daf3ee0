"""A run on disk: everything that training leaves behind, in one folder.

    runs/tiny-20260105-100000/
      manifest.json            what it is and how it stands
      recipe.toml, recipe.json the recipe as resolved
      metrics.jsonl            one line per step
      rollouts/rlvr-000012.parquet
      evaluations/rlvr-000012-after.parquet
      checkpoints/rlvr-000012/
      report.html

A crash at any moment loses at most the step under way.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tahr.core.errors import InputError
from tahr.core.types import Group
from tahr.store import checkpoints, evaluations, metrics, rollouts
from tahr.store.checkpoints import Checkpoint
from tahr.store.files import disk_errors, remove_temporary, write_file
from tahr.store.folders import given_folder, new_folder
from tahr.store.lock import Lock, is_locked
from tahr.store.manifest import MANIFEST_NAME, Manifest, Status, describe_machine, hash_recipe, now
from tahr.store.metrics import MetricsRow
from tahr.store.records import Evaluation
from tahr.store.sinks import Sinks


class Run:
    """One run folder. `Run.create` and `Run.open(path, write=True)` hold its lock; otherwise it is only read."""

    def __init__(self, folder: Path, manifest: Manifest, *, lock: Lock | None = None, sinks: Sinks | None = None):
        self.folder = folder
        self.manifest = manifest
        self._lock = lock
        self._sinks = sinks or Sinks()

    @classmethod
    def create(
        cls,
        root: Path,
        name: str,
        *,
        recipe: Mapping[str, Any],
        recipe_toml: str,
        seed: int,
        threads: int = 0,
        model_hash: str = "",
        stage_keys: Mapping[str, str] | None = None,
        evaluation_key: str = "",
        data: Mapping[str, Mapping[str, str]] | None = None,
        folder: Path | None = None,
        command: Sequence[str] | None = None,
    ) -> Self:
        """Make a new run folder: `folder` if given, else ``root/name-YYYYMMDD-HHMMSS``, never one that exists.

        `recipe` is the resolved recipe as JSON values; its `stages`, `description` and `log_to` enter the manifest.
        Raises InputError where the folder exists or can't be written, ResourceError on a full disk.
        """
        folder = new_folder(root, name) if folder is None else given_folder(folder)
        lock: Lock | None = None
        try:
            with disk_errors(folder):
                lock = Lock(folder)
            manifest = Manifest(
                name=name,
                description=str(recipe.get("description", "")),
                status="running",
                seed=seed,
                threads=threads,
                stages=tuple(recipe.get("stages", ())),
                log_to=tuple(recipe.get("log_to", ())),
                command=tuple(map(_readable, sys.argv if command is None else command)),
                created=now(),
                finished="",
                resumed=(),
                error="",
                recipe_hash=hash_recipe(recipe),
                model_hash=model_hash,
                stage_keys=dict(stage_keys or {}),
                evaluation_key=evaluation_key,
                data=dict(data or {}),
                **describe_machine(),
            )
            write_file(folder / "recipe.toml", recipe_toml.encode())
            write_file(folder / "recipe.json", json.dumps(recipe, indent=2, ensure_ascii=False).encode() + b"\n")
            write_file(folder / MANIFEST_NAME, manifest.dump())  # last: with it the folder is a run
            sinks = Sinks.open(manifest.log_to, folder, name=folder.name, config=recipe)
        except BaseException:
            if lock:
                lock.release()
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return cls(folder, manifest, lock=lock, sinks=sinks)

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> Self:
        """Open a run, to read it or (`write`) to go on with it; the latter clears away what a crash left half done.

        What the manifest says stays until `resume`. Raises InputError where `path` is no run, where its recipe can't be
        read, or where another process writes it.
        """
        manifest = Manifest.load(path / MANIFEST_NAME)
        if not write:
            return cls(path, manifest)
        with disk_errors(path):
            lock = Lock(path)
        try:
            for folder in (path, path / rollouts.ROLLOUTS_FOLDER, path / evaluations.EVALUATIONS_FOLDER):
                remove_temporary(folder)
            checkpoints.remove_incomplete(path)
            metrics.cut_metrics(path)
            manifest = Manifest.load(path / MANIFEST_NAME)
            _read_recipe(path)
        except BaseException:
            lock.release()
            raise
        return cls(path, manifest, lock=lock)

    def resume(self) -> None:
        """Say that the run goes on, and open its sinks."""
        self._sinks = Sinks.open(self.manifest.log_to, self.folder, name=self.folder.name, config=self.recipe)
        self.record(status="running", finished="", error="", resumed=(*self.manifest.resumed, now()))

    @property
    def recipe(self) -> dict[str, Any]:
        """The resolved recipe as JSON values."""
        return _read_recipe(self.folder)

    @property
    def status(self) -> Status:
        """How the run stands; one that says "running" while no process writes it was interrupted."""
        if self.manifest.status == "running" and self._lock is None and not is_locked(self.folder):
            return "interrupted"
        return self.manifest.status

    def log(self, stage: str, step: int, metrics_of_step: Mapping[str, float]) -> None:
        """Append one step's metrics and send them to the sinks. Raises ResourceError on a full disk."""
        self._check_writable()
        row = metrics.append_metrics(self.folder, stage, step, metrics_of_step)
        self._sinks.log(row)

    def metrics(self) -> list[MetricsRow]:
        """Every logged step, in the order of logging."""
        return metrics.read_metrics(self.folder)

    def write_rollouts(
        self, stage: str, step: int, groups: Sequence[Group], advantages: Sequence[Sequence[float | None]]
    ) -> None:
        """Keep one step's attempts; `advantages` has one value (or None) per attempt of each group."""
        self._check_writable()
        rollouts.write_rollouts(self.folder, stage, step, groups, advantages)

    def write_evaluation(self, evaluation: Evaluation) -> None:
        """Keep an evaluation; the same stage, step and name replaces the earlier one."""
        self._check_writable()
        evaluations.write_evaluation(self.folder, evaluation)

    def evaluations(self, *, texts: bool = True) -> list[Evaluation]:
        """Every evaluation, in the order of stages and steps; as `read_evaluation` says without `texts`."""
        paths = evaluations.evaluation_paths(self.folder)
        found = (evaluations.read_evaluation(path, texts=texts) for path in paths)
        return evaluations.in_order(found, self.manifest.stages)

    @contextmanager
    def checkpoint(self, stage: str, step: int, *, keep: int = 2) -> Generator[Path]:
        """Yield an empty folder to save into; it becomes a checkpoint when the block ends without an exception."""
        self._check_writable()
        with checkpoints.save_checkpoint(self.folder, stage, step, keep) as folder:
            yield folder

    def checkpoints(self) -> list[Checkpoint]:
        """Complete checkpoints, oldest first."""
        return checkpoints.list_checkpoints(self.folder)

    def damaged_checkpoints(self) -> list[Path]:
        """Folders of checkpoints that don't say what they are."""
        return checkpoints.list_damaged(self.folder)

    def latest_checkpoint(self) -> Checkpoint | None:
        """The newest complete checkpoint, or None."""
        return next(reversed(self.checkpoints()), None)

    def rewind(self, stage_order: Sequence[str], checkpoint: Checkpoint | None) -> None:
        """Drop all that was written after `checkpoint`, so that it can be redone.

        Steps count from 1: where `checkpoint` is None, only what was evaluated at step 0 of the first stage stays.
        Safe to repeat where it was itself interrupted. Raises InputError on a record of a stage not in `stage_order`.
        """
        self._check_writable()
        place = {stage: index for index, stage in enumerate(stage_order)}
        limit = _position(place, checkpoint.stage, checkpoint.step) if checkpoint else (0, 0)

        def keep(stage: str, step: int) -> bool:
            return _position(place, stage, step) <= limit

        for later in self.checkpoints():
            if checkpoint is None or later.number > checkpoint.number:
                checkpoints.delete_checkpoint(later)
        for path in rollouts.list_rollouts(self.folder):
            if not keep(*rollouts.stage_and_step(path)):
                path.unlink()
        for path in evaluations.evaluation_paths(self.folder):
            evaluation = evaluations.read_evaluation(path)
            if not keep(evaluation.stage, evaluation.step):
                path.unlink()
        metrics.cut_metrics(self.folder, lambda row: keep(row.stage, row.step))

    def record(self, **changes: Any) -> None:
        """Change fields of the manifest, such as ``model_hash`` once the weights are loaded."""
        self._check_writable()
        manifest = replace(self.manifest, **changes)
        write_file(self.folder / MANIFEST_NAME, manifest.dump())
        self.manifest = manifest

    def finish(self, status: Status, *, error: str = "") -> None:
        """Say how the run ended, close the sinks and release the lock, on a full disk too."""
        try:
            self.record(status=status, finished=now(), error=error)
        finally:
            self.close()

    @contextmanager
    def ending(self) -> Generator[None]:
        """Say how the run ended as the block does: finished, interrupted (Ctrl-C), or failed with what was raised."""
        try:
            yield
        except KeyboardInterrupt:
            self.finish("interrupted")
            raise
        except BaseException as error:
            self.finish("failed", error=f"{type(error).__name__}: {error}"[:2000])
            raise
        self.finish("finished")

    def close(self) -> None:
        """Close the sinks and release the lock without a word about how the run ended."""
        self._sinks.close()
        if self._lock:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_writable(self) -> None:
        if self._lock is None:
            raise InputError(f"the run {self.folder} is open for reading only", instead="Run.open(path, write=True)")


def _read_recipe(folder: Path) -> dict[str, Any]:
    path = folder / "recipe.json"
    try:
        return dict(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"{path} is missing or damaged",
            received=f"{type(error).__name__}: {error}",
            instead="the file as it was, from a copy of the run, or a new run",
        ) from error


def _readable(word: str) -> str:
    """A word of a command line; bytes that the locale could not decode are read as UTF-8, or else replaced."""
    return os.fsencode(word).decode("utf-8", "replace")


def _position(place: Mapping[str, int], stage: str, step: int) -> tuple[int, int]:
    if stage not in place:
        raise InputError(
            f"the run holds records of a stage {stage!r} that its recipe does not have",
            received=stage,
            instead=f"resume with the recipe it was started with (stages {', '.join(place)})",
        )
    return place[stage], step
