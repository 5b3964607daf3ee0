"""Clustered means: closed forms, the usual t interval as a special case, and what few or equal clusters do."""

from __future__ import annotations

import math
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.errors import InputError
from tahr.evaluation.clustered import clustered_mean, t_quantile, two_sided_p

VALUES = [0.0, 1.0, 1.0, 0.5, 0.25, 1.0, 0.0]


def test_tasks_alone_have_the_usual_t_interval() -> None:
    found = clustered_mean(VALUES)
    error = stdev(VALUES) / math.sqrt(7)
    assert found.standard_error == pytest.approx(error)
    assert found.freedom == pytest.approx(6)
    assert (found.num_clusters, found.design_effect) == (7, pytest.approx(1))
    assert found.high - found.mean == pytest.approx(2.4469118 * error)  # Student's quantile for 6
    assert clustered_mean(VALUES, ["", "", "", "", "", "", ""]) == found


def test_equal_clusters_are_their_means() -> None:
    # clusters of two with means 0.5, 0.75, 0, 1: the t interval of four means
    values, clusters = [0.0, 1.0, 1.0, 0.5, 0.0, 0.0, 1.0, 1.0], ["a", "a", "b", "b", "c", "c", "d", "d"]
    found = clustered_mean(values, clusters)
    assert found.mean == pytest.approx(0.5625)
    assert found.standard_error == pytest.approx(stdev([0.5, 0.75, 0.0, 1.0]) / 2)
    assert found.freedom == pytest.approx(3)


def test_uneven_clusters_against_the_matrices_themselves() -> None:
    """CR2 and its degrees of freedom by the definitions, with the N x N matrices written out."""
    generator = np.random.default_rng(5)
    sizes = [1, 2, 3, 7, 4]
    owners = np.repeat(np.arange(5), sizes)
    values = generator.normal(size=17) + 1.5 * generator.normal(size=5)[owners]
    n = len(values)
    hat = np.full((n, n), 1 / n)
    sides = []
    for cluster in range(5):
        inside = owners == cluster
        block = np.eye(inside.sum()) - hat[np.ix_(inside, inside)]
        roots, vectors = np.linalg.eigh(block)
        adjusted = vectors @ np.diag(roots**-0.5) @ vectors.T
        sides.append((np.eye(n) - hat)[:, inside] @ adjusted @ np.ones(inside.sum()) / n)
    residuals = values - values.mean()
    variance = sum((side @ values) ** 2 for side in sides)
    between = sum(residuals[owners == c].sum() ** 2 / sizes[c] for c in range(5))
    within = ((residuals**2).sum() - between) / (n - 5)
    usual = (n - sum(size**2 for size in sizes) / n) / 4
    rho = (between / 4 - within) / (between / 4 + (usual - 1) * within)
    working = np.where(owners[:, None] == owners[None, :], rho, 0.0)
    np.fill_diagonal(working, 1.0)
    form = np.stack(sides).T
    small = form.T @ working @ form
    freedom = np.trace(small) ** 2 / np.trace(small @ small)
    found = clustered_mean(list(values), [f"c{owner}" for owner in owners])
    assert 0 < rho < 1
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-10)
    assert found.freedom == pytest.approx(freedom, rel=1e-10)
    assert freedom < 3.5  # less than clusters - 1: one of them holds much of the data


def test_copies_of_a_task_add_nothing() -> None:
    alone = clustered_mean(VALUES)
    copied = clustered_mean([v for v in VALUES for _ in range(20)], [str(i) for i in range(7) for _ in range(20)])
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))
    assert copied.num_tasks == 140 and copied.num_clusters == 7
    assert copied.design_effect == pytest.approx(139 / 6)


def test_p_and_interval_agree() -> None:
    values = [0.1, 0.2, 0.05, 0.3]
    found = clustered_mean(values)
    # mean 0.1625, variance 0.0122917 / 4: t = 2.9314 with 3 degrees of freedom
    assert found.p == pytest.approx(0.0609, abs=1e-4)
    assert found.low < 0
    assert (
        clustered_mean(values, level=1 - found.p + 1e-6).low < 0 < clustered_mean(values, level=1 - found.p - 1e-6).low
    )
    assert two_sided_p(0.0, 0.0, 3) == 1 and two_sided_p(0.1, 0.0, 3) == 0


def test_equal_values_have_the_exact_interval_and_the_sign_test() -> None:
    found = clustered_mean([1.0] * 6, bounds=(-1, 1))
    # 1 - 0.025 ** (1 / 6) of all tasks may be at -1; p is that of six signs alike
    assert found.low == pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 6)))
    assert found.p == pytest.approx(2 * 0.5**6)
    assert (found.high, found.standard_error) == (1.0, 0.0)
    zero = clustered_mean([0.0] * 6, bounds=(-1, 1))
    assert (zero.p, zero.low, zero.high) == (1.0, pytest.approx(-zero.high), pytest.approx(1 - 0.025 ** (1 / 6)))


def test_one_cluster_tells_nothing_of_others() -> None:
    found = clustered_mean([0.0, 1.0, 1.0], ["a", "a", "a"], bounds=(0, 1))
    assert (found.low, found.high, found.p, found.freedom) == (0.0, 1.0, 1.0, 0.0)
    assert math.isinf(found.standard_error)


def test_imagined_tasks_widen_few_changes() -> None:
    differences = [1.0] * 5 + [0.0] * 95
    plain, wide = clustered_mean(differences), clustered_mean(differences, imagined=1.0)
    assert plain.mean == wide.mean == 0.05
    assert plain.p == pytest.approx(0.0245, abs=2e-4)  # McNemar's exact test has 0.0625
    # sqrt(4.75 * 100 / 99 + 2) / 102 = 0.02556: t = 1.956
    assert wide.p == pytest.approx(0.0533, abs=1e-4)
    assert wide.low < 0 < plain.low


def test_values_and_clusters_must_match() -> None:
    with pytest.raises(InputError, match="0 and 0"):
        clustered_mean([])
    with pytest.raises(InputError, match="2 and 1"):
        clustered_mean([0.0, 1.0], ["a"])


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcde")), min_size=2, max_size=40),
    st.randoms(use_true_random=False),
)
def test_order_does_not_matter_and_bounds_hold(rows: list[tuple[float, str]], random: object) -> None:
    found = clustered_mean([v for v, _ in rows], [c for _, c in rows], bounds=(0, 1))
    assert 0 <= found.low <= found.mean + 1e-12 and found.mean - 1e-12 <= found.high <= 1
    assert 0 <= found.p <= 1
    assert found.freedom <= found.num_clusters - 1 + 1e-6
    shuffled = sorted(rows, key=lambda row: (row[1], row[0]))
    again = clustered_mean([v for v, _ in shuffled], [c for _, c in shuffled], bounds=(0, 1))
    assert (again.low, again.high) == pytest.approx((found.low, found.high), abs=1e-6)


def test_quantiles_are_students() -> None:
    assert t_quantile(0.975, 1) == pytest.approx(12.7062047)
    assert t_quantile(0.975, 10.5) == pytest.approx(2.2139, abs=1e-3)
