"""The program `tahr`: its verbs, and what happens when one of them fails."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from tahr import __version__
from tahr.cli import (
    audit,
    check,
    compare,
    decontaminate,
    doctor,
    effort,
    evaluate,
    export,
    losses,
    models,
    prefs_agree,
    prefs_build,
    prefs_convert,
    prefs_experiment,
    prefs_import,
    prefs_label,
    prefs_stats,
    race,
    report,
    runs,
    scale,
    show,
    suites,
    tasks,
    train,
    verify,
)
from tahr.cli.failures import explain_failure

app = typer.Typer(
    name="tahr",
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


prefs_app = typer.Typer(
    rich_markup_mode="rich",
    no_args_is_help=True,
    help="Pairs of answers, one preferred: built, looked at, labelled, and what the labels are worth.",
)
app.add_typer(prefs_app, name="prefs")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tahr {__version__}")
        raise typer.Exit


@app.callback(epilog="A first run: [cyan]tahr train recipes/tiny.toml[/cyan]. Every verb explains itself with --help.")
def root(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error (or set TAHR_DEBUG=1).")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Train language models against honest rewards."""


def _add(
    name: str, verb: Callable[..., Any], examples: tuple[tuple[str, str], ...], *, into: typer.Typer = app
) -> None:
    """File a verb; the first paragraph of its docstring is its line in the overview, the examples end its help."""
    # Help is markup, in which an unescaped [eval] would vanish.
    shown = "\n\n".join(f"[cyan]{escape(command)}[/cyan]  [dim]# {escape(why)}[/dim]" for command, why in examples)
    # Each paragraph becomes one line: help keeps line breaks, and the source's are not the terminal's.
    about = escape("\n\n".join(" ".join(part.split()) for part in (inspect.getdoc(verb) or "").split("\n\n")))
    into.command(name, help=about, epilog=f"[bold]Examples[/bold]\n\n{shown}")(verb)


_add("train", train.train, train.EXAMPLES)
_add("check", check.check, check.EXAMPLES)
_add("eval", evaluate.evaluate, evaluate.EXAMPLES)
_add("compare", compare.compare, compare.EXAMPLES)
_add("runs", runs.runs, runs.EXAMPLES)
_add("show", show.show, show.EXAMPLES)
_add("report", report.report, report.EXAMPLES)
_add("export", export.export, export.EXAMPLES)
_add("suites", suites.suites, suites.EXAMPLES)
_add("tasks", tasks.tasks, tasks.EXAMPLES)
_add("audit", audit.audit, audit.EXAMPLES)
_add("verify", verify.verify, verify.EXAMPLES)
_add("decontaminate", decontaminate.decontaminate, decontaminate.EXAMPLES)
_add("effort", effort.effort, effort.EXAMPLES)
_add("race", race.race, race.EXAMPLES)
_add("scale", scale.scale, scale.EXAMPLES)
_add("losses", losses.losses, losses.EXAMPLES)
_add("models", models.models, models.EXAMPLES)
_add("doctor", doctor.doctor, doctor.EXAMPLES)
_add("build", prefs_build.build, prefs_build.EXAMPLES, into=prefs_app)
_add("stats", prefs_stats.stats, prefs_stats.EXAMPLES, into=prefs_app)
_add("convert", prefs_convert.convert, prefs_convert.EXAMPLES, into=prefs_app)
_add("label", prefs_label.label, prefs_label.EXAMPLES, into=prefs_app)
_add("import", prefs_import.import_table, prefs_import.EXAMPLES, into=prefs_app)
_add("agree", prefs_agree.agree, prefs_agree.AGREE_EXAMPLES, into=prefs_app)
_add("winrate", prefs_agree.winrate, prefs_agree.WINRATE_EXAMPLES, into=prefs_app)
_add("experiment", prefs_experiment.experiment, prefs_experiment.EXAMPLES, into=prefs_app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit: 0 done, 1 failed, 2 wrong input, 130 interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # a recipe may name a module of the folder that one works in; last, so that it can't shadow anything
    sys.path.append(str(Path.cwd()))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that can't show a character must not end the program
            stream.reconfigure(errors="replace")
    debug = "--debug" in given or os.environ.get("TAHR_DEBUG", "0") not in ("", "0")
    try:
        # --debug counts wherever it stands, since it is wanted after a command has failed.
        app([word for word in given if word != "--debug"], prog_name="tahr")
    except Exception as error:
        if debug:
            raise
        text, exit_code = explain_failure(error)
        print(text, file=sys.stderr)
        sys.exit(exit_code)
