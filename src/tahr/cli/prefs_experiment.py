"""``tahr prefs experiment``: human or AI feedback, and what either makes of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console
from tahr.cli.options import RUNS, RunsOption, SetOption
from tahr.cli.progress import watch

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tahr.recipe.feedback.run import Feedback

EXAMPLES = (
    ("tahr prefs experiment examples/feedback.toml", "two runs of one recipe, on the labels of either source"),
    ("tahr prefs experiment examples/feedback.toml --runs /data/runs", "with the runs kept elsewhere"),
)


def experiment(
    config: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="An experiment: a TOML file.", show_default=False)
    ],
    overrides: SetOption = None,
    root: RunsOption = RUNS,
) -> None:
    """Train one model on the same pairs twice, as two sources of labels see them, and compare everything.

    Prints how far the sources agree, what the second's labels say once corrected by the first's, what training on
    either gained on the held-out tasks, and the paired difference of the two models. The same command goes on where it
    ended, and trains nothing that is there already.
    """
    from tahr.recipe.feedback.run import load_feedback, run_feedback

    progress = watch()
    try:
        found = run_feedback(load_feedback(config), root=root, progress=progress, overrides=overrides or ())
    finally:
        progress.close()
    shown = _tables(found)
    for one in shown:
        console().print(one)
    folder = root / found.name
    _write(folder, found, shown)
    console().print(f"written: {folder / 'feedback.txt'} and feedback.json", markup=False, soft_wrap=True)


def _tables(found: Feedback) -> list[RenderableType]:
    from rich.text import Text

    from tahr.report.agreement_table import agreement_table, win_rate_table
    from tahr.report.feedback_table import feedback_table

    summary = (
        f"{found.name}: {found.num_pairs} pairs, {found.num_trained} trained on for both {found.sources[0]} and "
        f"{found.sources[1]}, of which {found.num_turned} the other way round"
    )
    return [
        Text(summary),
        agreement_table(found.agreement),
        win_rate_table(found.win_rate, "the answer that the pairs chose"),
        feedback_table(found.sources, found.gains, found.between),
    ]


def _write(folder: Path, found: Feedback, shown: list[RenderableType]) -> None:
    """Keep the tables as text and every number as JSON."""
    from io import StringIO

    from rich.console import Console

    from tahr.report.feedback_table import plain_values
    from tahr.store.files import write_file

    text = StringIO()
    page = Console(file=text, width=130)
    for one in shown:
        page.print(one)
    write_file(folder / "feedback.txt", text.getvalue().encode())
    write_file(folder / "feedback.json", json.dumps(plain_values(found), indent=2, ensure_ascii=False).encode() + b"\n")
