"""The index against the definition, worked by hand and by brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.types import Message
from tahr.data import decontaminate
from tahr.data.decontaminate import QuestionIndex, question_text

QUESTION = "one two three four five six seven eight nine ten eleven twelve"


def shares(text: str, *questions: str, **settings: object) -> list[float]:
    index = QuestionIndex(((str(number), one) for number, one in enumerate(questions)), **settings)  # pyright: ignore[reportArgumentType]
    return [round(hit.share, 4) for hit in index.find(text)]


def test_half_of_the_words_in_common_ngrams_contaminate() -> None:
    # of 12 words, one common 8-gram covers 8, two that follow each other 9
    assert shares("so: One two, three four five six seven eight. The end", QUESTION) == [round(8 / 12, 4)]
    assert shares("zero one two three four five six seven eight nine", QUESTION) == [round(9 / 12, 4)]
    assert shares("one two three four five six seven, and more", QUESTION) == []  # 7 words make no 8-gram
    assert shares(f"x {QUESTION} y", QUESTION) == [1.0]


def test_half_of_the_ngrams_is_the_other_measure() -> None:
    text = "zero one two three four five six seven eight nine"  # 2 of the 5 8-grams
    assert shares(text, QUESTION, measure="ngrams") == []
    assert shares(text, QUESTION, measure="ngrams", share=0.4) == [0.4]
    assert shares(text + " ten", QUESTION, measure="ngrams") == [0.6]


def test_exactly_the_share_is_enough() -> None:
    half = " ".join(f"w{number}" for number in range(16))
    assert shares(" ".join(half.split()[:8]), half) == [0.5]
    assert shares(" ".join(half.split()[:8]), half, share=0.51) == []


def test_a_short_question_must_occur_whole_and_in_a_row() -> None:
    assert shares("Well, what is 2 + 3? It is 5.", "What is 2 + 3?") == [1.0]
    assert shares("What is 2 - 3?", "What is 2 + 3?") == []
    assert shares("what is it: 2 + 3", "What is 2 + 3?") == []


def test_questions_of_few_words_are_not_looked_for_and_counted() -> None:
    index = QuestionIndex([("a", "Hi"), ("b", "Why not?"), ("c", "?"), ("d", "Tell me why")])
    assert (len(index), index.num_too_short) == (1, 3)
    assert index.find("Hi. Why not? ?") == []
    assert [hit.question for hit in index.find("Tell me why!")] == ["d"]


def test_every_question_is_found_the_fullest_first() -> None:
    other = QUESTION.replace("nine ten eleven twelve", "a b c d")
    index = QuestionIndex([("other", other), ("same", QUESTION), ("again", QUESTION), ("far", "nothing of all this")])
    hits = index.find(f"He said {QUESTION}.")
    assert [(hit.question, round(hit.share, 2)) for hit in hits] == [("again", 1.0), ("same", 1.0), ("other", 0.67)]


def test_a_repeated_ngram_counts_at_each_of_its_places() -> None:
    tune = "la la la la la la la la la la la la"
    assert shares("la " * 8, tune) == [1.0]
    assert shares("la " * 7, tune) == []


@pytest.mark.parametrize("text", ["", " ", "?!", "one", "\x00\ud800", "one two " * 5000])
def test_texts_of_all_kinds(text: str) -> None:
    assert shares(text, QUESTION) == []


def test_nothing_to_look_for() -> None:
    assert QuestionIndex([]).find(QUESTION) == []


def test_hashes_that_collide_take_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the hashes are, hits are verified on the words: here all hashes are one."""

    def equal(found: tuple[str, ...]) -> decontaminate.Hashes:
        return np.zeros(len(found), dtype=np.uint64)

    monkeypatch.setattr(decontaminate, "_hashes", equal)
    index = QuestionIndex([("a", QUESTION), ("b", "what is 2 + 3")])
    assert index.find("some other text of more than eight words that has none of it") == []
    assert [hit.question for hit in index.find(f"see {QUESTION}")] == ["a"]
    assert [hit.question for hit in index.find("what is 2 + 3 then")] == ["b"]


WORDS = st.lists(st.sampled_from("abcd"), min_size=3, max_size=9).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(WORDS, min_size=1, max_size=5),
    st.lists(st.sampled_from("abcd"), max_size=16).map(" ".join),
    st.integers(2, 4),
    st.sampled_from([0.3, 0.5, 1.0]),
    st.sampled_from(["words", "ngrams"]),
)
def test_the_same_as_by_the_definition(questions: list[str], text: str, ngram: int, share: float, measure: str) -> None:
    index = QuestionIndex(enumerate(questions), ngram=ngram, share=share, measure=measure)  # pyright: ignore[reportArgumentType]
    found = {hit.question: hit.share for hit in index.find(text)}
    expected: dict[int, float] = {}
    for number, question in enumerate(questions):
        asked, read = question.split(), text.split()
        n = min(ngram, len(asked))
        grams = {tuple(read[place : place + n]) for place in range(len(read) - n + 1)}
        places = [place for place in range(len(asked) - n + 1) if tuple(asked[place : place + n]) in grams]
        covered = {place + offset for place in places for offset in range(n)}
        worth = len(covered) / len(asked) if measure == "words" else len(places) / (len(asked) - n + 1)
        if worth >= share:
            expected[number] = worth
    assert found == expected


def test_what_a_prompt_asks_leaves_the_system_out() -> None:
    prompt = [Message(role="system", content="Be brief."), Message(role="user", content="Why?")]
    assert question_text(prompt) == "Why?"
