"""``tahr report``: write a run's report page again, or its picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tahr.cli.console import console
from tahr.cli.options import RUNS, RunArgument, RunsOption, place_to_write
from tahr.cli.runs import open_run

EXAMPLES = (
    ("tahr report tiny-20260105-100000", "writes runs/tiny-20260105-100000/report.html"),
    ("tahr report /data/runs/tiny-20260105-100000 --picture gain.png", "a run anywhere, and its curve as a picture"),
)


def report(
    run: RunArgument,
    root: RunsOption = RUNS,
    picture: Annotated[
        Path | None,
        typer.Option(
            callback=place_to_write,
            metavar="FILE",
            help="Also draw the gain into a .png or .svg file.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write report.html: curves, the table of before and after, and examples, in one file without a network."""
    from tahr.report.page import write_report
    from tahr.report.picture import write_picture

    opened = open_run(run, root)
    if picture is not None:
        write_picture(opened, picture)
        console().print(str(picture), markup=False, soft_wrap=True)
    console().print(str(write_report(opened)), markup=False, soft_wrap=True)
