"""``tahr report``: write a run's report page again."""

from __future__ import annotations

from tahr.cli.console import console
from tahr.cli.options import RUNS, RunArgument, RunsOption
from tahr.cli.runs import open_run

EXAMPLES = (
    ("tahr report tiny-20260105-100000", "writes runs/tiny-20260105-100000/report.html"),
    ("tahr report /data/runs/tiny-20260105-100000", "a run anywhere, also one that is still going on"),
)


def report(run: RunArgument, root: RunsOption = RUNS) -> None:
    """Write report.html: curves, the table of before and after, and examples, in one file without a network."""
    from tahr.report.page import write_report

    path = write_report(open_run(run, root))
    console().print(str(path), markup=False, soft_wrap=True)
