"""Why two evaluations share no question."""

from __future__ import annotations

import pytest

from small_attempts import attempt, evaluation
from tahr.core.errors import InputError
from tahr.evaluation.race import Entry, race
from tahr.evaluation.same_questions import nothing_shared, num_judged_otherwise

NUMERIC = evaluation(*(attempt(f"n{n}", prompt=f"{n} + 1?") for n in range(3)))
EXACT = evaluation(*(attempt(f"e{n}", prompt=f"{n} + 1?") for n in range(1, 4)))


def test_the_same_words_under_other_ids_are_judged_otherwise() -> None:
    assert num_judged_otherwise(NUMERIC, EXACT) == 2
    assert num_judged_otherwise(NUMERIC, NUMERIC) == 0
    error = nothing_shared(("one", "two"), NUMERIC, EXACT)
    assert error.wrong.startswith(
        "one and two asked 2 questions in the same words but judge them differently: the verif"
    )
    assert (error.received, "--verifier" in error.instead) == ("one: 3 questions; two: 3 questions", True)


def test_other_questions_and_attempts_without_a_reward_are_told_apart() -> None:
    others = evaluation(attempt("x", prompt="why?"))
    assert nothing_shared(("one", "two"), NUMERIC, others).wrong == "one and two have no question in common"
    absent = evaluation(*(attempt(f"n{n}", prompt=f"{n} + 1?", correct=None) for n in range(2)))
    error = nothing_shared(("one", "two"), NUMERIC, absent)
    assert error.wrong == "one and two were asked 2 common questions, of which none has a value on both sides"
    assert error.received == "one: 2 of them with a reward; two: 0"


def test_a_race_of_runs_judged_otherwise_says_so() -> None:
    with pytest.raises(InputError, match="a and b asked 2 questions in the same words but judge them differently"):
        race([Entry(name="a", evaluation=NUMERIC), Entry(name="b", evaluation=EXACT)], margin=0.1)
