"""Settings of a task, reasons, places, and what is refused when tasks are read."""

from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Outcome, Task, Verdict
from tahr.verifiers.math.mathematics import Math


def judge(gold: Any, text: str, question: str = "What is it?", **settings: Any) -> Verdict:
    task = Task(prompt=(Message(role="user", content=question),), answer=gold, verifier="math")
    verifier = Math(**settings)
    verifier.check_task(task)
    return verifier.verify(task, text)


def passes(gold: Any, text: str, **settings: Any) -> bool:
    return judge(gold, text, **settings).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("gold", "text", "note"),
    [
        (r"\frac{7}{2}", r"\boxed{3.5}", r"3.5 equals \frac{7}{2}"),
        (r"4\pi", r"\boxed{12.566}", r"12.566 is not 4\pi: not equal"),
        ("5 cm", r"\boxed{5 m}", "5 m is not 5 cm: the unit is 'm', not 'cm'"),
        ("(1,2)", r"\boxed{(2,1)}", "(2,1) is not (1,2): value 1: not equal"),
        ("42", r"\boxed{42 or 43}", "42 or 43 is not 42: several values (2) for one"),
        ("42", r"\boxed{40+2}", "40+2 is not 42: an expression that is not worked out"),
        ("[1,2]", r"\boxed{(1,2)}", "(1,2) is not [1,2]: other brackets: an end belongs to it or doesn't"),
        ("101_2", r"\boxed{101}", "101 is not 101_2: a number in another base"),
        ("x=5", r"\boxed{y=5}", "y=5 is not x=5: a value of y, not of x"),
        ("42", r"\boxed{42", r"a \boxed{ that is not closed"),
        ("42", r"\boxed{41}, \boxed{42}", "several values: 41, 42"),
        ("x", "I can't tell", "I can't tell is not x: not the same"),
    ],
)
def test_every_verdict_has_its_reason(gold: str, text: str, note: str) -> None:
    assert judge(gold, text).note == note


def test_the_answer_that_was_judged_is_kept() -> None:
    assert judge("1/2", r"so \boxed{0.5}").extracted == "0.5"


def test_a_tolerance_holds_only_where_it_is_stated() -> None:
    assert not passes("3.14", r"\boxed{3.1416}")
    assert passes({"answer": "3.14", "tolerance": 0.01}, r"\boxed{3.1416}")
    assert passes({"answer": r"\pi", "tolerance": 0.01}, r"\boxed{3.1416}")
    assert passes({"answer": r"4\pi", "tolerance": 0.001}, r"\boxed{12.566}")
    assert not passes({"answer": r"4\pi", "tolerance": 0.0001}, r"\boxed{12.56}")
    assert passes({"answer": "(1.0, 2.0)", "tolerance": 0.1}, r"\boxed{(1.05, 1.95)}")
    assert not passes({"answer": "(1.0, 2.0)", "tolerance": 0.1}, r"\boxed{(1.05, 1.85)}")


def test_order_can_be_stated() -> None:
    assert passes("1, 2", r"\boxed{2, 1}")
    assert not passes({"answer": "1, 2", "ordered": True}, r"\boxed{2, 1}")
    assert passes({"answer": "1, 2", "ordered": True}, r"\boxed{1, 2}")
    assert not passes("(1, 2)", r"\boxed{(2, 1)}")
    assert passes({"answer": "(1, 2)", "ordered": False}, r"\boxed{(2, 1)}")
    assert passes({"answer": "(1, 2)", "ordered": False}, r"\boxed{\{2, 1\}}")


def test_units_can_be_demanded() -> None:
    assert passes("5", r"\boxed{5\text{ cm}}")
    demanded = {"answer": "5", "units": "cm"}
    assert passes(demanded, r"\boxed{5\text{ centimetres}}")
    assert not passes(demanded, r"\boxed{5}")
    assert not passes(demanded, r"\boxed{5\text{ m}}")
    assert passes({"answer": r"\sqrt{2}", "units": "cm"}, r"\boxed{\sqrt{2}\text{ cm}}")
    assert not passes({"answer": r"\sqrt{2}", "units": "cm"}, r"\boxed{\sqrt{2}}")


def test_numbers_may_be_plain_json() -> None:
    assert passes(5, r"\boxed{5.0}")
    assert passes(0.5, r"\boxed{\frac12}")
    assert passes({"answer": 3}, r"\boxed{3}")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "needs an answer"),
        (None, "needs an answer"),
        ([], "needs an answer"),
        ({}, "needs an answer|needs the key"),
        (True, "needs an answer"),
        ({"ordered": True}, "needs the key 'answer'"),
        ({"answer": "5", "unit": "cm"}, "unknown keys"),
        ({"answer": "5", "ordered": "yes"}, "ordered has the wrong type"),
        ({"answer": "5", "tolerance": "0.1"}, "tolerance has the wrong type"),
        ({"answer": "5", "tolerance": -1}, "tolerance must be"),
        ({"answer": "5", "tolerance": float("inf")}, "tolerance must be"),
        ({"answer": "Evelyn", "tolerance": 0.1}, "needs a number"),
        ({"answer": ["5"]}, "answer has the wrong type"),
        ("...", "needs an answer"),
    ],
)
def test_tasks_that_cannot_be_judged_are_refused(answer: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        judge(answer, "")


def test_the_place_of_the_answer_can_be_demanded() -> None:
    assert passes("x^2", "The answer is $x^2$.", place="marked")
    assert not passes("x^2", "The answer is $x^2$.", place="boxed")
    assert not passes("x^2", "$x^2$", place="marked")
    assert passes("x^2", "x^2", place="whole")


def test_the_question_said_back_is_no_answer() -> None:
    question = r"Compute $\log_2 8$ and give the result."
    assert not passes("3", question, question=question)
    assert judge("3", r"\boxed{\log_2 8}", question=question).outcome is Outcome.FAIL
    assert judge("3", r"\boxed{3}", question=question).outcome is Outcome.PASS
    assert judge(r"\sqrt{2}", r"\boxed{\sqrt{2}}", question=r"Is $\sqrt{2}$ or 1 larger?").outcome is Outcome.PASS
    assert judge("x^2-1", r"\boxed{(x-1)(x+1)}", question="Expand $(x-1)(x+1)$.").outcome is Outcome.FAIL
