from itertools import pairwise, permutations
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.errors import InputError
from tahr.evaluation.effort.abstention import abstention
from tahr.evaluation.effort.confidence import Judged

items = st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=6)


def of(*pairs: tuple[float, float]) -> list[Judged]:
    return [Judged(confidence=sure, correct=right, cluster=str(index)) for index, (sure, right) in enumerate(pairs)]


def test_a_curve_by_hand() -> None:
    found = abstention(of((0.9, 1), (0.8, 1), (0.7, 0), (0.6, 1)), risks=(0.0, 0.3, 0.4))
    assert found.risks == pytest.approx((0, 0, 1 / 3, 1 / 4))
    assert found.coverages == (0.25, 0.5, 0.75, 1.0)
    assert found.area.value == pytest.approx((1 / 3 + 1 / 4) / 4)
    assert found.area_of_oracle == pytest.approx(1 / 4 / 4)
    assert found.kept == pytest.approx((1 / 4 - 7 / 48) / (1 / 4 - 1 / 16))
    assert found.generalised.value == pytest.approx((0 + 0 + 1 + 1) / 16)
    assert found.coverage_at == {0.0: 0.5, 0.3: 1.0, 0.4: 1.0}


@given(items)
@settings(max_examples=30, deadline=None)
def test_ties_come_in_any_order(pairs: list[tuple[float, float]]) -> None:
    areas: list[float] = []
    generalised: list[float] = []
    for order in permutations(pairs):
        if any(before[0] < after[0] for before, after in pairwise(order)):
            continue
        wrong = [sum(1 - right for _, right in order[: end + 1]) for end in range(len(order))]
        areas.append(fmean(errors / (end + 1) for end, errors in enumerate(wrong)))
        generalised.append(fmean(errors / len(order) for errors in wrong))
    found = abstention(of(*pairs))
    assert found.area.value == pytest.approx(fmean(areas))
    assert found.generalised.value == pytest.approx(fmean(generalised))
    assert fmean(found.risks) == pytest.approx(fmean(areas))


def test_a_confidence_that_knows_nothing_or_everything() -> None:
    blind = abstention(of((0.5, 1), (0.5, 0), (0.5, 1), (0.5, 0)))
    assert blind.kept == pytest.approx(0)
    assert blind.area.value == pytest.approx(blind.risk)
    assert abstention(of((0.9, 1), (0.1, 0))).kept == pytest.approx(1)
    assert abstention(of((0.1, 1), (0.9, 0))).kept == pytest.approx(-1)
    assert abstention(of((0.9, 1), (0.1, 1))).kept is None  # nothing to abstain from
    with pytest.raises(InputError):
        abstention([])


def test_a_cluster_counts_once() -> None:
    pairs = [(0.9, 1.0), (0.7, 0.0), (0.6, 1.0), (0.4, 1.0), (0.3, 0.0)] * 4
    copied = [
        Judged(confidence=sure, correct=right, cluster=str(i)) for i, (sure, right) in enumerate(pairs) for _ in "123"
    ]
    one, many = abstention(of(*pairs)).area, abstention(copied).area
    assert one.low is not None and many.low is not None and one.high is not None and many.high is not None
    assert many.high - many.low == pytest.approx(one.high - one.low, rel=0.25)  # and not by a root of three less
