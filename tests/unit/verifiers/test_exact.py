from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.exact import Exact


def task(answer: Any) -> Task:
    return Task(prompt=(Message(role="user", content="reverse: abc"),), answer=answer, verifier="exact")


@pytest.mark.parametrize(
    ("verifier", "text", "passes"),
    [
        (Exact(), "cba", True),
        (Exact(), " cba\n", True),
        (Exact(), "<think>abc</think>cba", True),
        (Exact(), "cba.", False),
        (Exact(), "CBA", False),
        (Exact(), "cab", False),  # an anagram
        (Exact(), "the answer is cba", False),
        (Exact(), "", False),
        (Exact(ignore_case=True), "CBA", True),
        (Exact(ignore_punctuation=True), "cba!", True),
        (Exact(ignore_unicode_form=True), "ｃｂａ", True),
    ],
)
def test_normalisation_is_only_what_is_asked_for(verifier: Exact, text: str, passes: bool) -> None:
    assert (verifier.verify(task("cba"), text).outcome is Outcome.PASS) == passes


def test_any_of_several_answers_passes() -> None:
    several = task(["four", "4"])
    assert Exact().verify(several, "4").outcome is Outcome.PASS
    assert Exact().verify(several, "5").outcome is Outcome.FAIL
    assert Exact().gold(several) == "four"


def test_spaces_can_be_collapsed() -> None:
    assert Exact().verify(task("a b"), "a  b").outcome is Outcome.FAIL
    assert Exact(collapse_spaces=True).verify(task("a b"), "a \n b").outcome is Outcome.PASS


@pytest.mark.parametrize("answer", ["", "  ", None, 5, [], [""], ["a", 1]])
def test_answers_that_anything_would_equal_are_refused(answer: Any) -> None:
    with pytest.raises(InputError, match="exact verifier"):
        Exact().check_task(task(answer))


def test_an_answer_that_normalises_to_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="not empty after normalisation"):
        Exact(ignore_punctuation=True).check_task(task("?!"))
