"""``tahr prefs build``: pairs of answers from a pool of models and a judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console
from tahr.cli.options import SetOption
from tahr.cli.progress import watch
from tahr.core.errors import InputError

if TYPE_CHECKING:
    from tahr.preference.build import Built

EXAMPLES = (
    ("tahr prefs build recipes/prefs.toml --out runs/prefs", "the packaged model, judged by a verifier: half a minute"),
    ("tahr prefs build recipes/prefs.toml --out runs/more --set build.num_prompts=96", "more questions"),
)


def build(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to build: a TOML file.", show_default=False)],
    out: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Where pairs, answers and judgments are kept.", show_default=False),
    ],
    overrides: SetOption = None,
) -> None:
    """Ask a pool of models, have their answers judged, and keep the pairs in FOLDER/pairs.jsonl.

    Every answer and judgment is kept as it comes. Ctrl-C ends it after the questions under way, a second one at once;
    the same command goes on where it ended, also after a kill, and ends with the same pairs.
    """
    from tahr.recipe.preferences.build import build_prefs, load_prefs
    from tahr.training.interrupt import stop_on_interrupt

    config = load_prefs(file, overrides or ())
    if out.exists() and not out.is_dir():
        raise InputError("the pairs are kept in a folder", received=out, instead="the name of a folder")
    progress = watch()
    say = "stopping after the questions under way; press Ctrl-C again to stop at once"
    try:
        with stop_on_interrupt(lambda _: progress.message(say)) as stop:
            built = build_prefs(config, out, progress=progress, stopping=lambda: stop.asked)
    except KeyboardInterrupt:
        progress.close()
        typer.echo("interrupted; the same command goes on where it ended", err=True)
        raise
    finally:
        progress.close()
    _conclude(built)


def _conclude(built: Built | None) -> None:
    """Say how many pairs there are, what gave none, and what to do next."""
    output = console()
    if built is None:
        output.print("stopped as asked; the same command goes on where it ended")
        raise typer.Exit(130)
    for line in (
        str(built),
        f"pairs: {built.path}",
        f"what is in them: tahr prefs stats {built.path}",
    ):
        output.print(line, markup=False, soft_wrap=True)
