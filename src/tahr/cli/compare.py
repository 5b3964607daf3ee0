"""``tahr compare``: runs against one another, on the questions that they share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tahr.cli.console import console
from tahr.cli.options import RUNS, RunsOption, place_to_write
from tahr.cli.runs import open_run
from tahr.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from tahr.evaluation.comparison.compare import Marks
    from tahr.evaluation.comparison.sides import Side

EXAMPLES = (
    ("tahr compare eval-ifeval-small eval-ifeval-large", "two evaluations of a suite; of more, every two"),
    ("tahr compare tiny-20260105-100000:before tiny-20260105-100000:after", "one run's evaluations by their names"),
)


RunsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Run folders, or their names under --runs; RUN:NAME is one evaluation of it (after, a setting).",
        show_default=False,
    ),
]

AgainstOption = Annotated[
    Literal["all", "first"], typer.Option(help="Of three runs or more: every two, or each with the first.")
]

PartOption = Annotated[
    list[str] | None,
    typer.Option("--part", metavar="PART", help="A part of the reward; repeatable.", show_default=False),
]

CorrectionOption = Annotated[
    Literal["holm", "bh", "none"], typer.Option(help="How p-values of all rows are corrected.")
]

AllowOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CONDITION",
        help="Compare though this differs too: weights, setting, wording, temperature, filters, ...; repeatable.",
        show_default=False,
    ),
]

TrainingDataOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="Mark questions that stand in this training data: a file, a folder or a hub name; repeatable.",
        show_default=False,
    ),
]

JsonOption = Annotated[
    Path | None,
    typer.Option(
        "--json", callback=place_to_write, metavar="FILE", help="Write every number there.", show_default=False
    ),
]


def compare(
    runs: RunsArgument,
    root: RunsOption = RUNS,
    against: AgainstOption = "all",
    parts: PartOption = None,
    correction: CorrectionOption = "holm",
    allow: AllowOption = None,
    training_data: TrainingDataOption = None,
    out: JsonOption = None,
) -> None:
    """Compare runs with one another, question by question.

    Differences with intervals and p-values, corrected for their number; what so many questions could have found, and
    how many would settle it. Where more than one thing differs (weights, setting, sampling), nothing is compared.
    """
    from tahr.evaluation.comparison.compare import compare_runs
    from tahr.report.comparison_table import comparison_table, comparison_text, comparison_values, overview_table
    from tahr.store.files import write_file

    sides = [_sides(name, root) for name in runs]
    output = console()
    marks = _marks(sides, training_data, output) if training_data else None
    refused: list[InputError] = []
    found = compare_runs(
        sides,
        parts=parts or (),
        allowed=allow or (),
        against=against,
        correction=correction,
        marks=marks,
        on_refused=refused.append,
    )
    for one in found:
        output.print(comparison_table(one, correction))
        output.print(comparison_text(one), markup=False, soft_wrap=True)
        output.print()
    if len(runs) > 2:
        output.print(overview_table(found, correction))
    for error in refused:
        output.print(f"left out: {error.wrong} ({error.received})", markup=False, soft_wrap=True)
    if out is not None:
        write_file(out, json.dumps(comparison_values(found), indent=2, ensure_ascii=False).encode() + b"\n")
        output.print(f"written: {out}", markup=False, soft_wrap=True)


def _sides(name: str, root: Path) -> list[Side]:
    """The evaluations of ``RUN`` or ``RUN:NAME``; a folder whose own name holds a colon is a run."""
    from tahr.evaluation.comparison.sides import sides_of

    folder, colon, only = name.rpartition(":")
    if not colon or any((place / name).is_dir() for place in (Path(), root)):
        folder, only = name, ""
    return sides_of(open_run(Path(folder), root), only)


def _marks(sides: Sequence[Sequence[Side]], sources: Sequence[str], output: Console) -> Marks:
    """What marks the questions that the sources hold; says how many those are."""
    from tahr.evaluation.contamination import mark_questions

    found = mark_questions([side.evaluation for one in sides for side in one], _texts(sources))
    output.print(
        f"{len(found.marks)} of {found.num_questions} questions are found in {found.num_texts:,} rows of training data"
        + (f"; {found.num_too_short} are too short to be looked for" if found.num_too_short else ""),
        markup=False,
        soft_wrap=True,
    )
    return lambda evaluation: frozenset(row.task_id for row in evaluation.rows if row.task_id in found.marks)


def _texts(sources: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every row's place and text."""
    from tahr.data.rows import stream_rows
    from tahr.data.shards import find_shards
    from tahr.recipe.sift import texts

    for source in sources:
        for path in find_shards(source):
            for row in stream_rows(path):
                yield row.place, "\n".join(texts(row.values))
