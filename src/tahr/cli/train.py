"""``tahr train``: run a recipe, or go on with a run that was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console
from tahr.cli.options import RUNS, RunsOption, SetOption
from tahr.cli.progress import watch
from tahr.cli.runs import open_run
from tahr.core.errors import InputError

if TYPE_CHECKING:
    from tahr.recipe.load import LoadedRecipe
    from tahr.store.run import Run

EXAMPLES = (
    ("tahr train recipes/tiny.toml", "a small model from scratch, about two minutes on two cores"),
    ("tahr train recipes/quickstart.toml --set rlvr.steps=20 --name longer", "the demo, with more steps"),
)


def train(
    recipe: Annotated[
        Path | None,
        typer.Argument(metavar="RECIPE", help="A recipe: a TOML file. Not needed with --resume.", show_default=False),
    ] = None,
    overrides: SetOption = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Go on with this run from its last checkpoint.", show_default=False),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--run-dir", metavar="FOLDER", help="The run's folder, exactly.", show_default=False),
    ] = None,
    root: RunsOption = RUNS,
    name: Annotated[
        str | None, typer.Option(help="In place of the recipe's name; run folders begin with it.", show_default=False)
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Train every stage anew, also those that an earlier run has.")
    ] = False,
) -> None:
    """Train a model as a recipe says, evaluate it before and after each stage, and write a report.

    Ctrl-C finishes the step, saves, and says how to resume; a second Ctrl-C stops at once. A run that was killed at
    any moment continues with --resume from its last checkpoint. Stages that a run in the same folder of runs has gone
    through already, with nothing changed that decides their outcome, are taken over from it.
    """
    from tahr.recipe.check import check
    from tahr.recipe.machine import look
    from tahr.recipe.remaining import stages_over
    from tahr.recipe.run import run_recipe

    earlier = open_run(resume, root) if resume is not None else None
    resumed = earlier.folder if earlier is not None else None
    loaded = _load(recipe, overrides or [], resumed, folder, name)
    over = stages_over(loaded.recipe, earlier.latest_checkpoint()) if earlier is not None else ()
    for warning in check(loaded.recipe, machine=look(), runs_root=folder or root, over=over).warnings:
        typer.echo(f"warning: {warning}", err=True)
    progress = watch()
    try:
        run = run_recipe(loaded, folder=folder, runs_root=root, resume=resumed, reuse=not fresh, progress=progress)
    except KeyboardInterrupt:
        progress.close()
        typer.echo("interrupted; `tahr runs` lists the run, `tahr train --resume RUN` goes on with it", err=True)
        raise
    finally:
        progress.close()
    _conclude(run)


def _load(
    recipe: Path | None, overrides: list[str], resumed: Path | None, folder: Path | None, name: str | None
) -> LoadedRecipe:
    """The recipe to run. A resumed run keeps its own, so that it ends as the unbroken run would have."""
    from tahr.recipe.load import load_recipe

    if resumed is None:
        if recipe is None:
            raise InputError("there is nothing to train", instead="tahr train RECIPE, or tahr train --resume RUN")
        return load_recipe(recipe, [*overrides, *([f"name={name}"] if name else [])])
    if overrides or name or folder:
        raise InputError(
            "a resumed run keeps its recipe, name and folder",
            received="--resume with --set, --name or --run-dir",
            instead="leave them out, or start a new run",
        )
    kept = load_recipe(resumed / "recipe.toml")
    if recipe is not None and load_recipe(recipe).recipe != kept.recipe:
        raise InputError(
            f"the recipe is not the one that {resumed} was started with",
            received=recipe,
            instead=f"tahr train --resume {resumed}",
        )
    return kept


def _conclude(run: Run) -> None:
    """Write the report, print what the run and each of its stages gained, and say where things are."""
    from tahr.report.page import write_report
    from tahr.report.table import gain_table, stage_table

    output = console()
    for gained in (gain_table(run), stage_table(run)):
        if gained is not None:
            output.print(gained)
    output.print(f"report: {write_report(run)}", markup=False, soft_wrap=True)
    if run.status == "interrupted":
        output.print(f"stopped as asked; go on with: tahr train --resume {run.folder}", markup=False, soft_wrap=True)
        raise typer.Exit(130)
