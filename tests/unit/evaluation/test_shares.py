"""Intervals of shares: published values, and what clusters and attempts count for."""

from __future__ import annotations

import pytest
from scipy.stats import beta

from tahr.core.errors import InputError
from tahr.evaluation.shares import beta_interval, share_interval
from tahr.evaluation.statistics import wilson_interval


def test_one_attempt_at_unrelated_tasks_is_wilsons_interval() -> None:
    found = share_interval([1.0] * 8 + [0.0] * 2)
    assert (found.low, found.high) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert found.effective == pytest.approx(10)


def test_beta_interval_is_that_of_the_distribution() -> None:
    for right, trials in ((1, 5), (8, 10), (2.5, 7.25)):
        ends = beta.ppf([0.025, 0.975], right + 0.5, trials - right + 0.5)
        assert beta_interval(right, trials) == pytest.approx(tuple(ends))
    assert beta_interval(0, 10) == (0.0, pytest.approx(0.2171962, abs=1e-6))
    assert beta_interval(10, 10, prior=(1, 1))[1] == 1.0
    found = share_interval([1.0] * 8 + [0.0] * 2, method="jeffreys")
    assert (found.low, found.high) == pytest.approx(beta_interval(8, 10))


def test_several_attempts_count_as_what_they_vary_like() -> None:
    # attempts at a question that all agree are one attempt each
    alike = share_interval([1.0] * 8 + [0.0] * 2, num_attempts=80)
    assert alike.effective == pytest.approx(10)
    # attempts that differ within questions, and questions that are alike: as many attempts as there were, no more
    mixed = share_interval([0.5, 0.5, 0.25, 0.75] * 3, num_attempts=48)
    assert mixed.effective == 48
    assert (mixed.low, mixed.high) == pytest.approx(wilson_interval(0.5, 48))


def test_tasks_of_one_cluster_count_for_less() -> None:
    values = [1.0] * 10 + [0.0] * 10 + [1.0] * 10 + [0.0] * 10 + [1.0] * 10 + [0.0] * 10
    clusters = [f"passage {place // 10}" for place in range(60)]
    alone, together = share_interval(values), share_interval(values, clusters)
    assert alone.effective == pytest.approx(60)
    assert together.effective < 6
    assert together.low < alone.low and together.high > alone.high


def test_all_right_rests_on_clusters() -> None:
    found = share_interval([1.0] * 30, [f"passage {place // 10}" for place in range(30)])
    assert found.high == pytest.approx(1) and found.low == pytest.approx(wilson_interval(1.0, 3)[0])


def test_values_that_are_no_shares_are_refused() -> None:
    with pytest.raises(InputError, match="within 0 and 1"):
        share_interval([0.5, 1.5])
    with pytest.raises(InputError, match="11 of 10"):
        beta_interval(11, 10)
