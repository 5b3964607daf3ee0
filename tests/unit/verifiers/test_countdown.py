from fractions import Fraction
from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.countdown import Countdown, evaluate

EXAMPLE = "(25 - 1) * (7 - 3)"


def task(answer: Any = None, example: str = EXAMPLE) -> Task:
    answer = {"numbers": [3, 7, 25, 1], "target": 96} if answer is None else answer
    prompt = (Message(role="user", content="Make 96 of 3, 7, 25, 1."),)
    return Task(prompt=prompt, answer=answer, verifier="countdown", meta={"example": example})


@pytest.mark.parametrize(
    "text",
    [
        "(25 - 1) * (7 - 3)",
        "(25-1)*(7-3) = 96",
        "(25 − 1) × (7 − 3)",
        "The answer is (25 - 1) * (7 - 3).",
        "<answer>(25-1)*(7-3)</answer>",
        r"\boxed{(25 - 1) \times (7 - 3)}",
        "25-1=24\n7-3=4\n(25-1)*(7-3)=96",
        "[25 - 1] * [7 - 3]",
        "#### (25-1)*(7-3)",
    ],
)
def test_ways_to_write_it_pass(text: str) -> None:
    verdict = Countdown().verify(task(), text)
    assert verdict.outcome is Outcome.PASS, verdict.note
    assert verdict.reward is not None
    assert verdict.reward.parts == {"correct": 1.0, "valid": 1.0}


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("25 * 3 + 7 + 1", 1.0),  # 83
        ("(25-1)*(7-3) = 97", 0.0),  # says something false
        ("96", 0.0),
        ("96 * 1", 0.0),
        ("25*3+7*3", 0.0),  # 3 twice
        ("9**9**9", 0.0),
        ("25 // 3", 0.0),
        ("3 / (7 - 7)", 0.0),
        ("25 / (1 - 1)", 0.0),
        ("__import__('os').system('true')", 0.0),
        ("(25 - 1)(7 - 3)", 0.0),
        ("25.0 - 1", 0.0),
        ("0x19", 0.0),
        ("25 if 1 else 3", 0.0),
        ("-25", 0.0),
        ("(" * 300 + "25" + ")" * 300, 0.0),
        ("1+" * 5000 + "1", 0.0),
        ("1" * 5000, 0.0),
        ("", 0.0),
    ],
)
def test_what_breaks_the_rules_fails(text: str, valid: float) -> None:
    verdict = Countdown().verify(task(), text)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reward is not None
    assert verdict.reward.parts == {"correct": 0.0, "valid": valid}


def test_all_numbers_may_be_demanded() -> None:
    easy = task({"numbers": [3, 7, 25], "target": 10}, "3 + 7")
    assert Countdown().verify(easy, "3 + 7").outcome is Outcome.PASS
    assert Countdown(use="exactly_once").verify(easy, "3 + 7").outcome is Outcome.FAIL


def test_values_are_exact() -> None:
    assert evaluate("1 / 3 + 1 / 3 + 1 / 3") == (Fraction(1), [1, 3, 1, 3, 1, 3])
    thirds = task({"numbers": [1, 3, 7], "target": 2}, "7 / 3 - 1 / 3")
    assert Countdown().verify(thirds, "7/3 - 1/3").outcome is Outcome.FAIL  # 3 twice
    assert evaluate("7 / 3 - 1 / 3")[0] == 2


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        {"numbers": [], "target": 1},
        {"numbers": [0], "target": 1},
        {"numbers": [1.5], "target": 1},
        {"numbers": [True], "target": 1},
        {"numbers": [1]},
        {"numbers": [1], "target": "1"},
        {"numbers": [10**13], "target": 1},
        {"numbers": list(range(1, 40)), "target": 1},
    ],
)
def test_malformed_answers_are_refused(answer: Any) -> None:
    with pytest.raises(InputError, match="countdown verifier needs"):
        Countdown().check_task(task(answer))
