"""Stages that an earlier run has gone through already are taken over from there.

A stage is the same where its key is (`tahr.recipe.stage_keys`). What is taken over is all that the earlier run kept of
it: metrics, rollouts, evaluations, and the checkpoint at its end, where the new run goes on as a resumed one would.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tahr.core.errors import InputError
from tahr.recipe.schema import Recipe
from tahr.recipe.sequence import section_of
from tahr.recipe.stage_keys import Keys
from tahr.store.adopt import adopt
from tahr.store.checkpoints import Checkpoint
from tahr.store.manifest import MANIFEST_NAME
from tahr.store.run import Run
from tahr.training.checkpoint import read_checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Reusable:
    """The first `stages` of a recipe, which `run` has gone through, and its checkpoints at the ends of stages.

    There is one of the last of them at least. `evaluated` says that the run's evaluations measured what the recipe's
    do, `whole` that nothing is left to do.

    Example: ``Reusable(run=run, stages=("sft",), ends=(checkpoint,), evaluated=True, whole=False)``
    """

    run: Run
    stages: tuple[str, ...]
    ends: tuple[Checkpoint, ...]
    evaluated: bool
    whole: bool


def find_reusable(runs_root: Path, recipe: Recipe, keys: Keys) -> Reusable | None:
    """The run under `runs_root` that has gone through most of the stages with these `keys`; the newest of equal ones.

    Runs that can't be read are passed over, and so are stages whose end is gone.
    """
    best: Reusable | None = None
    for folder in _newest_first(runs_root):
        found = _shared(folder, recipe, keys)
        if found is not None and (best is None or _worth(found) > _worth(best)):
            best = found
    return best


def take_over(found: Reusable, run: Run) -> Checkpoint:
    """Put into the new `run` what `found` kept; returns the new run's own checkpoint to go on from."""
    kept = adopt(found.run, run, stages=found.stages, ends=found.ends, with_evaluations=found.evaluated)
    run.record(reused=dict.fromkeys(found.stages, found.run.folder.resolve().name))
    return kept


def _newest_first(runs_root: Path) -> list[Path]:
    manifests = list(runs_root.glob(f"*/{MANIFEST_NAME}"))
    return [path.parent for path in sorted(manifests, key=lambda path: path.stat().st_mtime, reverse=True)]


def _shared(folder: Path, recipe: Recipe, keys: Keys) -> Reusable | None:
    try:
        run = Run.open(folder)
    except (InputError, OSError):
        return None
    steps = {stage: section_of(recipe, stage).steps for stage in recipe.stages}
    ends: dict[str, Checkpoint] = {one.stage: one for one in run.checkpoints() if one.step == steps.get(one.stage)}
    shared: list[str] = []
    for stage in recipe.stages:
        if run.manifest.stage_keys.get(stage) != keys.stages[stage]:
            break
        shared.append(stage)
    while shared and not (shared[-1] in ends and _is_readable(ends[shared[-1]])):
        shared.pop()
    if not shared:
        return None
    evaluated = run.manifest.evaluation_key == keys.evaluation
    whole = (
        len(shared) == len(recipe.stages) == len(run.manifest.stages)
        and evaluated
        and run.status == "finished"
        and run.manifest.name == recipe.name
    )
    kept = tuple(ends[stage] for stage in shared if stage in ends)
    return Reusable(run=run, stages=tuple(shared), ends=kept, evaluated=evaluated, whole=whole)


def _worth(found: Reusable) -> tuple[int, bool, bool]:
    return len(found.stages), found.evaluated, found.whole


def _is_readable(checkpoint: Checkpoint) -> bool:
    try:
        read_checkpoint(checkpoint.folder)
    except InputError:
        return False
    return True
