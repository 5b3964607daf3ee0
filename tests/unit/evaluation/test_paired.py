"""Paired differences: by hand, with clusters and attempts, and what would settle them."""

from __future__ import annotations

import math
from statistics import stdev

import pytest

from small_attempts import attempt, evaluation
from tahr.core.errors import InputError
from tahr.evaluation.paired import by_domain, least_detectable, paired_difference, tasks_to_settle
from tahr.store.records import Evaluation


def scored(values: dict[str, float | None], name: str = "first", **more: str) -> Evaluation:
    return evaluation(*(attempt(task, correct=value, **more) for task, value in values.items()), name=name)


def test_pairing_by_hand() -> None:
    first = scored({"a": 0.0, "b": 0.5, "c": 1.0, "d": 0.25})
    second = scored({"d": 0.5, "c": 1.0, "b": 0.75, "a": 0.5, "e": 1.0})
    found = paired_difference(first, second)
    differences = [0.5, 0.25, 0.0, 0.25]
    assert found.difference == pytest.approx(0.25)
    assert found.standard_error == pytest.approx(stdev(differences) / 2)
    assert (found.num_tasks, found.num_unpaired, found.freedom) == (4, 1, pytest.approx(3))
    assert (found.first.mean, found.second.mean) == pytest.approx((0.4375, 0.6875))
    assert found.low == pytest.approx(0.25 - 3.1824463 * found.standard_error)
    assert found.is_significant == (found.p < 0.05)


def test_right_and_wrong_once_each_is_cautious_about_few_changes() -> None:
    first = scored({f"t{n}": 0.0 for n in range(100)})
    second = scored({f"t{n}": float(n < 5) for n in range(100)})
    found = paired_difference(first, second)
    assert found.difference == 0.05
    assert found.p == pytest.approx(0.0533, abs=1e-4)  # McNemar's exact test has 0.0625; a plain t test 0.0245
    assert not found.is_significant
    seven = paired_difference(first, scored({f"t{n}": float(n < 7) for n in range(100)}))
    assert seven.is_significant  # the exact test of 7 to 0 has 0.0156


def test_all_changed_alike_is_the_sign_test() -> None:
    found = paired_difference(scored({f"t{n}": 0.0 for n in range(6)}), scored({f"t{n}": 1.0 for n in range(6)}))
    assert found.p == pytest.approx(2 / 64)
    assert found.low > 0 and found.high == 1
    assert found.correlation is None


def test_clusters_are_the_draws() -> None:
    names = [f"t{n}" for n in range(40)]
    first = evaluation(*(attempt(t, correct=0.0, cluster=f"p{i // 10}") for i, t in enumerate(names)))
    second = evaluation(*(attempt(t, correct=float(i >= 20), cluster=f"p{i // 10}") for i, t in enumerate(names)))
    found = paired_difference(first, second)
    assert (found.num_tasks, found.num_clusters) == (40, 4)
    assert found.low < 0  # two passages of four
    apart = paired_difference(
        scored(dict.fromkeys(names, 0.0)), scored({t: float(i >= 20) for i, t in enumerate(names)})
    )
    assert apart.low > 0.3
    assert found.design_effect == pytest.approx(13, rel=0.01)


def test_attempts_are_averaged_and_absent_ones_counted() -> None:
    first = evaluation(
        attempt("a", correct=1.0), attempt("a", correct=0.0, index=1), attempt("b", correct=None), attempt("c")
    )
    second = scored({"a": 1.0, "b": 1.0, "c": 1.0})
    found = paired_difference(first, second)
    assert (found.num_tasks, found.num_unpaired, found.num_excluded) == (2, 1, 1)
    assert found.difference == pytest.approx(0.25)


def test_domains_and_chosen_tasks() -> None:
    rows = [("a", "x", 0.0, 1.0), ("b", "x", 0.0, 1.0), ("c", "y", 1.0, 0.0), ("d", "y", 1.0, 0.5)]
    first = evaluation(*(attempt(t, domain=d, correct=v) for t, d, v, _ in rows))
    second = evaluation(*(attempt(t, domain=d, correct=v) for t, d, _, v in rows))
    found = {one.domain: one.difference for one in by_domain(first, second)}
    assert found == {"": pytest.approx(0.125), "x": 1.0, "y": -0.75}
    assert paired_difference(first, second, tasks=frozenset({"a", "d"})).difference == 0.25
    with pytest.raises(InputError, match="no task in common"):
        paired_difference(first, second, tasks=frozenset())
    with pytest.raises(InputError, match="'half' in 'x'"):
        paired_difference(first, second, part="half", domain="x")


def test_what_would_settle_it() -> None:
    assert least_detectable(0.02, 1e9) == pytest.approx(0.0560, abs=1e-4)  # (1.96 + 0.84) standard errors
    assert least_detectable(0.02, 4) > 0.07
    assert math.isinf(least_detectable(math.inf, 0))
    assert math.isinf(least_detectable(0.0, 2))  # differences all alike: nothing is known of their spread
    assert tasks_to_settle(0.028, 0.056, 100) == 400
    assert tasks_to_settle(-0.056, 0.056, 100) == 100
    assert tasks_to_settle(0.0, 0.056, 100) is None
    assert tasks_to_settle(0.1, math.inf, 1) is None


def test_scores_beyond_one_have_their_own_range() -> None:
    found = paired_difference(scored({"a": 2.0, "b": -1.0, "c": 0.0}), scored({"a": 5.0, "b": -1.0, "c": 0.0}))
    assert found.difference == 1.0
    assert -6 <= found.low < found.high <= 6


def test_one_change_in_many_attempts_is_not_precise() -> None:
    """One attempt of 160 came out otherwise: the plain t interval would end at 0.019."""
    first = evaluation(*(attempt(f"t{n}", correct=0.0, index=i) for n in range(40) for i in range(4)))
    second = evaluation(*(attempt(f"t{n}", correct=float(n == i == 0), index=i) for n in range(40) for i in range(4)))
    found = paired_difference(first, second)
    assert found.difference == pytest.approx(1 / 160)
    # sqrt(1 / 16 + 2 / 16) / 42 = 0.010310; Student's quantile for 39 is 2.0227
    assert found.high == pytest.approx(1 / 160 + 2.0227 * 0.010310, abs=2e-5)
