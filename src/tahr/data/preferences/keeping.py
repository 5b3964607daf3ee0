"""What a format has no room for, found by writing each pair and reading it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tahr.core.preferences import Pair
from tahr.data.columns import RowError
from tahr.data.preferences.formats import Format, ReadOptions, find_format

WHOLE = "the pair itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """`lost` counts, for each part of `num_pairs` pairs, in how many of them it does not come back.

    Example: ``Kept(format="hh", num_pairs=90, lost={"margin": 90, "provenance.judge": 90})``
    """

    format: str
    num_pairs: int
    lost: dict[str, int]


def kept_by(pairs: Iterable[Pair], format: str) -> Kept:
    """What becomes of every part of the pairs in `format`, whose writer must exist.

    Raises UnknownNameError for a format that there is none of, InputError where a pair can't be told in it at all.
    """
    found = find_format(format)
    lost, num_pairs = Counter[str](), 0
    for pair in pairs:
        num_pairs += 1
        lost.update(_lost(pair, found))
    return Kept(format=format, num_pairs=num_pairs, lost=dict(sorted(lost.items())))


def _lost(pair: Pair, format: Format) -> list[str]:
    assert format.write is not None  # who calls this has refused formats that are only read
    try:
        back = format.read(format.write(pair), ReadOptions()).pairs
    except RowError:
        back = ()
    if not back or back[0].id != pair.id:
        return [WHOLE]
    again = back[0]
    margin = ["margin"] if again.margin != pair.margin else []
    return margin + [
        f"provenance.{key}"
        for key, value in pair.provenance.items()
        if value is not None and again.provenance.get(key) != value
    ]
