"""Accuracy, calibration, length bias and RewardBench 2's scores against values worked out by hand."""

import math

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message
from tahr.evaluation.preferences.contest import Contest
from tahr.evaluation.preferences.measures import accuracy, calibration, length_bias
from tahr.evaluation.preferences.reward_bench import reward_bench_scores, ties_score
from tahr.evaluation.preferences.scored import ScoredContest
from tahr.losses.reward_metrics import length_correlation, top_credit

LN3 = math.log(3)


def scored(chosen, rejected, *, lengths=None, domain="", id="0"):
    contest = Contest(
        id=id,
        prompt=(Message(role="user", content="?"),),
        chosen=("a",) * len(chosen),
        rejected=("b",) * len(rejected),
        domain=domain,
    )
    return ScoredContest(
        contest=contest,
        scores=(*chosen, *rejected),
        lengths=lengths or (1,) * (len(chosen) + len(rejected)),
    )


@pytest.mark.parametrize(
    ("chosen", "rejected", "credit"),
    [
        ([3.0], [2.0, 1.0, 0.0], 1.0),
        ([3.0], [3.0, 1.0, 0.0], 1 / 2),
        ([3.0], [3.0, 3.0, 0.0], 1 / 3),
        ([3.0], [3.0, 3.0, 3.0], 1 / 4),
        ([2.0], [3.0, 1.0, 0.0], 0.0),
        ([1.0], [1.0], 1 / 2),
    ],
)
def test_the_best_of_four_shares_a_tie_at_the_top(chosen, rejected, credit):
    assert top_credit(chosen, rejected) == pytest.approx(credit)


def test_accuracy_with_wilsons_interval():
    found = accuracy([scored([1.0], [0.0])] * 7 + [scored([0.0], [1.0])] * 2 + [scored([0.0], [0.0])])
    assert found.mean == pytest.approx(0.75)
    assert (found.num_contests, found.num_ties) == (10, 1)
    # Wilson, n = 10, p = 0.75, z = 1.96: middle 0.942073 / 1.384146, half 1.41601 * sqrt(0.0283537)
    assert (found.low, found.high) == (pytest.approx(0.4422, abs=1e-4), pytest.approx(0.9191, abs=1e-4))


def test_calibration_of_a_model_that_is_75_percent_sure_and_right_half_the_time():
    # a gap of ln 3 is a probability of 3/4: the Brier score is the mean of (1/4)^2 and (3/4)^2
    found = calibration([scored([LN3], [0.0]), scored([0.0], [LN3])])
    assert found.brier == pytest.approx((1 / 16 + 9 / 16) / 2)
    assert found.error == pytest.approx(0.25)
    assert [(one.num_pairs, one.right) for one in found.bins] == [(2, 0.5)]
    assert found.bins[0].confidence == pytest.approx(0.75)


def test_a_model_that_knows_nothing_has_a_brier_score_of_a_quarter_and_no_error():
    found = calibration([scored([0.3], [0.3])] * 4)
    assert found.brier == pytest.approx(0.25)
    assert found.error == pytest.approx(0.0)


def test_length_bias_by_which_answer_is_longer():
    found = length_bias(
        [
            scored([2.0], [1.0], lengths=(9, 4)),
            scored([3.0], [1.0], lengths=(8, 3)),
            scored([0.0], [1.0], lengths=(2, 7)),
            scored([1.0], [0.0], lengths=(5, 5)),
        ]
    )
    assert found.when_longer is not None
    assert found.when_shorter is not None
    assert (found.when_longer.mean, found.when_longer.num_contests) == (1.0, 2)
    assert (found.when_shorter.mean, found.when_shorter.num_contests) == (0.0, 1)
    # gaps 1, 2, -1, 1 against 5, 5, -5, 0: sum xy = 20, sum x^2 = 7, sum y^2 = 75
    assert found.correlation == pytest.approx(20 / math.sqrt(7 * 75))


def test_length_correlation_is_absent_where_nothing_varies():
    assert length_correlation([[1.0, 0.0]], [[4, 4]]) is None


def ties(ref_gap, tied_gap, spread, number):
    return [
        scored([ref_gap], [0.0], domain="Ties", id=f"ref:{number}"),
        scored([tied_gap + spread, tied_gap], [0.0, -1.0], domain="Ties", id=f"tied:{number}"),
    ]


def test_the_ties_by_hand():
    # prompt 1: both gaps above the spread of 1: every part counts, and min(3, 2) / 1 - 1 = 1
    assert ties_score(ties(3.0, 2.0, 1.0, 1)) == pytest.approx(1.0 + 0.01 * math.tanh(1.0))
    # prompt 2: ref 0.5 below the spread of 1, tied 2 above: the hard part is lost, tanh(0.5 - 1)
    assert ties_score(ties(0.5, 2.0, 1.0, 2)) == pytest.approx(0.8 + 0.01 * math.tanh(-0.5))
    # prompt 3: nothing is right; min(-1, -2) / 1 - 1 = -3
    assert ties_score(ties(-1.0, -2.0, 1.0, 3)) == pytest.approx(0.01 * math.tanh(-3.0))
    both = ties_score([*ties(3.0, 2.0, 1.0, 1), *ties(-1.0, -2.0, 1.0, 3)])
    assert both == pytest.approx(0.5 + 0.005 * (math.tanh(1.0) + math.tanh(-3.0)))


def test_right_answers_that_score_the_same_have_no_spread_to_divide_by():
    assert ties_score(ties(1.0, 2.0, 0.0, 1)) == pytest.approx(1.01)
    assert ties_score(ties(0.0, 0.0, 0.0, 1)) == pytest.approx(0.0)


def test_the_mean_over_domains_is_not_weighted_by_their_sizes():
    rows = [scored([1.0], [0.0, 0.0, 0.0], domain="Math")] * 9
    rows += [scored([0.0], [1.0, 0.0, 0.0], domain="Safety")]
    found = reward_bench_scores([*rows, *ties(3.0, 2.0, 1.0, 1)])
    assert [one.name for one in found] == ["Math", "Safety", "Ties", ""]
    top = 1.0 + 0.01 * math.tanh(1.0)
    assert [one.score for one in found] == pytest.approx([1.0, 0.0, top, (1.0 + top) / 3])
    assert all(one.low <= one.score <= one.high for one in found)


def test_a_row_of_the_ties_without_its_prompt_is_refused():
    with pytest.raises(InputError, match="which prompt"):
        reward_bench_scores([scored([1.0], [0.0], domain="Ties", id="17")])
