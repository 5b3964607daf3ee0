"""What a set of pairs holds: who beat whom, by how much, and whether length or position decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any, TypeVar

from tahr.core.preferences import Pair, content_id
from tahr.evaluation.statistics import LEVEL, wilson_interval

T = TypeVar("T")

UNKNOWN = "not stated"
"""Stands for a model or a judge that no provenance names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`count` of `total` pairs, with Wilson's interval, which takes pairs for independent; `rate` of none is None.

    Example: ``Share(count=60, total=100, rate=0.6, low=0.502, high=0.691)``
    """

    count: int
    total: int
    rate: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The least, the quartiles and the largest of `number` values.

    Example: ``Spread(number=5, least=0.0, lower=1.0, middle=2.0, upper=3.0, largest=4.0)``
    """

    number: int
    least: float
    lower: float
    middle: float
    upper: float
    largest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStats:
    """What `pair_stats` found. Lengths are in characters.

    `beats` counts wins by (the chosen answer's model, the rejected one's). `longer_chosen` is over pairs of unequal
    length, `first_chosen` over pairs whose provenance has the order in which one judge saw them once. `num_equal`
    counts pairs of one text twice, `num_duplicates` pairs that stand there already, `num_reversed` comparisons that
    stand both ways round, `num_both_sides` answers that are chosen in one pair and rejected in another.

    Example: ``pair_stats(read_pairs("pairs.jsonl").pairs).longer_chosen.rate``
    """

    num_pairs: int
    num_prompts: int
    chosen_models: Mapping[str, int]
    rejected_models: Mapping[str, int]
    judges: Mapping[str, int]
    beats: Mapping[tuple[str, str], int]
    margins: Spread | None
    chosen_lengths: Spread | None
    rejected_lengths: Spread | None
    longer_chosen: Share
    first_chosen: Share
    num_equal: int
    num_duplicates: int
    num_reversed: int
    num_both_sides: int


def pair_stats(pairs: Sequence[Pair], *, level: float = LEVEL) -> PairStats:
    """All of it, in one go over `pairs`; of none, counts are 0 and spreads None."""
    unequal = [pair for pair in pairs if len(pair.chosen) != len(pair.rejected)]
    places = [place for pair in pairs if (place := _place_of_chosen(pair)) is not None]
    ids = Counter(pair.id for pair in pairs)
    chosen, rejected = ({content_id(p.prompt_id, answer(p)) for p in pairs if not _equal(p)} for answer in _SIDES)
    return PairStats(
        num_pairs=len(pairs),
        num_prompts=len({pair.prompt_id for pair in pairs}),
        chosen_models=_count(_stated(pair, "chosen_model") for pair in pairs),
        rejected_models=_count(_stated(pair, "rejected_model") for pair in pairs),
        judges=_count(_stated(pair, "judge") for pair in pairs),
        beats=_count((_stated(pair, "chosen_model"), _stated(pair, "rejected_model")) for pair in pairs),
        margins=_spread([pair.margin for pair in pairs if pair.margin is not None]),
        chosen_lengths=_spread([len(pair.chosen) for pair in pairs]),
        rejected_lengths=_spread([len(pair.rejected) for pair in pairs]),
        longer_chosen=_share(sum(len(pair.chosen) > len(pair.rejected) for pair in unequal), len(unequal), level),
        first_chosen=_share(places.count(0), len(places), level),
        num_equal=sum(_equal(pair) for pair in pairs),
        num_duplicates=len(pairs) - len(ids),
        num_reversed=_num_reversed(pairs, ids),
        num_both_sides=len(chosen & rejected),
    )


_SIDES: tuple[Callable[[Pair], str], ...] = (lambda pair: pair.chosen, lambda pair: pair.rejected)


def _equal(pair: Pair) -> bool:
    return pair.chosen == pair.rejected


def _num_reversed(pairs: Iterable[Pair], ids: Mapping[str, int]) -> int:
    """Comparisons that stand both ways round, each counted once."""
    turned = {
        frozenset((pair.id, other))
        for pair in pairs
        if not _equal(pair) and (other := content_id(pair.prompt_id, pair.rejected, pair.chosen)) in ids
    }
    return len(turned)


def _place_of_chosen(pair: Pair) -> int | None:
    """Where the chosen answer stood for its judge; None where that is not known, or it was asked in both orders."""
    order: Any = pair.provenance.get("order")
    judgment: Any = pair.provenance.get("judgment")
    if isinstance(judgment, dict) and "asked" in judgment:
        return None  # both orders were asked, and only what they agree on is a pair
    return [str(one) for one in order].index("chosen") if _is_order(order) else None


def _is_order(order: Any) -> bool:
    return isinstance(order, list | tuple) and sorted(map(str, order)) == ["chosen", "rejected"]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _stated(pair: Pair, key: str) -> str:
    return str(pair.provenance.get(key) or UNKNOWN)


def _count(values: Iterable[T]) -> dict[T, int]:
    """Most frequent first."""
    return dict(Counter(values).most_common())


def _share(count: int, total: int, level: float) -> Share:
    rate = count / total if total else None
    low, high = wilson_interval(rate or 0.0, total, level=level)
    return Share(count=count, total=total, rate=rate, low=low, high=high)


def _spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    lower, upper = (values[0],) * 2 if len(values) == 1 else quantiles(values, n=4, method="inclusive")[::2]
    return Spread(
        number=len(values),
        least=min(values),
        lower=lower,
        middle=median(values),
        upper=upper,
        largest=max(values),
    )
