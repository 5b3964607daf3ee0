"""``tahr export``: a run's evaluations for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tahr.cli.console import console
from tahr.cli.options import RUNS, RunArgument, RunsOption
from tahr.cli.runs import open_run

EXAMPLES = (
    ("tahr export eval-ifeval-smollm2 --to inspect", "logs that `inspect view` opens, under RUN/exports/inspect"),
    ("tahr export eval-ifeval-smollm2 --to csv --out tables --only bare", "one setting's attempts as a table"),
)


def export(
    run: RunArgument,
    to: Annotated[
        str,
        typer.Option("--to", metavar="FORMAT", help="inspect, inspect-json, lm-eval, csv or parquet."),
    ],
    root: RunsOption = RUNS,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where to; RUN/exports/FORMAT if not given.", show_default=False),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Only this evaluation, or a suite's setting; repeatable.", show_default=False
        ),
    ] = None,
) -> None:
    """Write a run's evaluations as logs for Inspect, in lm-evaluation-harness's layout, or as a table.

    Nothing of those programs is needed. Files of the same names are replaced.
    """
    from tahr.evaluation.exports.formats import export_run

    for path in export_run(open_run(run, root), to, out, only=only or ()):
        console().print(str(path), markup=False, soft_wrap=True)
