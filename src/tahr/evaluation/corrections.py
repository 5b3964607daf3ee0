"""p-values of many comparisons made together, so that the best of them isn't taken for a finding.

Both return adjusted p-values in the order given: a comparison stands at level a where its adjusted p-value is at most
a, whatever the others are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Literal

from tahr.core.errors import InputError

Correction = Literal["holm", "bh", "none"]


def holm(ps: Sequence[float]) -> list[float]:
    """The chance of even one false finding is at most the level, however the comparisons depend on one another.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6 (1979). Raises InputError
    for values outside 0 and 1.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = _order(ps)
    scaled = [min(1.0, (len(ps) - place) * ps[index]) for place, index in enumerate(order)]
    return _back(order, list(accumulate(scaled, max)))


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Of what is found, at most the level is false on average, where comparisons are independent or go together.

    Source: Benjamini and Hochberg, J. R. Stat. Soc. B 57 (1995). Raises InputError for values outside 0 and 1.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = _order(ps)[::-1]
    scaled = [min(1.0, ps[index] * len(ps) / (len(ps) - place)) for place, index in enumerate(order)]
    return _back(order, list(accumulate(scaled, min)))


def _unchanged(ps: Sequence[float]) -> list[float]:
    return list(ps)


CORRECTIONS: Mapping[Correction, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": _unchanged,
}


def _order(ps: Sequence[float]) -> list[int]:
    wrong = [p for p in ps if not 0 <= p <= 1]
    if wrong:
        raise InputError("a p-value is not within 0 and 1", received=wrong[0])
    return sorted(range(len(ps)), key=ps.__getitem__)


def _back(order: Sequence[int], values: Sequence[float]) -> list[float]:
    found = [0.0] * len(order)
    for index, value in zip(order, values, strict=True):
        found[index] = value
    return found
