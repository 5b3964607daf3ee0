"""The statistics of evaluations against the package evalstats, where it is installed; it is no dependency."""

from __future__ import annotations

from random import Random

import pytest

from tahr.evaluation.clustered import clustered_mean
from tahr.evaluation.corrections import benjamini_hochberg, holm
from tahr.evaluation.shares import share_interval

np = pytest.importorskip("numpy")
resampling = pytest.importorskip("evalstats.core.resampling", reason="pip install evalstats")
stats_utils = pytest.importorskip("evalstats.core.stats_utils")

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(("right", "num"), [(8, 10), (1, 30), (150, 164), (0, 12), (12, 12)])
def test_shares(right: int, num: int) -> None:
    values = [1.0] * right + [0.0] * (num - right)
    wilson, jeffreys = share_interval(values), share_interval(values, method="jeffreys")
    assert (wilson.low, wilson.high) == pytest.approx(resampling.wilson_ci(right, num, 0.05), abs=1e-9)
    # ours reaches 0 and 1 where none or all are right, as Brown, Cai and DasGupta advise
    ends = 1e-9 if 0 < right < num else 1e-4
    assert (jeffreys.low, jeffreys.high) == pytest.approx(resampling.jeffreys_ci(right, num, 0.05), abs=ends)


def test_several_attempts_at_a_question() -> None:
    random = Random(1)
    rates = [random.random() for _ in range(400)]
    scores = np.array([[float(random.random() < rate) for _ in range(4)] for rate in rates])
    found = share_interval(list(scores.mean(axis=1)), num_attempts=1600)
    # theirs leaves out the factor n / (n - 1), by which one attempt at each comes out as Wilson's interval
    assert (found.low, found.high) == pytest.approx(resampling.wilson_nested_od(scores, 0.05), abs=2e-4)


@pytest.mark.parametrize(("gained", "lost", "num"), [(5, 0, 100), (20, 8, 200), (60, 50, 541)])
def test_paired_right_and_wrong(gained: int, lost: int, num: int) -> None:
    first = np.array([0.0] * gained + [1.0] * lost + [0.0] * (num - gained - lost))
    second = np.array([1.0] * gained + [0.0] * lost + [0.0] * (num - gained - lost))
    low, high = resampling.bonett_price_paired_ci(second, first, 0.05)
    found = clustered_mean(list(second - first), imagined=1.0)
    # theirs moves the middle towards zero and has normal quantiles
    assert found.high - found.low == pytest.approx(high - low, rel=0.03)
    assert (found.low + found.high) / 2 * num / (num + 2) == pytest.approx((low + high) / 2, abs=1e-9)


def test_corrections() -> None:
    random = Random(2)
    ps = [random.random() ** 3 for _ in range(25)]
    assert holm(ps) == pytest.approx(list(stats_utils.correct_pvalues(np.array(ps), "holm")))
    assert benjamini_hochberg(ps) == pytest.approx(list(stats_utils.correct_pvalues(np.array(ps), "fdr_bh")))
