"""``tahr effort``: what a run's answers cost, and what their confidence is worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console
from tahr.cli.options import RUNS, RunArgument, RunsOption, place_to_write
from tahr.cli.runs import open_run
from tahr.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tahr.store.records import Evaluation

EXAMPLES = (
    ("tahr effort tiny-20260105-100000", "of every evaluation of a run"),
    ("tahr effort tiny-20260105-100000 --only after --picture effort.png", "of one of them, with its picture"),
)

OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="NAME",
        help="Only the evaluation of that name (a setting of a suite, before, after); repeatable.",
        show_default=False,
    ),
]


def effort(
    run: RunArgument,
    root: RunsOption = RUNS,
    only: OnlyOption = None,
    picture: Annotated[
        Path | None,
        typer.Option(callback=place_to_write, metavar="FILE", help="Draw a .png or .svg file.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--json", callback=place_to_write, metavar="FILE", help="Write every number there.", show_default=False
        ),
    ] = None,
) -> None:
    """Say what answers cost and what their confidence is worth.

    Tokens by difficulty, accuracy within a budget of tokens, tokens after the answer first stood, right answers that
    were given up; whether confidence (by likelihood, by agreement of a question's attempts, as stated in the answer)
    is true, and whether it tells when not to answer. Intervals are over questions.
    """
    from tahr.evaluation.effort.summary import effort as effort_of
    from tahr.report.effort_picture import write_effort_picture
    from tahr.report.effort_table import effort_tables, effort_values
    from tahr.store.files import write_file

    found = [effort_of(one) for one in chosen(open_run(run, root).evaluations(), only)]
    output = console()
    for table in effort_tables(found):
        output.print(table)
    missing = {origin: what for one in found for origin, what in one.missing.items()}
    for origin, what in missing.items():
        told = "counting tokens" if origin == "tokens" else f"confidence by {origin}"
        output.print(f"{told} takes {what}", markup=False, soft_wrap=True)
    if picture is not None:
        output.print(f"written: {write_effort_picture(found, picture)}", markup=False, soft_wrap=True)
    if out is not None:
        write_file(out, json.dumps(effort_values(found), indent=2, ensure_ascii=False).encode() + b"\n")
        output.print(f"written: {out}", markup=False, soft_wrap=True)


def chosen(evaluations: Sequence[Evaluation], only: Sequence[str] | None) -> list[Evaluation]:
    """The evaluations of those names, or all. Raises InputError where there are none."""
    if not evaluations:
        raise InputError(
            "the run has no evaluation yet", instead="a run that evaluates, or tahr eval MODEL --suite NAME"
        )
    names = [one.name for one in evaluations]
    for name in only or ():
        if name not in names:
            raise UnknownNameError("evaluation", name, names)
    return [one for one in evaluations if not only or one.name in only]
