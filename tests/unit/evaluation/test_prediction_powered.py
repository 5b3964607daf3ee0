"""Means from few labels and many predictions: by hand, in the limits, and in simulated repetition."""

import math
import random

import pytest

from small_labels import pair
from tahr.core.errors import InputError
from tahr.core.preferences import JudgmentState
from tahr.data.labels.label import Comparison, make_label
from tahr.evaluation.prediction_powered import powered_mean, powered_win_rate
from tahr.evaluation.statistics import mean_interval

LABELLED = [(1.0, 1.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0)]
UNLABELLED = [1.0] * 6 + [0.0] * 2


def test_the_plain_estimate_by_hand() -> None:
    found = powered_mean(LABELLED, UNLABELLED, power=1.0)
    # people - predictions: 0, -1, 0, 0, of mean -0.25, and imagined 1 and -1: (0.75 + 1.5625 + 0.5625) / 5 = 0.575
    assert found.mean == pytest.approx(0.5)
    assert found.standard_error == pytest.approx(math.sqrt(0.575 / 4 + (3 / 14) / 8))
    assert found.bias.mean == pytest.approx(0.25)
    assert (found.people.mean, found.predicted.mean) == (0.5, 0.75)


def test_the_tuned_power_by_hand() -> None:
    found = powered_mean(LABELLED * 5, UNLABELLED)
    # with the imagined units: covariance 2/21, variance of all 30 predictions 22 * 8 / (30 * 29)
    assert found.power == pytest.approx((2 / 21) / ((1 + 20 / 8) * 22 * 8 / (30 * 29)))
    assert found.standard_error < powered_mean(LABELLED * 5, UNLABELLED, power=1.0).standard_error
    assert powered_mean([(1.0, 1.0), (0.0, 0.0)] * 100, UNLABELLED * 1000).power > 0.95


def test_without_use_of_predictions_it_is_the_people_s_own_mean() -> None:
    own = mean_interval([value for value, _ in LABELLED])
    for found in (powered_mean(LABELLED, UNLABELLED, power=0.0), powered_mean(LABELLED, [])):
        assert (found.mean, found.low, found.high) == (own.mean, own.low, own.high)
    useless = powered_mean([(1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0)], UNLABELLED)
    assert useless.power == 0.0


def test_a_perfect_predictor_on_a_small_sample_is_not_certain() -> None:
    found = powered_mean([(1.0, 1.0), (0.0, 0.0)] * 5, UNLABELLED * 40, power=1.0)
    # no error in 10 units: up to 0.31 of all units may have one (Clopper and Pearson)
    assert 0.40 < found.low < 0.45
    assert found.high == 1.0


def test_too_few_labels_are_refused() -> None:
    with pytest.raises(InputError, match="too few"):
        powered_mean(LABELLED[:1], UNLABELLED)


def test_the_unit_of_a_win_rate_is_the_prompt_and_a_tie_is_half() -> None:
    compared = [Comparison.of(pair(f"q{n // 2}", f"good {n}", f"bad {n}")) for n in range(12)]
    good = {one.id: next(name for name, text in (one.first, one.second) if "good" in text) for one in compared}

    def said(who: str, one: Comparison, *, tie: bool = False):
        state = JudgmentState.TIE if tie else JudgmentState.JUDGED
        return make_label(one, who, state, preferred=None if tie else good[one.id])

    people = [said("p", compared[0]), said("p", compared[1], tie=True), said("p", compared[2], tie=True)]
    judge = [said("j", one) for one in compared]
    found = powered_win_rate(people, judge, good)
    assert (found.num_labelled, found.num_unlabelled) == (2, 4)
    assert found.people.mean == pytest.approx((0.75 + 0.5) / 2)
    assert found.predicted.mean == 1.0


def coverage(num_trials: int, num_labelled: int, power: float | None = None) -> tuple[float, float, float]:
    """Covered share, width against that of people alone, covered share of the judge alone, which errs by kindness."""
    draw = random.Random(5)
    covered, naive, width, own = 0, 0, 0.0, 0.0
    for _ in range(num_trials):
        units = [
            (value, value if draw.random() < 0.85 else 1.0)
            for value in (float(draw.random() < 0.6) for _ in range(600))
        ]
        found = powered_mean(units[:num_labelled], [guess for _, guess in units[num_labelled:]], power=power)
        covered += found.low <= 0.6 <= found.high
        width += found.high - found.low
        own += found.people.high - found.people.low
        naive += found.predicted.low <= 0.6 <= found.predicted.high
    return covered / num_trials, width / own, naive / num_trials


def test_the_interval_covers_and_is_shorter_than_without_predictions() -> None:
    share, width, naive = coverage(150, 60)
    assert 0.88 <= share <= 1.0  # 0.95, less four standard errors
    assert width < 0.8
    assert naive < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("num_labelled", "power"), [(15, None), (30, None), (60, None), (60, 1.0), (200, None)])
def test_the_interval_covers_in_2000_trials(num_labelled: int, power: float | None) -> None:
    share, _, _ = coverage(2000, num_labelled, power)
    assert 0.94 <= share <= 0.99


def test_two_people_on_one_pair_are_one_unit_whoever_spoke_last() -> None:
    compared = [Comparison.of(pair(f"q{n}", f"good {n}", f"bad {n}")) for n in range(4)]
    good = {one.id: next(name for name, text in (one.first, one.second) if "good" in text) for one in compared}
    bad = {one.id: next(name for name, text in (one.first, one.second) if "bad" in text) for one in compared}

    def said(who: str, of: dict[str, str]):
        return [make_label(one, who, JudgmentState.JUDGED, preferred=of[one.id]) for one in compared]

    ada, bob, judge = said("ada", good), said("bob", bad), said("judge", good)
    found = [powered_win_rate(people, judge, good).people for people in ([*ada, *bob], [*bob, *ada])]
    assert [one.mean for one in found] == [0.5, 0.5]
    assert [one.num_tasks for one in found] == [4, 4]
