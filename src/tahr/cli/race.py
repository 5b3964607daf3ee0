"""``tahr race``: the cheapest model or setting within a margin of the best one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console
from tahr.cli.effort import OnlyOption, chosen
from tahr.cli.options import RUNS, RunsOption, place_to_write
from tahr.cli.runs import open_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tahr.evaluation.race import Entry
    from tahr.store.run import Run

EXAMPLES = (
    ("tahr race eval-arithmetic-small eval-arithmetic-large --margin 0.02", "runs of one suite, all their settings"),
    ("tahr race runs/eval-gsm8k-* --only bare --picture race.png", "one setting of several models, as a picture"),
)


def race(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Run folders, or their names under --runs.", show_default=False),
    ],
    root: RunsOption = RUNS,
    margin: Annotated[float, typer.Option(metavar="NUMBER", help="How much of the score may be lost.")] = 0.02,
    part: Annotated[str, typer.Option(metavar="PART", help="The score: a part of the reward, or reward.")] = "correct",
    only: OnlyOption = None,
    picture: Annotated[
        Path | None,
        typer.Option(callback=place_to_write, metavar="FILE", help="Draw a .png or .svg file.", show_default=False),
    ] = None,
) -> None:
    """Find the cheapest model or setting that is not worse than the best one by more than a margin.

    By size of the weights, by sampled tokens and by time. Not worse is decided by the paired interval on the questions
    that all answered, never by a difference that merely happens to be small: too few questions leave it undecided.
    """
    from tahr.evaluation.race import race as run_race
    from tahr.report.race_picture import write_race_picture
    from tahr.report.race_table import race_table, race_text

    found = run_race(entries([open_run(run, root) for run in runs], only), margin=margin, part=part)
    output = console()
    output.print(race_table(found))
    output.print(race_text(found), markup=False, soft_wrap=True)
    if picture is not None:
        output.print(f"written: {write_race_picture(found, picture)}", markup=False, soft_wrap=True)


def entries(runs: Sequence[Run], only: Sequence[str] | None) -> list[Entry]:
    """Every evaluation of the runs, or those of the names in `only`, by model and setting; by run where that is not
    enough to tell them apart."""
    from tahr.evaluation.race import Entry

    found = [(run, one) for run in runs for one in chosen(run.evaluations(), only)]
    short = [f"{one.conditions.model} {one.conditions.setting}" if one.conditions else "" for _, one in found]
    counts = Counter(short)
    return [
        Entry(name=name if name and counts[name] == 1 else f"{run.folder.resolve().name} {one.name}", evaluation=one)
        for (run, one), name in zip(found, short, strict=True)
    ]
