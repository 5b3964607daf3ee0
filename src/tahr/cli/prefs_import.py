"""``tahr prefs import``: labels that people gave elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tahr.cli.console import console
from tahr.cli.prefs_label import SourceArgument
from tahr.core.errors import InputError

EXAMPLES = (
    ("tahr prefs import pairs.jsonl people.csv --out labels.jsonl --who ada", "a table with columns id and label"),
    (
        "tahr prefs import pairs.jsonl people.csv --out labels.jsonl --column label=verdict --value A=chosen",
        "under other names",
    ),
)


def import_table(
    pairs: SourceArgument,
    table: Annotated[
        Path,
        typer.Argument(metavar="TABLE", help="Labels: .csv, .tsv, .jsonl, .json or .parquet.", show_default=False),
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="LABELS.jsonl", help="The file that labels are appended to.", show_default=False),
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COLUMN", help="The table's name for id, label or who; repeatable.", show_default=False
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD=MEANING",
            help="What a word of the table means: chosen, rejected, tie or not_applicable; repeatable.",
            show_default=False,
        ),
    ] = None,
    who: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who labelled, for all rows.", show_default=False)
    ] = None,
) -> None:
    """Bring people's labels from a table into a file of labels, joined to the pairs by id.

    An id is the pair's own or the source_id of its provenance. Rows with an unknown id or label are refused and
    counted.
    """
    from tahr.data.labels.files import write_labels
    from tahr.data.labels.table import import_labels
    from tahr.data.preferences.files import read_pairs

    found = import_labels(
        table, read_pairs(pairs).pairs, columns=_mapping(column, "--column"), words=_mapping(value, "--value"), who=who
    )
    write_labels(out, found.labels)
    output = console()
    refused = "".join(f", {count} refused: {why}" for why, count in found.refused.items())
    output.print(f"{len(found.labels)} labels into {out}{refused}", markup=False, soft_wrap=True)
    for note in found.notes:
        output.print(f"  {note}", markup=False, soft_wrap=True)


def _mapping(given: Sequence[str] | None, option: str) -> dict[str, str]:
    pairs = [one.partition("=") for one in given or ()]
    for name, sign, meaning in pairs:
        if not (name and sign and meaning):
            raise InputError(f"{option} takes NAME=VALUE", received=f"{name}{sign}{meaning}", instead="label=verdict")
    return {name: meaning for name, _, meaning in pairs}
