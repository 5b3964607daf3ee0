"""``tahr prefs stats``: what a set of pairs holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tahr.cli.console import console
from tahr.cli.options import place_to_write
from tahr.cli.prefs_label import SourceArgument

EXAMPLES = (
    ("tahr prefs stats runs/prefs/pairs.jsonl", "of pairs in any format"),
    ("tahr prefs stats ultrafeedback.parquet --json stats.json", "and every number into a file"),
)


def stats(
    pairs: SourceArgument,
    origin: Annotated[
        str, typer.Option("--from", metavar="FORMAT", help="The format of PAIRS; auto recognises it.")
    ] = "auto",
    out: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Also write every number there.", show_default=False),
    ] = None,
) -> None:
    """Say what pairs hold: models, judges, margins, lengths, who beats whom, and what contradicts itself.

    Length bias is how often the longer answer is chosen, position bias how often the one shown first is, where one
    judge saw the two in one order and the provenance has it. Rows that give no pair are counted by their state;
    a pair that stands there twice counts once.
    """
    from tahr.data.preferences.files import read_pairs
    from tahr.data.preferences.states import RowState
    from tahr.evaluation.preferences.stats import pair_stats
    from tahr.report.pairs_table import beats_table, pairs_table, stats_values
    from tahr.store.files import write_file

    place_to_write(out)
    read = read_pairs(pairs, origin)
    found = pair_stats(read.pairs)
    states = {str(state): read.counts[state] for state in RowState if state in read.counts}
    output = console()
    output.print(pairs_table(found, states, title=f"{pairs}, in the format {read.format}"))
    beats = beats_table(found)
    if beats is not None:
        output.print(beats)
    for note in read.notes:
        output.print(f"  {note}", markup=False, soft_wrap=True)
    if out is not None:
        values = stats_values(found, states, source=pairs, format=read.format)
        write_file(out, json.dumps(values, indent=2, ensure_ascii=False).encode() + b"\n")
        output.print(f"written: {out}", markup=False, soft_wrap=True)
