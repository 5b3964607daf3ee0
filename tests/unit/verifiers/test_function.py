"""A plain function is a verifier wherever one is named."""

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Outcome, Task
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig
from tahr.verifiers.function import FunctionVerifier

NAME = "hostile_verifiers:equal"


def task(answer: object, verifier: str = NAME) -> Task:
    return Task(prompt=(), answer=answer, verifier=verifier)


def test_what_a_function_returns_is_a_verdict() -> None:
    verifiers = build_verifiers({})
    assert verifiers.verify(task("five"), "five").outcome is Outcome.PASS
    assert verifiers.verify(task("five"), "six").outcome is Outcome.FAIL
    half = verifiers.verify(task("five", "hostile_verifiers:generous"), "six")
    assert (half.outcome, half.reward.value if half.reward else None) == (Outcome.FAIL, 0.5)
    assert verifiers.verify(task("five", "hostile_verifiers:raising"), "five, I think").outcome is Outcome.ERROR
    lost = verifiers.verify(task("five", "builtins_like:print"), "five")
    assert lost.outcome is Outcome.ERROR


def test_a_function_is_configured_like_a_class() -> None:
    config = VerifierConfig(verifier=NAME, args={"ignore_case": True})
    verifiers = build_verifiers({"equal": config})
    assert verifiers.verify(task("five", "equal"), "FIVE").outcome is Outcome.PASS
    with pytest.raises(InputError, match=r"unexpected keyword argument 'ignore_cas'; did you mean 'ignore_case'\?"):
        build_verifiers({"equal": VerifierConfig(verifier=NAME, args={"ignore_cas": True})})


@pytest.mark.parametrize("answer", [None, "", [], {}, "\u200b\u3164"])
def test_a_task_without_answer_is_refused(answer: object) -> None:
    with pytest.raises(InputError, match="no answer to judge by"):
        build_verifiers({}).get(NAME).check_task(task(answer))


def test_the_gold_is_the_answer_where_it_is_a_text() -> None:
    verifier = build_verifiers({}).get(NAME)
    assert verifier.gold(task(5)) == "5"
    assert verifier.gold(task({"a": 1})) is None


@pytest.mark.parametrize("value", [2.0, 1.01, 100, float("inf"), float("nan")])
def test_a_number_that_is_more_than_a_pass_or_none_is_the_functions_fault(value: float) -> None:
    verifier = FunctionVerifier(function=lambda text, answer: value)
    with pytest.raises(ValueError, match="1 is a pass"):
        verifier.verify(task("5"), "5")


def test_a_function_of_one_argument_is_told_its_right_signature() -> None:
    def onearg(text: str) -> bool:
        return bool(text)

    with pytest.raises(InputError) as caught:
        FunctionVerifier(function=onearg)
    assert caught.value.received == "def onearg(text: str) -> bool"
    assert caught.value.instead == "def onearg(text, answer): ..."
