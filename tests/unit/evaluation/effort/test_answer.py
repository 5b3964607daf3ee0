from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tahr.core.types import Completion, FinishReason, StopReason, Trajectory, Turn
from tahr.evaluation.effort.answer import answer_end, num_tokens_to_answer


def decode(ids: Sequence[int]) -> str:
    """Tokens of three bytes each, in which a character may be cut in half."""
    return b"".join(PIECES[i] for i in ids).decode("utf-8", "replace")


PIECES: dict[int, bytes] = {}


def tokens_of(text: str) -> tuple[int, ...]:
    data = text.encode()
    parts = [data[start : start + 3] for start in range(0, len(data), 3)]
    for part in parts:
        PIECES.setdefault(hash(part), part)
    return tuple(hash(part) for part in parts)


def trajectory(*texts: str) -> Trajectory:
    turns = tuple(
        Turn(
            prompt_token_ids=(1,),
            completion=Completion(
                token_ids=tokens_of(text),
                logprobs=(0.0,) * len(tokens_of(text)),
                finish_reason=FinishReason.STOP,
                policy_version=0,
            ),
        )
        for text in texts
    )
    return Trajectory(task_id="a", group_id="g", index=0, turns=turns, stop_reason=StopReason.FINISHED)


@pytest.mark.parametrize(
    ("text", "answer", "held"),
    [
        ("it is 12, no, 5 or 5", "5", "it is 12, no, 5"),
        ("15 and 5.2 and 2.5 and 1,5 and -5 and x5: 5!", "5", "15 and 5.2 and 2.5 and 1,5 and -5 and x5: 5"),
        ("about 1,234,567 of them", "1234567", "about 1,234,567"),
        ("so x = -5.", "-5", "so x = -5"),
        ("Paris  is\nit", "paris is", "Paris  is"),
        ("a cat: option A", "A", "a cat: option A"),
        (r"thus \frac{1}{2}", r"\frac{1}{2}", r"thus \frac{1}{2}"),
        ("it is 5. Then more", "5", "it is 5"),
        ("nothing", "5", None),
        ("", "5", None),
        ("5", "", None),
    ],
)
def test_the_answer_stands_as_a_whole_word_or_number(text: str, answer: str, held: str | None) -> None:
    end = answer_end(text, answer)
    assert (None if end is None else text[:end]) == held


def test_what_the_question_says_itself_counts_where_it_is_marked() -> None:
    question = "Which is less, 5 or 7?"
    assert answer_end("5 and 7 are odd. The answer is **5**. 5", "5", question=question) == 34
    assert answer_end("5 and 7 are odd, so I take 5", "5", question=question) == 28  # the last place
    assert answer_end("5 and 7 are odd, so I take 5", "5", question=question, said_back=False) is None
    assert answer_end("5 and 7 are odd", "5", question="Which is less?") == 1


def test_tokens_are_counted_to_the_one_that_completes_the_answer() -> None:
    text = "is it 12345? yes, it is 12345 indeed"
    assert num_tokens_to_answer(trajectory(text), decode, "12345") == 4  # eleven bytes of three a token
    assert num_tokens_to_answer(trajectory("no number", text), decode, "12345") == 3 + 4
    assert num_tokens_to_answer(trajectory(text), decode, "678") is None
    assert num_tokens_to_answer(trajectory(text), decode, None) is None
    assert num_tokens_to_answer(trajectory(), decode, "5") is None


def test_half_a_character_is_no_character() -> None:
    # "aa€" is cut behind two of the euro sign's bytes: the replacement character is not yet the answer
    assert num_tokens_to_answer(trajectory("aa €"), decode, "€") == 2


@given(st.text(alphabet="ab 1.,€", max_size=40), st.sampled_from(["1", "a", "ab", "1.1", "€"]))
def test_the_prefix_is_the_shortest_that_holds_it(text: str, answer: str) -> None:
    count, end = num_tokens_to_answer(trajectory(text), decode, answer), answer_end(text, answer)
    assert (count is None) == (end is None)
    if count is not None and end is not None:
        ids = tokens_of(text)
        assert decode(ids[:count]).startswith(text[:end])
        assert not decode(ids[: count - 1]).startswith(text[:end])


def test_hostile_texts_take_no_time() -> None:
    assert answer_end("answer " * 50_000, "1 " * 400) is None
    assert answer_end("1 " * 50_000, "1 1", question="1 1") is not None
    assert answer_end("x" * 200_000, "x" * 1500) == 1500
