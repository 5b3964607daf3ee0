import math

import pytest

from small_attempts import attempt, evaluation
from small_results import CONDITIONS
from tahr.core.errors import InputError
from tahr.evaluation.effort.spending import budget_limits, spending
from tahr.evaluation.effort.summary import effort
from tahr.evaluation.effort.thinking import overthinking, underthinking


def easy_and_hard():
    """Task a: right four times in ten tokens. Task b: right once in 30, wrong in 40, 50 and 60 (cut)."""
    easy = [attempt("a", tokens=10, index=i, num_tokens_to_answer=4, extracted="5") for i in range(4)]
    hard = [attempt("b", tokens=30, num_tokens_to_answer=30, extracted="5")]
    hard += [attempt("b", correct=0.0, tokens=t, index=i, text="5 no 6") for i, t in ((1, 40), (2, 50))]
    return evaluation(*easy, *hard, attempt("b", correct=0.0, tokens=60, index=3, finish_reason="length"))


def test_tokens_by_difficulty_leave_the_attempt_itself_out() -> None:
    found = spending(easy_and_hard())
    assert (found.tokens.mean, found.tokens_right, found.tokens_wrong) == (27.5, pytest.approx(14.0), 50.0)
    assert found.cut == 1 / 8
    # of b, the right attempt sees 3 of 3 others wrong, the wrong ones 2 of 3
    levels = [(one.low, one.num_attempts, one.accuracy, one.tokens.mean) for one in found.levels]
    assert levels == [(0.0, 4, 1.0, 10.0), (0.5, 3, 0.0, 50.0), (0.75, 1, 1.0, 30.0)]
    assert found.longer_when_wrong is not None
    assert (found.longer_when_wrong.mean, found.longer_when_wrong.num_tasks) == (20.0, 1)
    assert found.slope is None  # of two tasks


def test_a_budget_counts_what_ended_and_what_stood_within_it() -> None:
    budgets = {one.limit: one for one in spending(easy_and_hard(), num_budgets=4).budgets}
    assert list(budgets) == [10, 18, 33, 60]
    assert budgets[10].tokens == 10.0
    assert budgets[18].finished.mean == 0.5  # a always, b never
    assert budgets[60].finished.mean == 0.625
    assert budgets[33].tokens == (4 * 10 + 30 + 3 * 33) / 8
    assert budgets[18].answered is not None and budgets[18].answered.mean == 0.5
    unknown = evaluation(attempt("a"), attempt("b", num_tokens_to_answer=3))
    assert all(one.answered is None for one in spending(unknown).budgets)


def test_budgets_reach_from_a_tenth_of_the_attempts_to_the_longest() -> None:
    assert budget_limits([attempt(tokens=t) for t in (1, 100)], 3) == [1, 10, 100]
    assert budget_limits([attempt(tokens=0)], 3) == [1]


def test_harder_questions_that_take_longer_rank_alike() -> None:
    rows = [
        attempt(f"t{wrong}", correct=float(index >= wrong), tokens=10 * wrong + index, index=index)
        for wrong in range(5)
        for index in range(4)
    ]
    slope = spending(evaluation(*rows)).slope
    assert slope is not None and slope.value == pytest.approx(1.0)
    falling = [attempt(row.task_id, correct=row.parts["correct"], tokens=99 - row.num_tokens) for row in rows]
    slope = spending(evaluation(*falling)).slope
    assert slope is not None and slope.value == pytest.approx(-1.0)


def test_overthinking_is_what_comes_after_the_answer() -> None:
    found = overthinking(easy_and_hard())
    assert found is not None
    assert (found.num_attempts, found.num_unknown) == (5, 0)
    assert found.efficiency.mean == pytest.approx((0.4 + 1.0) / 2)  # tasks count alike
    assert found.tokens_after.mean == 3.0
    assert overthinking(evaluation(attempt(), attempt("b", correct=0.0))) is None


def test_underthinking_gives_up_right_answers_or_ends_early() -> None:
    found = underthinking(easy_and_hard())
    assert found is not None
    assert found.num_attempts == 3
    assert found.gave_up.mean == 1.0  # the third attempt's text is "5": cut before it was an answer
    assert found.wasted.mean == pytest.approx((5 / 6 + 5 / 6 + 0) / 3)
    assert (found.num_comparable, found.cut) == (3, pytest.approx(1 / 3))
    assert found.short is not None and found.short.mean == 0.0
    early = [attempt("a", tokens=50), attempt("a", correct=0.0, tokens=20, index=1, text="6")]
    found = underthinking(evaluation(*early))
    assert found is not None and found.short is not None
    assert (found.short.mean, found.gave_up.mean) == (1.0, 0.0)
    assert underthinking(evaluation(attempt())) is None


def test_an_answer_that_the_question_gives_away_is_not_given_up() -> None:
    row = attempt(correct=0.0, prompt="5 or 7?", text="Of 5 and 7, 7", extracted="7")
    found = underthinking(evaluation(row))
    assert found is not None and found.gave_up.mean == 0.0


def test_without_right_or_wrong_attempts_there_is_nothing_to_say() -> None:
    with pytest.raises(InputError, match="no attempt that is right or wrong"):
        spending(evaluation(attempt(correct=None)))


def test_tokens_that_nobody_counted_are_refused_and_leave_the_rest_of_effort() -> None:
    uncounted = [attempt("a", tokens=None, index=i, extracted="5") for i in range(2)]
    wrong = attempt("a", correct=0.0, tokens=None, index=2, extracted="6")
    with pytest.raises(InputError, match="nobody counted the tokens that an attempt sampled"):
        spending(evaluation(*uncounted, wrong))
    found = effort(evaluation(*uncounted, wrong))
    assert (found.spending, found.overthinking) == (None, None)
    assert "usage" in found.missing["tokens"]
    assert found.underthinking is not None and found.underthinking.short is None
    assert found.confidence["agreement"].calibration.num_attempts == 3


def test_prompts_that_nobody_counted_are_unknown() -> None:
    assert spending(evaluation(attempt("a", num_prompt_tokens=7), attempt("b"))).prompt_tokens is None
    assert spending(evaluation(attempt("a", num_prompt_tokens=7))).prompt_tokens == 7


def test_tokens_reach_no_further_than_the_limit() -> None:
    rows = [attempt(str(task), tokens=5) for task in range(33)]
    alike = spending(evaluation(*rows)).tokens
    assert (alike.low, alike.high) == (pytest.approx(5 * 0.025 ** (1 / 33)), math.inf)  # no limit is on record
    limited = spending(evaluation(*rows, conditions=CONDITIONS)).tokens
    other = 1 - 0.025 ** (1 / 33)  # the share of questions that might have spent all 64
    assert limited.high == pytest.approx(5 + other * 59)
    beyond = spending(evaluation(*rows, attempt("x", tokens=100), conditions=CONDITIONS)).tokens  # of several turns
    assert beyond.high <= 100
