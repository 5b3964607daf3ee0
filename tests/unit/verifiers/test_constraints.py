from typing import Any

import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.constraint_kinds import constraint_kinds
from tahr.verifiers.constraints import Constraints

QUESTION = "Write one short sentence about the sea. Use only lower case letters. Do not use commas. Use the word stone."
FOUR = [
    {"kind": "contains", "words": ["stone"]},
    {"kind": "lowercase"},
    {"kind": "no_commas"},
    {"kind": "sentence", "min_words": 5, "max_words": 20},
]
EXAMPLE = "the sea moved a small stone."


def task(answer: Any = FOUR, example: Any = EXAMPLE) -> Task:
    meta = {} if example is None else {"example": example}
    prompt = (Message(role="user", content=QUESTION),)
    return Task(prompt=prompt, answer=answer, verifier="constraints", meta=meta)


def parts(text: str, answer: Any = FOUR) -> dict[str, float]:
    reward = Constraints().verify(task(answer), text).reward
    assert reward is not None
    return dict(reward.parts)


def test_the_value_is_the_share_kept_and_correct_means_all() -> None:
    whole = Constraints().verify(task(), EXAMPLE)
    assert whole.outcome is Outcome.PASS
    assert parts(EXAMPLE) == {"correct": 1.0, "contains": 1.0, "lowercase": 1.0, "no_commas": 1.0, "sentence": 1.0}
    most = Constraints().verify(task(), "The sea moved a small stone.")
    assert most.outcome is Outcome.FAIL
    assert most.reward is not None
    assert most.reward.value == 0.75
    assert most.reward.parts["correct"] == 0.0
    assert "lowercase" in most.note


# What junk is worth; an honest but careless sentence is worth 0.75.
FLOORS = {
    "": 0.0,
    ".": 0.0,
    "   \n": 0.0,
    "a": 0.0,
    "stone": 0.0,
    "stone.": 0.0,
    "stone " * 12: 0.0,
    "stone stone stone stone stone.": 0.0,
    "the stone the stone the stone the stone.": 0.0,
    QUESTION: 0.0,
    QUESTION.lower(): 0.0,
    QUESTION.lower().replace(".", ""): 0.0,
    "...,,,!!!": 0.0,
    "😀😀😀": 0.0,
    "<think>" + EXAMPLE: 0.0,
    "i can't help with that.": 0.75,  # a refusal keeps all but the word
}


@pytest.mark.parametrize(("text", "value"), FLOORS.items())
def test_floors(text: str, value: float) -> None:
    verdict = Constraints().verify(task(), text)
    assert verdict.reward is not None
    assert verdict.reward.value == value
    assert verdict.outcome is Outcome.FAIL


def test_no_junk_is_worth_more_than_a_sentence_that_breaks_one_rule() -> None:
    assert max(FLOORS.values()) <= 0.75


@pytest.mark.parametrize(
    ("constraint", "kept", "broken"),
    [
        ({"kind": "lowercase"}, "all small letters", "One capital here"),
        ({"kind": "uppercase"}, "ALL BIG LETTERS", "ALL BIG LETTErS"),
        ({"kind": "no_commas"}, "none of them here", "one，of them here"),
        ({"kind": "no_digits"}, "none of them here", "just ٣ of them here"),
        ({"kind": "no_letter", "letter": "q"}, "none of them here", "a Queen is here"),
        ({"kind": "contains", "words": ["leo", "hat"]}, "where is Leo's hat", "where is Leonard's hat"),
        ({"kind": "excludes", "words": ["is"]}, "this island here", "this is here"),
        ({"kind": "min_words", "count": 4}, "one two three four", "one two three"),
        ({"kind": "max_words", "count": 3}, "one two three", "one two three four"),
        ({"kind": "sentences", "count": 2}, "One two. Three four.", "One two, three four."),
        ({"kind": "starts_with", "phrase": "Once upon"}, "once upon a time", "it was once upon"),
        ({"kind": "ends_with", "phrase": "every day"}, "we sing every day!", "every day we sing"),
        ({"kind": "sentence"}, "we sing a song together.", "we sing a song together"),
        ({"kind": "sentence"}, "we sing a song together.", "we sing. a song together."),
        ({"kind": "sentence"}, "we sing a song together.", "sing a song."),
        ({"kind": "sentence"}, "we sing a song together.", "we sing we sing we sing we sing together."),
    ],
)
def test_each_kind(constraint: dict[str, Any], kept: str, broken: str) -> None:
    name = constraint["kind"]
    assert parts(kept, [constraint])[name] == 1.0
    assert parts(broken, [constraint])[name] == 0.0


def test_every_kind_is_tried_above() -> None:
    marks = [mark for mark in test_each_kind.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
    assert {case[0]["kind"] for case in marks[0].args[1]} == set(constraint_kinds.names())


def test_a_second_constraint_of_a_kind_has_its_own_part() -> None:
    twice = [{"kind": "contains", "words": ["sea"]}, {"kind": "contains", "words": ["moon"]}]
    assert parts(EXAMPLE, twice) == {"correct": 0.0, "contains": 1.0, "contains_2": 0.0}


def test_junk_counts_where_the_verifier_is_told_so() -> None:
    verdict = Constraints(refuse_junk=False).verify(task([{"kind": "lowercase"}]), "yes yes")
    assert verdict.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([], "at least one constraint"),
        ("lowercase", "at least one constraint"),
        (["lowercase"], r"answer\[0\] is no constraint"),
        ([{"kind": "lowercase"}, {}], r"answer\[1\] is no constraint"),
        ([{"kind": "contains"}], r"answer\[0\]\.words: a value is required"),
        ([{"kind": "contains", "words": []}], r"answer\[0\]\.words"),
        ([{"kind": "contains", "words": ["?"]}], r"answer\[0\]\.words"),
        ([{"kind": "max_words", "count": 0}], r"answer\[0\]\.count"),
        ([{"kind": "max_words", "cuont": 1}], "did you mean 'count'"),
        ([{"kind": "no_letter", "letter": "qq"}], r"answer\[0\]\.letter"),
    ],
)
def test_malformed_constraints_are_refused_when_the_task_is_read(answer: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Constraints().check_task(task(answer))


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'lowercase'"):
        Constraints().check_task(task([{"kind": "lower_case"}]))


def test_an_example_is_needed() -> None:
    with pytest.raises(InputError, match="needs an example"):
        Constraints().check_task(task(example=None))
