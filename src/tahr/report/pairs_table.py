"""What a set of pairs holds, as tables for the terminal and as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tahr.evaluation.preferences.stats import PairStats, Share, Spread
from tahr.report.text import interval, number, score, visible_text

if TYPE_CHECKING:
    from rich.table import Table

MAX_NAMES = 12
"""Rows of models or of judges; the rest is one row."""


def pairs_table(found: PairStats, states: Mapping[str, int], *, title: str) -> Table:
    """Counts, states of rows, margins, lengths, and what may have decided besides quality."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(visible_text(title, 120), style="italic"), title_justify="left", header_style="dim")
    table.add_column("measure")
    table.add_column("value", justify="right")
    table.add_column("of", justify="right")
    for rows in (_counts(found, states), _spreads(found), _biases(found), _faults(found), _names(found)):
        for name, *cells in rows:
            table.add_row(Text(visible_text(name, 70)), *cells)
        table.add_section()
    table.caption = "95% Wilson intervals, pairs taken as independent; lengths in characters"
    table.caption_justify = "left"
    return table


def beats_table(found: PairStats) -> Table | None:
    """How often the model of a row beat that of a column; None where no model is named, or too many are."""
    from rich.table import Table
    from rich.text import Text

    names = sorted({name for pair in found.beats for name in pair})
    if len(names) < 2 or len(names) > MAX_NAMES:
        return None
    table = Table(title=Text("Who beats whom", style="italic"), title_justify="left", header_style="dim")
    table.add_column("chosen / rejected")
    for name in names:
        table.add_column(Text(visible_text(name, 40)), justify="right")
    for row in names:
        cells = [str(found.beats.get((row, column), 0)) for column in names]
        table.add_row(Text(visible_text(row, 40)), *cells)
    return table


def stats_values(found: PairStats, states: Mapping[str, int], *, source: str, format: str) -> dict[str, Any]:
    """Every number as JSON values; who beat whom as a list."""
    beats = [{"chosen": good, "rejected": bad, "pairs": count} for (good, bad), count in found.beats.items()]
    return {"source": source, "format": format, "states": dict(states), **asdict(found), "beats": beats}


def _counts(found: PairStats, states: Mapping[str, int]) -> list[tuple[str, str, str]]:
    total = str(sum(states.values()))
    return [
        ("pairs", str(found.num_pairs), ""),
        ("prompts", str(found.num_prompts), ""),
        *((f"rows: {state}", str(count), total) for state, count in sorted(states.items())),
    ]


def _spreads(found: PairStats) -> list[tuple[str, str, str]]:
    rows = (
        ("margin", found.margins),
        ("length of the chosen", found.chosen_lengths),
        ("length of the rejected", found.rejected_lengths),
    )
    return [row for name, spread in rows for row in _quartiles(name, spread)]


def _quartiles(name: str, spread: Spread | None) -> list[tuple[str, str, str]]:
    if spread is None:
        return [(name, "not known", "")]
    quartiles = f"{number(spread.middle)} ({number(spread.lower)} to {number(spread.upper)})"
    return [
        (f"{name}: median (quartiles)", quartiles, str(spread.number)),
        (f"{name}: least, largest", f"{number(spread.least)}, {number(spread.largest)}", str(spread.number)),
    ]


def _biases(found: PairStats) -> list[tuple[str, str, str]]:
    return [
        ("the longer answer is chosen", _share(found.longer_chosen), str(found.longer_chosen.total)),
        ("the answer shown first is chosen", _share(found.first_chosen), str(found.first_chosen.total)),
    ]


def _share(share: Share) -> str:
    return "not known" if share.rate is None else f"{score(share.rate)} ({interval(share.low, share.high, sign=False)})"


def _faults(found: PairStats) -> list[tuple[str, str, str]]:
    return [
        ("comparisons that stand both ways round", str(found.num_reversed), ""),
        ("answers chosen in one pair, rejected in another", str(found.num_both_sides), ""),
    ]


def _names(found: PairStats) -> list[tuple[str, str, str]]:
    kinds = (("chosen of", found.chosen_models), ("rejected of", found.rejected_models), ("judge", found.judges))
    return [row for kind, counts in kinds for row in _most(kind, counts, str(found.num_pairs))]


def _most(kind: str, counts: Mapping[str, int], total: str) -> list[tuple[str, str, str]]:
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    rows = [(f"{kind} {name}", str(count), total) for name, count in ordered[:MAX_NAMES]]
    rest = ordered[MAX_NAMES:]
    return rows + ([(f"{kind} {len(rest)} others", str(sum(count for _, count in rest)), total)] if rest else [])
