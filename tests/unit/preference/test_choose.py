"""Which pairs judged answers give, and which questions are asked."""

from __future__ import annotations

import pytest

from tahr.core.judging import Question
from tahr.core.preferences import Candidate, Judgment, JudgmentState
from tahr.core.types import Message, Task
from tahr.data.preferences.states import RowState
from tahr.preference.choose import choose_pairs
from tahr.preference.questions import draw_questions, of_tasks

QUESTION = Question(prompt=(Message(role="user", content="say"),))
A, B, C = (Candidate(prompt_id=QUESTION.id, text=text, model=f"of {text}", provenance={"seed": 1}) for text in "abc")


def rated(*ratings):
    return [
        Judgment(candidates=(one.id,), state=JudgmentState.JUDGED, judge="j", rating=rating)
        for one, rating in zip((A, B, C), ratings, strict=False)
    ]


def compared(first, second, preferred=None, state=JudgmentState.TIE):
    state = JudgmentState.JUDGED if preferred else state
    preferred = preferred.id if preferred else None
    return Judgment(candidates=(first.id, second.id), state=state, judge="j", preferred=preferred)


def choose(judgments, candidates=(A, B, C), choice="best_vs_worst", min_margin=0.0, seed=0):
    found = choose_pairs(QUESTION, candidates, judgments, choice=choice, min_margin=min_margin, seed=seed)
    return found.state, [(pair.chosen, pair.rejected) for pair in found.pairs]


def test_ratings_decide():
    assert choose(rated(1.0, 3.0, 2.0)) == (RowState.PAIR, [("b", "a")])
    assert choose(rated(1.0, 3.0, 2.0), choice="all")[1] == [("b", "c"), ("b", "a"), ("c", "a")]
    drawn = {choose(rated(1.0, 3.0, 2.0), choice="best_vs_random", seed=seed)[1][0] for seed in range(20)}
    assert drawn == {("b", "a"), ("b", "c")}
    assert choose(rated(1.0, 1.0, 1.0)) == (RowState.TIE, [])
    assert choose(rated(1.0, 1.5, 1.0), min_margin=1.0) == (RowState.BELOW_MARGIN, [])
    assert choose(rated(1.0), candidates=(A,)) == (RowState.TOO_FEW, [])
    assert choose([]) == (RowState.FAILED, [])


@pytest.mark.parametrize("state", ["unreadable", "not_applicable", "failed"])
def test_why_there_is_no_rating_is_said(state):
    unrated = [Judgment(candidates=(one.id,), state=JudgmentState(state), judge="j") for one in (A, B, C)]
    assert choose(unrated) == (RowState(state), [])


def test_comparisons_are_taken_at_their_word():
    judgments = [compared(A, B, B), compared(A, C, C), compared(B, C, B)]
    assert choose(judgments) == (RowState.PAIR, [("b", "a")])
    assert choose(judgments, choice="all")[1] == [("b", "a"), ("c", "a"), ("b", "c")]
    drawn = {choose(judgments, choice="best_vs_random", seed=seed)[1][0] for seed in range(20)}
    assert drawn == {("b", "a"), ("b", "c")}
    # where the orders disagreed there is a tie, which no pair is made of
    assert choose([compared(A, B), compared(A, C), compared(B, C, C)])[1] == [("c", "b")]
    assert choose([compared(A, B), compared(A, C), compared(B, C)]) == (RowState.TIE, [])
    unread = compared(A, B, state=JudgmentState.UNREADABLE)
    assert choose([unread], candidates=(A, B)) == (RowState.UNREADABLE, [])
    (pair,) = choose_pairs(QUESTION, (A, B), judgments[:1], choice="all", min_margin=0.0, seed=0).pairs
    assert pair.provenance["order"] == ["rejected", "chosen"]
    assert (pair.provenance["chosen_model"], pair.provenance["rejected_model"]) == ("of b", "of a")


def tasks(name, count):
    return [
        Task(prompt=(Message(role="user", content=f"{name}{number}"),), answer="", verifier="exact")
        for number in range(count)
    ]


def test_questions_are_different_weighted_and_seeded():
    sets = {"x": of_tasks(tasks("x", 400)), "y": of_tasks(tasks("y", 400))}
    found = draw_questions(sets, {"x": 3.0, "y": 1.0}, count=100, seed=1)
    assert len({one.id for one in found}) == 100
    assert 60 <= sum(one.prompt[0].content.startswith("x") for one in found) <= 90
    assert found == draw_questions(sets, {"x": 3.0, "y": 1.0}, count=100, seed=1)
    assert found != draw_questions(sets, {"x": 3.0, "y": 1.0}, count=100, seed=2)


def test_where_a_set_runs_out_the_others_go_on():
    sets = {"x": of_tasks([*tasks("x", 5), *tasks("x", 5)]), "y": of_tasks(tasks("y", 30))}
    found = draw_questions(sets, {"x": 1.0, "y": 1.0}, count=100, seed=0)
    assert len(found) == len({one.id for one in found}) == 35
