from itertools import combinations
from statistics import fmean

import pytest

from tahr.core.errors import InputError
from tahr.evaluation.scaling.curves import knob_values, rule_curve, slope_of
from tahr.evaluation.scaling.rules import (
    BestOf,
    Majority,
    Oracle,
    RandomVerifier,
    WeightedMajority,
    rules_for,
)
from tahr.evaluation.scaling.samples import Attempt, Question
from tahr.evaluation.scaling.weighted import MAX_SUBSETS, weighted_maj_at_k


def attempt(correct: float, answer: str | None, score: float, num_tokens: int = 10) -> Attempt:
    return Attempt(
        correct=correct,
        answer=answer,
        num_tokens=num_tokens,
        is_truncated=answer is None,
        scores={"scores": score},
        judge_tokens={"scores": 30.0},
    )


def question(*attempts: Attempt) -> Question:
    return Question(task_id="a", prompt="?", cluster="", num_prompt_tokens=5, attempts=attempts)


MIXED = question(
    attempt(1, "5", 0.9), attempt(0, "6", 0.2), attempt(0, "6", 0.3), attempt(0, None, 0.95), attempt(1, "5", 0.1)
)
CORRECT = [one.correct for one in MIXED.attempts]


def brute_force_weighted(answers, weights, values, k):
    totals = []
    for chosen in combinations(range(len(answers)), k):
        sums, worth = {}, {}
        for place in chosen:
            if answers[place] is not None:
                sums[answers[place]] = sums.get(answers[place], 0) + weights[place]
                worth.setdefault(answers[place], []).append(values[place])
        best = [answer for answer in sums if abs(sums[answer] - max(sums.values())) < 1e-12]
        totals.append(fmean(fmean(worth[answer]) for answer in best) if best else 0.0)
    return fmean(totals)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_a_weighted_majority_is_the_mean_over_all_subsets(k):
    answers = ["5", "6", None, "5", "7", "6"]
    weights, values = [0.2, 0.5, 0.9, 0.3, 0.5, 0.0], [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    expected = brute_force_weighted(answers, weights, values, k)
    assert weighted_maj_at_k(answers, weights, values, k) == pytest.approx(expected, abs=1e-12)


def test_a_weighted_majority_of_equal_weights_is_the_majority_where_subsets_are_drawn_too():
    answers = ["5", "5", "5", "6", "7", "6"] * 4
    values = [1.0 if answer == "5" else 0.0 for answer in answers]
    exact = Majority().at(question(*(attempt(0, answer, 0) for answer in answers)), values, 8)
    drawn = weighted_maj_at_k(answers, [1.0] * 24, values, 8)  # 735,471 subsets, of which MAX_SUBSETS are drawn
    assert MAX_SUBSETS == 1024
    assert drawn == pytest.approx(exact, abs=0.03)
    assert drawn != exact


def test_a_weight_below_zero_is_refused():
    with pytest.raises(InputError, match="below 0"):
        weighted_maj_at_k(["5"], [-1.0], [1.0], 1)


def test_each_rule_at_two_attempts():
    values = CORRECT
    assert Oracle().at(MIXED, values, 2) == pytest.approx(0.7)  # 3 of 10 pairs are wrong twice
    assert RandomVerifier().at(MIXED, values, 2) == pytest.approx(0.4)
    # the selector's favourite has no answer: 4 pairs with it are wrong; then 0.9 is in 3 of the other 6 pairs
    assert BestOf("scores").at(MIXED, values, 2) == pytest.approx(0.3)
    # pairs: 5-5 right; 5-6 (4 pairs) drawn; 6-6 wrong; 5-none (2) right; 6-none (2) wrong
    assert Majority().at(MIXED, values, 2) == pytest.approx((1 + 4 * 0.5 + 2) / 10)
    # 5-6: 0.9 beats both, 0.1 beats none
    assert WeightedMajority("scores", is_share=True).at(MIXED, values, 2) == pytest.approx((1 + 2 + 2) / 10)


def test_where_attempts_without_end_would_settle():
    assert Oracle().limit(MIXED, CORRECT) == 1.0
    assert BestOf("scores").limit(MIXED, CORRECT) == 0.0  # a false positive is chosen for ever
    assert Majority().limit(MIXED, CORRECT) == 0.5  # 5 and 6 are tied
    assert WeightedMajority("scores", is_share=True).limit(MIXED, CORRECT) == 1.0
    assert RandomVerifier().limit(MIXED, CORRECT) == pytest.approx(0.4)


def test_the_ceiling_of_a_verifier_that_says_yes_or_no_is_its_precision_on_the_question():
    accepted = question(attempt(1, "5", 1), attempt(0, "6", 1), attempt(0, "7", 1), attempt(0, "8", 0))
    assert BestOf("scores").limit(accepted, [1, 0, 0, 0]) == pytest.approx(1 / 3)


def test_an_attempt_without_a_score_is_chosen_last():
    unscored = Attempt(correct=1, answer="5", num_tokens=1, is_truncated=False, scores={}, judge_tokens={})
    asked = question(unscored, attempt(0, "6", -3.0))
    assert BestOf("scores").at(asked, [1, 0], 2) == 0.0
    assert WeightedMajority("scores", is_share=False).at(asked, [1, 0], 2) == 0.0


def test_there_is_no_vote_where_no_attempt_says_its_answer():
    silent = question(attempt(1, None, 0.2), attempt(0, None, 0.1))
    assert [rule.name for rule in rules_for([silent])] == ["best by scores", "oracle", "random verifier"]


@pytest.mark.parametrize(("num_samples", "ks"), [(8, [1, 2]), (63, [1, 2, 4, 8]), (64, [1, 2, 4, 8, 16])])
def test_a_curve_ends_at_a_quarter_of_the_samples(num_samples, ks):
    assert knob_values(num_samples) == ks


def test_a_selector_is_paid_from_the_second_attempt_on():
    points = rule_curve(BestOf("scores"), [MIXED], [1, 2]).points
    assert [point.tokens for point in points] == [5 + 10, 5 + 2 * (10 + 30)]
    assert [point.tokens for point in rule_curve(Majority(), [MIXED], [1, 2]).points] == [15, 25]


def test_the_share_cut_off_is_of_chosen_answers():
    point = rule_curve(BestOf("scores"), [MIXED], [2]).points[0]
    assert point.truncated == pytest.approx(0.4)  # 0.95 has no answer and is in 4 of 10 pairs
    assert rule_curve(Majority(), [MIXED], [2]).points[0].truncated == 0.0  # it has no vote


def test_the_slope_is_what_a_doubling_adds():
    halves = question(*[attempt(1, "5", 0, 1)] * 2, *[attempt(0, "6", 0, 1)] * 6)
    free = Question(task_id="b", prompt="?", cluster="", num_prompt_tokens=0, attempts=halves.attempts)
    curve = rule_curve(Oracle(), [free, free], [1, 2])
    rise = (1 - 15 / 28) - 0.25  # from one token to two
    assert curve.slope is not None
    assert curve.slope.mean == pytest.approx(rise)
    assert slope_of(curve.points[:1], ["", ""]) is None
