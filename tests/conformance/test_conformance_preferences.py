"""Rows P1 and P2: preference data are joined by id, and what nobody judged is never a rating."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tahr.core.preferences import Candidate, Judgment, JudgmentState, Pair, id_of_prompt
from tahr.core.types import Message
from tahr.data.preferences.binarize import binarize
from tahr.data.preferences.files import read_pairs
from tahr.data.preferences.states import RowState

NAMES = ("helpfulness", "honesty", "instruction_following", "truthfulness")


def row(number: int, *ratings: tuple[str, str, str, str]) -> dict[str, Any]:
    return {
        "instruction": f"Question {number}?",
        "completions": [
            {
                "model": f"m{index}",
                "response": f"Answer {index} to question {number}.",
                "annotations": {name: {"Rating": one} for name, one in zip(NAMES, given, strict=True)},
            }
            for index, given in enumerate(ratings)
        ],
    }


def read(path: Path, rows: list[dict[str, Any]]) -> dict[str, Pair]:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return {pair.prompt[0].content: pair for pair in read_pairs(path).pairs}


def test_p1_without_any_row_the_other_prompts_keep_their_answers(tmp_path: Path) -> None:
    same = (("5", "5", "5", "5"), ("1", "1", "1", "1"), ("2", "2", "2", "2"), ("3", "3", "3", "3"))
    rows = [row(number, *same) for number in range(6)]
    whole = read(tmp_path / "whole.jsonl", rows)
    assert len(whole) == 6
    assert {pair.chosen for pair in whole.values()} == {f"Answer 0 to question {number}." for number in range(6)}
    assert all(pair.rejected.endswith(f"to {text[0].lower()}{text[1:-1]}.") for text, pair in whole.items())
    for dropped in range(6):
        rest = read(tmp_path / "rest.jsonl", rows[:dropped] + rows[dropped + 1 :])
        assert rest == {text: pair for text, pair in whole.items() if text != f"Question {dropped}?"}


def test_p1_an_answer_to_another_prompt_is_never_paired() -> None:
    prompt = (Message(role="user", content="One?"),)
    own = Candidate(prompt_id=id_of_prompt(prompt), text="1", model="a")
    stranger = Candidate(prompt_id="0" * 16, text="2", model="b")
    judgments = {
        one.id: Judgment(candidates=(one.id,), state=JudgmentState.JUDGED, judge="j", rating=rating)
        for one, rating in ((own, 1.0), (stranger, 5.0))
    }
    assert binarize(prompt, [own, stranger], judgments).state is RowState.TOO_FEW


GOOD, BAD = ("5", "5", "5", "5"), ("1", "1", "1", "1")


@pytest.mark.parametrize(
    ("ratings", "state"),
    [
        ((GOOD, BAD), RowState.PAIR),
        ((GOOD, GOOD), RowState.TIE),
        ((GOOD, ("5", "5", "5", "N/A")), RowState.NOT_APPLICABLE),
        ((GOOD, ("5", "5", "5", "five")), RowState.UNREADABLE),
        ((GOOD, ("5", "5", "5", "")), RowState.UNREADABLE),
        ((GOOD, ("5", "5", "5", "nan")), RowState.UNREADABLE),
        ((GOOD, ("5", "5", "5", "-1")), RowState.UNREADABLE),
        ((GOOD, ("5", "5", "5", "10")), RowState.UNREADABLE),
        ((GOOD,), RowState.TOO_FEW),
    ],
)
def test_p2_only_ratings_that_were_given_make_a_pair(
    ratings: tuple[tuple[str, str, str, str], ...], state: RowState, tmp_path: Path
) -> None:
    path = tmp_path / "raw.jsonl"
    path.write_text(json.dumps(row(0, *ratings)) + "\n" + json.dumps(row(1, GOOD, BAD)) + "\n", encoding="utf-8")
    found = read_pairs(path)
    assert found.counts == ({RowState.PAIR: 2} if state is RowState.PAIR else {state: 1, RowState.PAIR: 1})
    assert len(found.pairs) == found.counts[RowState.PAIR]


def test_p2_an_answer_without_a_rating_takes_no_part_where_two_others_have_one(tmp_path: Path) -> None:
    pairs = read(tmp_path / "raw.jsonl", [row(0, ("1", "1", "1", "N/A"), ("3", "3", "3", "3"), ("4", "4", "4", "4"))])
    assert (pairs["Question 0?"].chosen, pairs["Question 0?"].rejected) == (
        "Answer 2 to question 0.",
        "Answer 1 to question 0.",
    )
    assert pairs["Question 0?"].margin == 1.0


@pytest.mark.parametrize("state", [one for one in JudgmentState if one is not JudgmentState.JUDGED])
def test_p2_a_state_carries_no_rating(state: JudgmentState) -> None:
    with pytest.raises(ValueError, match="carries 1 findings"):
        Judgment(candidates=("a",), state=state, judge="j", rating=1.0)
    with pytest.raises(ValueError, match="finite"):
        Judgment(candidates=("a",), state=JudgmentState.JUDGED, judge="j", rating=math.nan)
