from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from tahr.core.errors import InputError
from tahr.core.types import Outcome, Task
from tahr.verifiers.rewards.length import Length
from tahr.verifiers.rewards.repetition import Repetition, repeated_share

TASK = Task(prompt=(), answer="42", verifier="length")


def worth(verifier: Length | Repetition, text: str) -> float:
    verdict = verifier.verify(TASK, text)
    assert verdict.reward is not None
    assert verifier.reward_range.holds(verdict.outcome, verdict.reward)
    return verdict.reward.value


@pytest.mark.parametrize(
    ("args", "num_words", "value"),
    [
        ({"max": 10}, 10, 1.0),
        ({"max": 10}, 11, 0.0),
        ({"max": 10}, 0, 0.0),
        ({"max": 10, "shape": "linear", "margin": 20}, 15, 0.75),
        ({"max": 10, "shape": "linear", "margin": 20}, 30, 0.0),
        ({"max": 10, "shape": "cosine", "margin": 20}, 15, 0.8535533905932737),  # (1 + cos(pi / 4)) / 2
        ({"max": 10, "shape": "cosine", "margin": 20}, 20, 0.5),
        ({"min": 10, "shape": "linear", "margin": 20}, 5, 0.75),
        ({"min": 10, "shape": "linear", "margin": 20}, 0, 0.0),
        ({"max": 10, "shape": "linear", "margin": 20, "worth": (-1.0, 0.0)}, 15, -0.25),
        ({"max": 10, "worth": (-1.0, 0.0)}, 99, -1.0),
    ],
)
def test_a_length_is_worth_less_outside_its_bounds(args: dict[str, Any], num_words: int, value: float) -> None:
    assert worth(Length(**args), "word " * num_words) == pytest.approx(value)


def test_thoughts_and_answers_are_counted_apart() -> None:
    text = "<think>one two three</think> four five"
    counts = {of: Length(max=9, of=of).verify(TASK, text).reward for of in ("answer", "thinking", "text")}
    assert {of: reward.parts["length"] for of, reward in counts.items() if reward} == {
        "answer": 2.0,
        "thinking": 3.0,
        "text": 7.0,  # each tag is a word
    }


def test_characters_are_those_of_the_composed_form() -> None:
    assert worth(Length(min=4, max=4, unit="characters"), " cafe\u0301 ") == 1.0


@pytest.fixture
def tokenizer(tmp_path: Path) -> str:
    made = Tokenizer(WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    made.pre_tokenizer = Whitespace()
    made.save(str(tmp_path / "tokenizer.json"))
    return str(tmp_path)


def test_tokens_are_those_of_a_tokenizer_on_this_disk(tokenizer: str) -> None:
    exact = Length(min=3, max=3, unit="tokens", tokenizer=tokenizer)
    assert (worth(exact, "a b a"), worth(exact, "a b"), worth(exact, "a \ud800")) == (1.0, 0.0, 0.0)
    assert Repetition(n=1, unit="tokens", tokenizer=tokenizer).verify(TASK, "a b a").outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"unit": "tokens"}, "go together"),
        ({"tokenizer": "x"}, "go together"),
        ({"unit": "tokens", "tokenizer": "nowhere/tokenizer.json"}, "no tokenizer could be read"),
        ({"worth": (1.0, 0.0)}, "at worst, then at best"),
    ],
)
def test_measures_without_sense_are_refused(args: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Length(**args)
    with pytest.raises(InputError, match=message):
        Repetition(**args)


@pytest.mark.parametrize(
    ("text", "n", "share"), [("a b c d", 2, 0.0), ("a b a b a", 2, 0.5), ("a a a a a", 1, 0.8), ("a", 2, 0.0)]
)
def test_the_repeated_share(text: str, n: int, share: float) -> None:
    assert repeated_share(text.split(), n) == pytest.approx(share)


def test_repetition_falls_in_a_line() -> None:
    falling = Repetition(n=2, allowed=0.25, worst_at=0.75)
    assert worth(falling, "a b c d") == 1.0
    assert worth(falling, "a b a b a") == 0.5
    assert worth(falling, "a " * 50) == 0.0
    assert worth(Repetition(n=2, allowed=0.25, worst_at=0.75, worth=(-0.5, 0.0)), "a b a b a") == -0.25
    assert worth(Repetition(min_length=3), "too short") == 0.0
