"""Run a recipe: load the model, evaluate it, go through the stages, evaluate again, save."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from transformers import PreTrainedModel

from tahr.core.errors import InputError
from tahr.core.progress import Progress
from tahr.data.splits import TaskSet, build_task_sets
from tahr.models.load import LoadedModel, load_model
from tahr.models.save import save_model
from tahr.models.source import MODEL_FOLDER
from tahr.recipe.load import LoadedRecipe
from tahr.recipe.remaining import stages_over
from tahr.recipe.reuse import find_reusable, take_over, take_over_pairs
from tahr.recipe.schema import Recipe
from tahr.recipe.sequence import KEEPS_POLICY, go
from tahr.recipe.session import Session
from tahr.recipe.stage_keys import Keys
from tahr.recipe.suite_guard import keep_out
from tahr.store.checkpoints import Checkpoint
from tahr.store.manifest import hash_recipe
from tahr.store.run import Run
from tahr.training.checkpoint import newest_readable
from tahr.training.interrupt import stop_on_interrupt
from tahr.training.reference import check_reference
from tahr.training.reference_logprobs import check_kept
from tahr.verifiers.build import VerifierSet, build_verifiers


def run_recipe(
    loaded: LoadedRecipe,
    *,
    runs_root: Path,
    progress: Progress,
    folder: Path | None = None,
    resume: Path | None = None,
    reuse: bool = False,
) -> Run:
    """Run `loaded` in a new folder (`folder`, or one under `runs_root`), or go on with the run at `resume`.

    With `reuse`, stages that a run under `runs_root` has gone through already are taken over from it; where nothing is
    left to do, that run itself is returned. The returned run is finished, or interrupted where Ctrl-C asked for that.
    Whatever is raised passes through, and ends the run as failed once it is under way; before that, a run folder is
    neither made nor changed.
    """
    recipe = loaded.recipe
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    if folder is not None and folder.exists():
        raise InputError(
            f"the run folder {folder} exists already",
            received=str(folder),
            instead=f"another name for a new run, or --resume {folder} to go on with that one",
        )
    # before the model is loaded: where another process writes the run, that would take long for nothing
    reopened = Run.open(resume, write=True) if resume else None
    try:
        verifiers = build_verifiers(recipe.verifiers)
        task_sets = _task_sets(recipe, verifiers, progress)
        progress.message(f"loading {recipe.model.source}")
        model = load_model(recipe.model, seed=recipe.seed)
        keys = Keys.of(recipe, model.fingerprint(), task_sets)
        checkpoint = _go_on(reopened, loaded, model, keys, progress) if reopened else None
        found = find_reusable(runs_root, recipe, keys) if reuse and not reopened else None
        if found is not None and found.whole and folder is None:
            progress.message(f"nothing has changed since {found.run.folder}, which has every stage and evaluation")
            return found.run
        run = reopened or _create(loaded, keys, runs_root, folder)
    except BaseException:
        if reopened:
            reopened.close()
        raise
    with _concluded(run), stop_on_interrupt(progress.message) as stop:
        progress.message(f"run folder: {run.folder}")
        session = Session(
            recipe=recipe,
            run=run,
            loaded=model,
            verifiers=verifiers,
            task_sets=task_sets,
            progress=progress,
            stop=stop,
        )
        verifiers.enter_run(run.folder)
        if reopened:
            run.rewind(recipe.stages, checkpoint)
        if found is not None:
            checkpoint = take_over(found, run)
            progress.message(f"taken over from {found.run.folder}: {', '.join(found.stages)}")
        if reuse and not reopened:
            _take_over_pairs(runs_root, run, keys, progress)
        done = go(session, checkpoint)
        if done and not KEEPS_POLICY.issuperset(recipe.stages):
            save_model(model.model, model.tokenizer, run.folder / MODEL_FOLDER)
        run.finish("finished" if done else "interrupted")
    return run


def _task_sets(recipe: Recipe, verifiers: VerifierSet, progress: Progress) -> dict[str, TaskSet]:
    """The recipe's tasks without those that are kept out of training, which are told."""
    built = build_task_sets(recipe.tasks, verifiers)
    kept = keep_out(recipe, built)
    for name, tasks in kept.items():
        num_out = tasks.num_moved - built[name].num_moved
        if num_out:
            progress.message(f"tasks.{name}: {num_out} training tasks are questions of suites, and left out")
    return kept


def _take_over_pairs(runs_root: Path, run: Run, keys: Keys, progress: Progress) -> None:
    source = take_over_pairs(runs_root, run, keys)
    if source is not None:
        progress.message(f"dpo.build: answers and judgments taken over from {source}")


