"""``tahr prefs convert``: pairs from one format into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tahr.cli.console import console
from tahr.cli.options import place_to_write
from tahr.cli.prefs_label import SourceArgument
from tahr.core.errors import InputError, UnknownNameError

EXAMPLES = (
    ("tahr prefs convert runs/prefs/pairs.jsonl hh.jsonl --to hh", "for a trainer that reads transcripts"),
    ("tahr prefs convert ultrafeedback.parquet pairs.jsonl --to tahr", "from a public data set, into tahr's own"),
)


def convert(
    pairs: SourceArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file of JSON lines to write.", show_default=False)],
    to: Annotated[
        str, typer.Option(metavar="FORMAT", help="tahr, ultrafeedback, tulu, hh or plain.", show_default=False)
    ],
    origin: Annotated[
        str, typer.Option("--from", metavar="FORMAT", help="The format of PAIRS; auto recognises it.")
    ] = "auto",
) -> None:
    """Write pairs in another format; every format but tahr's own leaves something out, which is said first.

    What is lost is found by reading every pair back. Rows of PAIRS that give no pair are counted by their state. OUT is
    written whole or not at all.
    """
    from tahr.data.preferences.files import read_pairs, write_pairs
    from tahr.data.preferences.formats import FORMATS
    from tahr.data.preferences.keeping import kept_by

    written = tuple(name for name, one in FORMATS.items() if one.write is not None)
    if to not in written:
        raise UnknownNameError("format that can be written", to, written)
    if Path(pairs).exists() and out.exists() and out.samefile(pairs):
        raise InputError("the file would be written over", received=out, instead="another name for OUT")
    place_to_write(out)
    read = read_pairs(pairs, origin)
    output = console()
    output.print(str(read), markup=False, soft_wrap=True)
    kept = kept_by(read.pairs, to)
    if kept.lost:
        output.print(f"the format {to} has no room for:", markup=False)
        for part, count in kept.lost.items():
            output.print(f"  {part} of {count} of {kept.num_pairs} pairs", markup=False, soft_wrap=True)
    count = write_pairs(out, read.pairs, to)
    output.print(f"written: {count} pairs into {out}", markup=False, soft_wrap=True)
