"""Whether confidence tells when not to answer: the risk of what is answered, by how much is answered.

Attempts are answered from the surest down. The risk at a coverage is the share of wrong ones among those answered;
attempts of equal confidence come in any order, and the expectation over all orders is taken. Sources: El-Yaniv and
Wiener, JMLR 11 (2010); Geifman, Uziel and El-Yaniv (arXiv 1805.08206) for the area and its excess; Traub et al.,
"Overcoming common flaws in the evaluation of selective classification systems" (arXiv 2407.01032) for the area of the
generalised risk, in which a wrong answer counts the same wherever it stands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tahr.core.errors import InputError
from tahr.evaluation.effort.bootstrap import bootstrap
from tahr.evaluation.effort.confidence import Judged
from tahr.evaluation.resampling import LEVEL, Estimate

Numbers = NDArray[np.float64]

RISKS = (0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstention:
    """What abstaining by confidence achieves. `coverages` and `risks` are the curve, point by point.

    `area` is the mean risk over all coverages (AURC): `area_of_oracle` for who knows every answer, `risk`, the risk of
    answering all, for a confidence that knows nothing. `kept` is the share of the way from the latter to the former
    (1 is the oracle, below 0 worse than chance; None where there is no way). `generalised` is the area of the share of
    all attempts that are answered and wrong (AUGRC). `coverage_at` says how much can be answered at a risk.

    Example: ``Abstention(num_attempts=400, num_clusters=100, risk=0.4, area=area, area_of_oracle=0.09,
    kept=0.6, generalised=generalised, coverage_at={0.1: 0.45}, coverages=(0.5, 1.0), risks=(0.2, 0.4))``
    """

    num_attempts: int
    num_clusters: int
    risk: float
    area: Estimate
    area_of_oracle: float
    kept: float | None
    generalised: Estimate
    coverage_at: dict[float, float]
    coverages: tuple[float, ...]
    risks: tuple[float, ...]


def abstention(
    items: Sequence[Judged], *, risks: Sequence[float] = RISKS, level: float = LEVEL, seed: int = 0
) -> Abstention:
    """Risk and coverage of `items`, with intervals over clusters. Raises InputError without items."""
    if not items:
        raise InputError("abstention needs attempts with a confidence", received="none")
    items = sorted(items, key=lambda item: -item.confidence)
    sure, wrong = np.array([item.confidence for item in items]), np.array([1 - item.correct for item in items])
    starts = np.flatnonzero(np.diff(sure, prepend=math.inf))
    clusters = [item.cluster for item in items]

    def areas(counts: Numbers) -> Numbers:
        return _area(*_blocks(counts, wrong, starts))

    def generalised(counts: Numbers) -> Numbers:
        return _generalised_area(*_blocks(counts, wrong, starts))

    n, risk = len(items), float(wrong.mean())
    area = bootstrap(areas, clusters, level=level, seed=seed)
    oracle = _oracle(n, int(wrong.sum()))
    curve = _curve(wrong, starts)
    way = risk - oracle
    return Abstention(
        num_attempts=n,
        num_clusters=len(set(clusters)),
        risk=risk,
        area=area,
        area_of_oracle=oracle,
        kept=(risk - area.value) / way if way > 1e-12 and area.value is not None else None,
        generalised=bootstrap(generalised, clusters, level=level, seed=seed),
        coverage_at={bound: _coverage_at(curve, bound) for bound in risks},
        coverages=tuple(((np.arange(n) + 1) / n).tolist()),
        risks=tuple(curve.tolist()),
    )


def _blocks(counts: Numbers, wrong: Numbers, starts: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """Attempts and wrong ones in each block of equal confidence, surest first, (B, blocks) each."""
    return np.add.reduceat(counts, starts, axis=1), np.add.reduceat(counts * wrong, starts, axis=1)


def _area(sizes: Numbers, errors: Numbers) -> Numbers:
    """Mean over i = 1..n of the expected risk of the first i, (B,).

    In a block of m attempts with e wrong ones behind N attempts with E wrong ones, the risk of the first N + j is
    ``(E + j e / m) / (N + j)``; over j = 1..m that sums to ``e + (E - N e / m) (digamma(N + m + 1) - digamma(N + 1))``.
    """
    from scipy.special import psi

    before, errors_before = np.cumsum(sizes, axis=1) - sizes, np.cumsum(errors, axis=1) - errors
    rate = errors / np.where(sizes > 0, sizes, 1.0)
    harmonic = psi(before + sizes + 1) - psi(before + 1)
    return (errors + (errors_before - before * rate) * harmonic).sum(axis=1) / sizes.sum(axis=1)


def _generalised_area(sizes: Numbers, errors: Numbers) -> Numbers:
    """Mean over i = 1..n of the expected share of all attempts that are among the first i and wrong, (B,)."""
    errors_before = np.cumsum(errors, axis=1) - errors
    total = sizes.sum(axis=1)
    return (sizes * errors_before + errors * (sizes + 1) / 2).sum(axis=1) / total**2


def _oracle(n: int, num_wrong: int) -> float:
    """The area of who answers all right attempts first."""
    num_right = n - num_wrong
    return sum((i - num_right) / i for i in range(num_right + 1, n + 1)) / n


def _curve(wrong: Numbers, starts: NDArray[np.int64]) -> Numbers:
    """Expected risk of the first i attempts, i = 1..n."""
    sizes = np.diff(np.append(starts, len(wrong)))
    expected = np.repeat(np.add.reduceat(wrong, starts) / sizes, sizes)
    return np.cumsum(expected) / (np.arange(len(wrong)) + 1)


def _coverage_at(curve: Numbers, bound: float) -> float:
    """The largest coverage whose risk is not above the bound; 0 where none is."""
    inside = np.flatnonzero(curve <= bound + 1e-12)
    return float((inside[-1] + 1) / len(curve)) if inside.size else 0.0