def _create(loaded: LoadedRecipe, keys: Keys, runs_root: Path, folder: Path | None) -> Run:
    recipe = loaded.recipe
    return Run.create(
        runs_root,
        recipe.name,
        recipe=recipe.model_dump(mode="json"),
        recipe_toml=loaded.text,
        seed=recipe.seed,
        threads=torch.get_num_threads(),
        model_hash=keys.model_hash,
        stage_keys=keys.stages,
        evaluation_key=keys.evaluation,
        data=keys.data,
        folder=folder,
    )


@contextmanager
def _concluded(run: Run) -> Generator[None]:
    """Write how the run ended where it ends by an exception."""
    try:
        yield
    except KeyboardInterrupt:
        run.finish("interrupted")
        raise
    except BaseException as error:
        run.finish("failed", error=f"{type(error).__name__}: {error}"[:2000])
        raise


def _go_on(run: Run, loaded: LoadedRecipe, model: LoadedModel, keys: Keys, progress: Progress) -> Checkpoint | None:
    """Say that the run goes on, and give the checkpoint to do so from; where it can't, it stays as it was."""
    _check_same(run, loaded, model)
    found = run.checkpoints()
    for folder in run.damaged_checkpoints():
        progress.message(f"the checkpoint {folder} is damaged and left out")
    place = newest_readable([one.folder for one in found], progress.message)
    if place is None and run.damaged_checkpoints():
        raise InputError(
            f"no checkpoint of {run.folder} can be read",
            received=", ".join(map(str, run.damaged_checkpoints())),
            instead="those folders as they were, from a copy; or delete them to start this run from its beginning",
        )
    checkpoint = None if place is None else found[place]
    _check_data(run, keys, stages_over(loaded.recipe, checkpoint))
    _check_reference(run, loaded, model.model, checkpoint)
    run.resume()
    return checkpoint


def _check_reference(run: Run, loaded: LoadedRecipe, model: PreTrainedModel, checkpoint: Checkpoint | None) -> None:
    """Raise InputError where a stage that goes on lacks the reference it began with."""
    if checkpoint is None:
        return
    rlvr, dpo = loaded.recipe.rlvr, loaded.recipe.dpo
    if rlvr is not None and rlvr.loss.kl.coefficient and checkpoint.stage == "rlvr" and checkpoint.step < rlvr.steps:
        check_reference(run.folder, model)
    if dpo is not None and dpo.loss.needs_reference and checkpoint.stage == "dpo" and checkpoint.step < dpo.steps:
        check_kept(run.folder)


def _check_data(run: Run, keys: Keys, over: Collection[str]) -> None:
    """Raise InputError where what is still to be read, by stages not yet `over`, is not what it was at the start."""
    for reader, before in run.manifest.data.items():
        present = {name: value for name, value in keys.data.get(reader, {}).items() if not _is_inside(name, run.folder)}
        changed = sorted(name for name in {*before, *present} if before.get(name) != present.get(name))
        if changed and reader not in over:
            raise InputError(
                f"{reader} would go on with other data than this run began with",
                received=", ".join(f"{name} ({_change(name, before, present)})" for name in changed[:5])
                + (f" and {len(changed) - 5} more" if len(changed) > 5 else ""),
                instead=f"the data as it was, to go on with {run.folder}; or a new run with the data of today",
            )


def _is_inside(name: str, folder: Path) -> bool:
    """Whether a file lies in the run itself, which wrote it since."""
    return Path(name).resolve().is_relative_to(folder.resolve())


def _change(name: str, before: Mapping[str, str], present: Mapping[str, str]) -> str:
    return "gone" if name not in present else "new" if name not in before else "changed"


def _check_same(run: Run, loaded: LoadedRecipe, model: LoadedModel) -> None:
    """Raise InputError where a resumed run would not go on as it began; its threads are set as they were."""
    recipe = loaded.recipe.model_dump(mode="json")
    if run.manifest.recipe_hash != hash_recipe(recipe):
        kept = run.recipe
        changed = sorted(key for key in {*recipe, *kept} if recipe.get(key) != kept.get(key))
        raise InputError(
            f"the recipe in {run.folder} is not the one that this run started with",
            received=f"other values in {', '.join(changed)}" if changed else "recipe.json has other values as well",
            instead="the recipe.toml as it was, or a new run with this one; runs of another version of tahr "
            f"(this one began with {run.manifest.versions.get('tahr', '?')}) may know other keys",
        )
    if run.manifest.model_hash and run.manifest.model_hash != model.fingerprint():
        raise InputError(
            "the model is not the one that this run started from: its weights, config, template or tokenizer differ",
            received=str(run.folder),
            instead="the same model source, or a new run",
        )
    if run.manifest.threads and run.manifest.threads != torch.get_num_threads():
        torch.set_num_threads(run.manifest.threads)
