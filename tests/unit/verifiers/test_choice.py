from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.choice import Choice


def task(answer: Any = "C") -> Task:
    return Task(prompt=(Message(role="user", content="A) 1 B) 2 C) 3"),), answer=answer, verifier="choice")


@pytest.mark.parametrize(
    "text",
    [
        "C",
        "c",
        "(C)",
        "C.",
        "**C**",
        "C) 3",
        "C. three",
        "C: three",
        "Ｃ",
        r"\boxed{C}",
        r"\boxed{\text{(C)}}",
        r"\boxed{C. three}",
        "The answer is C.",
        "the answer is (c)",
        "The correct option is C because A and B are wrong.",
        "Answer: **C**",
        "The answer is: C) 3",
        "The best choice is option C, since it is three.",
        "I choose C",
        "A is too small. So C is correct.",
        "<think>A? B?</think>C",
        "Option A is 1. The answer is C",
    ],
)
def test_usual_phrasings_pass(text: str) -> None:
    verdict = Choice().verify(task(), text)
    assert verdict.outcome is Outcome.PASS, verdict.note


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B",
        "C or D",
        "A, B, C, D",
        "ABC",
        "Cat",
        "The answer is C or D",
        "The answer is C. Or maybe D.",
        "The answer is not C",
        "(A) no (B) no (C) yes",
        r"\boxed{C or D}",
        r"\boxed{B}, so C",
        "<think>C</think>",
        "The answer is a cat",
        "3",
    ],
)
def test_hedges_denials_and_other_letters_fail(text: str) -> None:
    assert Choice().verify(task(), text).outcome is Outcome.FAIL


def test_the_article_and_the_pronoun_are_no_letters() -> None:
    assert Choice().verify(task("A"), "I like a dog").outcome is Outcome.FAIL
    assert Choice().verify(task("B"), "I think A dog says B").outcome is Outcome.PASS
    assert Choice().verify(task("A"), "The answer is A").outcome is Outcome.PASS


@pytest.mark.parametrize("answer", ["", "K", "AB", 1, None])
def test_answers_that_are_no_letter_are_refused(answer: Any) -> None:
    with pytest.raises(InputError, match="one letter as the answer"):
        Choice().check_task(task(answer))


def test_letters_beyond_the_choices_are_refused() -> None:
    with pytest.raises(InputError):
        Choice(num_choices=4).check_task(task("E"))
