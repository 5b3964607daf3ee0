"""People's labels from elsewhere: a table of ids and words, joined to pairs by id and never by position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.json_text import has_half_character
from tahr.core.preferences import JudgmentState, Pair, content_id
from tahr.data.columns import is_missing
from tahr.data.labels.files import now
from tahr.data.labels.label import Comparison, Label, make_label
from tahr.data.rows import Row, stream_rows

WORDS = ("chosen", "rejected", "tie", "not_applicable")
COLUMNS = {"id": "id", "label": "label", "who": "who"}
MAX_NOTES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedLabels:
    """What a table gave. `refused` counts rows by why they gave no label, `notes` tells of the first few.

    Example: ``ImportedLabels(labels=(label,), refused={"unknown id": 2}, notes=("people.csv, line 3: ...",))``
    """

    labels: tuple[Label, ...]
    refused: Mapping[str, int]
    notes: tuple[str, ...]


def import_labels(
    table: Path,
    pairs: Iterable[Pair],
    *,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, str] | None = None,
    who: str | None = None,
) -> ImportedLabels:
    """Labels from a CSV, TSV, JSON lines or Parquet table, one row a label.

    The column `id` holds a pair's id, or the `source_id` of its provenance; `label` one of WORDS, meant of the pair as
    it stands in `pairs`; `who` the rater, unless `who` says it for all. `columns` gives their names in the table
    ({"label": "verdict"}), `words` what its own words mean ({"A": "chosen"}). Rows with another id or word, or a second
    row of a rater on a pair that says something else, are refused and counted. Raises InputError where no row is left.
    """
    columns, words = _checked(columns or {}, COLUMNS, "column"), dict(words or {})
    for meaning in words.values():
        if meaning not in WORDS:
            raise UnknownNameError("label", meaning, WORDS)
    known = _by_id(pairs)
    found: dict[tuple[str, str], Label] = {}
    refused, notes, contradicted = Counter[str](), list[str](), set[tuple[str, str]]()
    for row in stream_rows(table):
        label = _label(row, known, {**COLUMNS, **columns}, words, who)
        if isinstance(label, str):
            refused[label.partition(":")[0]] += 1
            notes += [f"{row.place}: {label}"] if len(notes) < MAX_NOTES else []
            continue
        key = (label.who, label.comparison)
        if key in found and found[key].verdict != label.verdict:
            contradicted.add(key)
        found.setdefault(key, label)
    for key in contradicted:
        del found[key]
        refused["contradicted"] += 1
    if not found:
        raise InputError(
            f"no row of {table} is a label of these pairs",
            received="\n  ".join(["", *notes]) if notes else "an empty table",
            instead="--column and --value, or the pairs that were labelled",
        )
    return ImportedLabels(labels=tuple(found.values()), refused=dict(refused), notes=tuple(notes))


def _by_id(pairs: Iterable[Pair]) -> dict[str, Pair | None]:
    """Pairs under all their ids; None where an id means several."""
    known: dict[str, Pair | None] = {}
    for pair in pairs:
        for name in {pair.id, str(pair.provenance.get("source_id") or pair.id)}:
            known[name] = pair if known.get(name, pair) == pair else None
    return known


def _label(
    row: Row, known: Mapping[str, Pair | None], columns: Mapping[str, str], words: Mapping[str, str], who: str | None
) -> Label | str:
    """The label of a row, or why there is none."""
    name, said = _cell(row, columns["id"]), _cell(row, columns["label"])
    rater = who or _cell(row, columns["who"], optional=True)
    if not rater:
        raise InputError(f"{row.place}: nobody is named", received=", ".join(row.values), instead="--who NAME")
    if has_half_character(rater):
        return f"unreadable name: {rater[:80]!r}"
    if name not in known:
        return f"unknown id: {name[:80]!r}"
    pair = known[name]
    if pair is None:
        return f"ambiguous id: {name[:80]!r} is that of several pairs"
    word = words.get(said, said)
    if word not in WORDS:
        return f"unknown label: {said[:80]!r}"
    comparison = Comparison.of(pair)
    texts = {"chosen": pair.chosen, "rejected": pair.rejected}
    states = {"tie": JudgmentState.TIE, "not_applicable": JudgmentState.NOT_APPLICABLE}
    preferred = content_id(pair.prompt_id, texts[word]) if word in texts else None
    state = states.get(word, JudgmentState.JUDGED)
    return make_label(comparison, rater, state, preferred=preferred, imported=row.place, at=now())


def _cell(row: Row, column: str, *, optional: bool = False) -> str:
    if column not in row.values and not optional:
        raise UnknownNameError(f"column ({row.place.partition(',')[0]})", column, row.values)
    value: Any = row.values.get(column)
    return "" if is_missing(value) else str(value).strip()


def _checked(given: Mapping[str, str], known: Mapping[str, str], kind: str) -> Mapping[str, str]:
    for name in given:
        if name not in known:
            raise UnknownNameError(kind, name, known)
    return given
