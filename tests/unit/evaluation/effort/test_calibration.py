import random
from itertools import product
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.errors import InputError
from tahr.evaluation.effort.calibration import calibration, ranking
from tahr.evaluation.effort.confidence import Judged

items = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]), st.sampled_from([0.0, 1.0])), min_size=2, max_size=12
)


def of(*pairs: tuple[float, float], per_cluster: int = 1) -> list[Judged]:
    return [
        Judged(confidence=sure, correct=right, cluster=str(index // per_cluster))
        for index, (sure, right) in enumerate(pairs)
    ]


def test_two_bins_by_hand() -> None:
    # 0.9 is right half the time, 0.2 a quarter of it: gaps 0.4 and 0.05
    found = calibration(of((0.9, 1), (0.9, 0), (0.9, 1), (0.9, 0), (0.2, 1), (0.2, 0), (0.2, 0), (0.2, 0)))
    assert found.error == pytest.approx((0.4 + 0.05) / 2)
    assert [(one.num_attempts, one.confidence, one.correct.mean) for one in found.bins] == [
        (4, pytest.approx(0.2), 0.25),
        (4, pytest.approx(0.9), 0.5),
    ]
    # squares: 0.9: 0.01, 0.81 twice each; 0.2: 0.64 once, 0.04 three times
    assert found.brier.score == pytest.approx((2 * 0.82 + 0.64 + 3 * 0.04) / 8)
    assert found.brier.uncertainty == pytest.approx(3 / 8 * 5 / 8)
    assert found.brier.miscalibration == pytest.approx((0.4**2 + 0.05**2) / 2)
    assert found.brier.discrimination == pytest.approx(0.125**2)
    # right over wrong: 2 of 0.9 against 2 of 0.9 (ties) and 3 of 0.2, 1 of 0.2 against 3 of 0.2 (ties)
    assert found.ranking.value == pytest.approx((2 * 2 / 2 + 2 * 3 + 3 / 2) / (3 * 5))
    assert (found.confidence, found.accuracy) == (pytest.approx(0.55), 3 / 8)


@given(items)
@settings(max_examples=25, deadline=None)
def test_the_brier_score_falls_into_its_parts(pairs: list[tuple[float, float]]) -> None:
    found = calibration(of(*pairs)).brier
    assert found.score == pytest.approx(fmean((sure - right) ** 2 for sure, right in pairs))
    assert found.score == pytest.approx(found.miscalibration - found.discrimination + found.uncertainty)
    assert found.miscalibration >= -1e-12
    assert found.discrimination >= -1e-12


@given(items)
@settings(max_examples=25, deadline=None)
def test_ranking_counts_pairs(pairs: list[tuple[float, float]]) -> None:
    good, bad = ([sure for sure, right in pairs if right == side] for side in (1, 0))
    won = [1.0 if one > other else 0.5 if one == other else 0.0 for one, other in product(good, bad)]
    assert ranking(of(*pairs)).value == (pytest.approx(fmean(won)) if won else None)


def drawn(seed: int, num_tasks: int, per_cluster: int, shift: float) -> list[Judged]:
    """Attempts that are right as often as their confidence less `shift` says, those of a task alike."""
    generator = random.Random(seed)
    pairs: list[tuple[float, float]] = []
    for _ in range(num_tasks):
        sure, luck = generator.uniform(shift, 1), generator.random()
        pairs += [(sure, float(luck < sure - shift))] * per_cluster
    return of(*pairs, per_cluster=per_cluster)


@pytest.mark.slow
@pytest.mark.parametrize("per_cluster", [1, 4])
def test_true_confidences_are_rarely_called_false(per_cluster: int) -> None:
    false = sum(calibration(drawn(seed, 80, per_cluster, 0.0)).p <= 0.1 for seed in range(100))
    assert 3 <= false <= 20  # of 100 with chance 0.1: beyond three standard errors on either side


def test_false_confidences_are_found() -> None:
    found = calibration(drawn(0, 300, 1, 0.25))
    assert found.p < 0.01
    assert 0.2 < found.error < 0.3
    assert found.error_if_true < 0.1
    assert found.bins[-1].correct.mean < found.bins[-1].expected[0]


def test_equal_confidences_are_one_bin() -> None:
    found = calibration(of(*[(1.0, 1.0)] * 30))
    assert (len(found.bins), found.error, found.p) == (1, 0.0, 1.0)
    assert found.ranking.value is None
    with pytest.raises(InputError):
        calibration([])
