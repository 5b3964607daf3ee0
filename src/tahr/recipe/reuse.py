"""Stages that an earlier run has gone through already are taken over from there.

A stage is the same where its key is (`tahr.recipe.stage_keys`). What is taken over is all that the earlier run kept of
it: metrics, rollouts, evaluations, and the checkpoint at its end, where the new run goes on as a resumed one would.
Of a stage dpo that differs only in how it learns, the answers and judgments are taken over that its pairs are made of.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tahr.core.errors import InputError
from tahr.preference.build import CANDIDATES, JUDGMENTS
from tahr.recipe.schema import Recipe
from tahr.recipe.sequence import section_of
from tahr.recipe.stage_keys import BUILT, Keys
from tahr.recipe.stages.built_pairs import FOLDER as PREFERENCES
from tahr.recipe.stages.reward_model import HELD_OUT_NAME, REWARD_FOLDER
from tahr.recipe.unseen_guard import guarded_hashes
from tahr.store.adopt import adopt, copy_into
from tahr.store.checkpoints import Checkpoint
from tahr.store.manifest import MANIFEST_NAME
from tahr.store.run import Run
from tahr.training.checkpoint import read_checkpoint

BESIDES_POLICY = {"reward_model": (REWARD_FOLDER, HELD_OUT_NAME), "dpo": (PREFERENCES,)}
"""What stages leave in the run folder besides their checkpoints: a reward model, the pairs that dpo has built."""


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
    candidates = [found for folder in _newest_first(runs_root) for found in _shared(folder, recipe, keys)]
    ranked = sorted(candidates, key=_worth, reverse=True)  # a stable order: among equals the newest is first
    # the weights are read last, and no more of them than must be: they are large
    return next((found for found in ranked if _is_readable(found.ends[-1])), None)


def take_over(found: Reusable, run: Run) -> Checkpoint:
    """Put into the new `run` what `found` kept; returns the new run's own checkpoint to go on from."""
    kept = adopt(found.run, run, stages=found.stages, ends=found.ends, with_evaluations=found.evaluated)
    for name in (name for stage in found.stages for name in BESIDES_POLICY.get(stage, ())):
        if (found.run.folder / name).exists():
            copy_into(run.folder, found.run.folder / name)
    run.record(reused=dict.fromkeys(found.stages, found.run.folder.resolve().name))
    return kept


def take_over_pairs(runs_root: Path, run: Run, keys: Keys) -> Path | None:
    """Give `run` the answers and judgments that an earlier run kept of a ``[dpo.build]`` with the same key.

    The stage finds them there and asks only for what is missing. Returns the run they are from, the one that has most;
    None where there is none, or where the run has pairs already.
    """
    wanted = keys.stages.get(BUILT)
    if wanted is None or (run.folder / PREFERENCES).exists():
        return None
    sizes = {
        folder: sum(path.stat().st_size for path in _journals(folder))
        for folder in _newest_first(runs_root)
        if _built_key(folder) == wanted and not folder.samefile(run.folder)
    }
    found = max(sizes, key=lambda folder: sizes[folder], default=None)
    if found is None or not sizes[found]:
        return None
    (run.folder / PREFERENCES).mkdir()
    for path in _journals(found):
        shutil.copyfile(path, run.folder / PREFERENCES / path.name)  # not linked: what is missing is added to it
    run.record(reused={**run.manifest.reused, BUILT: found.resolve().name})
    return found


def _journals(folder: Path) -> list[Path]:
    paths = (folder / PREFERENCES / name for name in (CANDIDATES, JUDGMENTS))
    return [path for path in paths if path.is_file()]


def _built_key(folder: Path) -> str | None:
    try:
        return Run.open(folder).manifest.stage_keys.get(BUILT)
    except (InputError, OSError):
        return None


def _newest_first(runs_root: Path) -> list[Path]:
    manifests = list(runs_root.glob(f"*/{MANIFEST_NAME}"))
    return [path.parent for path in sorted(manifests, key=lambda path: path.stat().st_mtime, reverse=True)]


def _shared(folder: Path, recipe: Recipe, keys: Keys) -> Iterator[Reusable]:
    """What may be taken over from the run `folder`: its stages up to each whose end it kept."""
    try:
        run = Run.open(folder)
    except (InputError, OSError):
        return
    if dict(run.manifest.guarded) != guarded_hashes(recipe):  # other questions were kept out of what it learnt
        return
    steps = {stage: section_of(recipe, stage).steps for stage in recipe.stages}
    ends: dict[str, Checkpoint] = {one.stage: one for one in run.checkpoints() if one.step == steps.get(one.stage)}
    evaluated = run.manifest.evaluation_key == keys.evaluation
    shared: list[str] = []
    for stage in recipe.stages:
        if run.manifest.stage_keys.get(stage) != keys.stages[stage]:
            return
        if stage == "reward_model" and not (folder / REWARD_FOLDER).is_dir():
            return
        shared.append(stage)
        if stage not in ends:
            continue
        whole = (
            len(shared) == len(recipe.stages) == len(run.manifest.stages)
            and evaluated
            and run.status == "finished"
            and run.manifest.name == recipe.name
        )
        kept = tuple(ends[one] for one in shared if one in ends)
        yield Reusable(run=run, stages=tuple(shared), ends=kept, evaluated=evaluated, whole=whole)


def _worth(found: Reusable) -> tuple[int, bool, bool]:
    return len(found.stages), found.evaluated, found.whole


def _is_readable(checkpoint: Checkpoint) -> bool:
    try:
        read_checkpoint(checkpoint.folder)
    except InputError:
        return False
    return True
