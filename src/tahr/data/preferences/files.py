"""Reading and writing pairs: files, shards, folders and hub datasets, in any format of `formats`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError
from tahr.core.json_text import HALF, has_half_character
from tahr.core.preferences import Pair
from tahr.data.columns import RowError, refuse_half
from tahr.data.preferences.formats import ReadOptions, find_format, recognise
from tahr.data.preferences.states import Reading, RowState, no_pair, told_rows
from tahr.data.rows import Row, stream_rows
from tahr.data.shards import find_shards
from tahr.store.files import written_whole

MAX_NOTES = 10  # rows without a pair of which a reading says why


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFile:
    """What was read. `counts` has every row's state, `notes` why the first few rows gave no pair.

    Example: ``PairFile(pairs=(pair,), format="hh", counts={RowState.PAIR: 1, RowState.TIE: 2}, notes=())``
    """

    pairs: tuple[Pair, ...]
    format: str
    counts: Mapping[RowState, int]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line for people."""
        others = [f"{count} {state}" for state, count in sorted(self.counts.items()) if state is not RowState.PAIR]
        return f"{len(self.pairs)} pairs in the format {self.format}" + "".join(f", {other}" for other in others)


def read_pairs(
    source: str | Path,
    format: str = "auto",
    *,
    columns: Mapping[str, str] | None = None,
    split: str = "train",
    config: str | None = None,
    revision: str | None = None,
    options: ReadOptions | None = None,
) -> PairFile:
    """Every pair of `source`: a file, a pattern of shards, a folder or a hub name (`split`, `config`, `revision`).

    `columns` names columns that are called otherwise ({"chosen": "better"}). A row that gives no pair is counted under
    its state. Raises InputError: nothing there, unreadable files, a format that can't be recognised, no pair at all.
    """
    rows = _renamed(_rows(str(source), split=split, config=config, revision=revision), columns or {})
    name, pairs, counts, notes = format, dict[str, Pair](), Counter[RowState](), list[str]()
    for row in rows:
        if name == "auto":
            name = _recognised(row)
        reading = _read(row, name, options or ReadOptions())
        new = [pair for pair in reading.pairs if pair.id not in pairs]
        counts[reading.state if new or not reading.pairs else RowState.DUPLICATE] += 1
        pairs.update((pair.id, pair) for pair in new)
        if reading.state is not RowState.PAIR and len(notes) < MAX_NOTES:
            notes.append(f"{row.place}: {reading.state}" + (f": {reading.note}" if reading.note else ""))
    if not pairs:
        raise InputError(
            f"{source} gives no pair",
            received="\n  ".join([told_rows(counts), *notes]),
            instead="rows of pairs" if not counts else "another format or file",
        )
    return PairFile(pairs=tuple(pairs.values()), format=name, counts=dict(counts), notes=tuple(notes))


def write_pairs(path: Path, pairs: Iterable[Pair], format: str = "tahr") -> int:
    """Write `pairs` as JSON lines, all of them or none, and return their number.

    Formats other than ``tahr`` keep what they have room for. Raises InputError for a format that can't be written or a
    pair that it can't tell.
    """
    write = find_format(format).write
    if write is None:
        raise InputError(
            f"the format {format!r} can only be read", received=format, instead="tahr, ultrafeedback, tulu, hh or plain"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    num_pairs = 0
    with written_whole(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for pair in pairs:
            if has_half_character(_texts(pair)):
                raise InputError(
                    f"the pair {pair.id} holds {HALF}, which no file can",
                    received=repr(pair)[:200],
                    instead="whole text",
                )
            file.write(json.dumps(write(pair), ensure_ascii=False) + "\n")
            num_pairs += 1
    return num_pairs


def _rows(source: str, *, split: str, config: str | None, revision: str | None) -> Iterator[Row]:
    """Rows of every file of a source as they are read."""
    for file in find_shards(source, split=split, config=config, revision=revision):
        yield from stream_rows(file)


def _renamed(rows: Iterable[Row], columns: Mapping[str, str]) -> Iterator[Row]:
    for row in rows:
        missing = [name for name in columns.values() if name not in row.values]
        if missing:
            raise InputError(f"{row.place}: there is no column {missing[0]!r}", received=", ".join(row.values))
        yield Row(place=row.place, values={**row.values, **{ours: row.values[name] for ours, name in columns.items()}})


def _recognised(row: Row) -> str:
    name = recognise(row.values)
    if name is None:
        raise InputError(
            f"{row.place}: this is no known format of pairs",
            received=f"columns {', '.join(row.values)}",
            instead="columns prompt, chosen and rejected (under other names with `columns`), or a `format`",
        )
    return name


def _read(row: Row, name: str, options: ReadOptions) -> Reading:
    try:
        reading = find_format(name).read(row.values, options)
        for pair in reading.pairs:
            refuse_half(_texts(pair))
    except RowError as error:
        return no_pair(RowState.UNREADABLE, str(error))
    close = [pair for pair in reading.pairs if pair.margin is not None and pair.margin < options.min_margin]
    return no_pair(RowState.BELOW_MARGIN, f"margin {close[0].margin}") if close else reading


def _texts(pair: Pair) -> list[Any]:
    return [[message.content for message in pair.prompt], pair.chosen, pair.rejected, pair.provenance]
