import time

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.structured.patterns import Regex


def task(answer: str = "3 apples", example: str = "3 apples") -> Task:
    prompt = (Message(role="user", content="How many?"),)
    return Task(prompt=prompt, answer=answer, verifier="regex", meta={"example": example})


def test_the_whole_answer_or_some_part_of_it() -> None:
    assert Regex(pattern=r"\d+ apples").verify(task(), " 12 apples\n").outcome is Outcome.PASS
    assert Regex(pattern=r"\d+ apples").verify(task(), "I see 12 apples").outcome is Outcome.FAIL
    assert Regex(pattern=r"\d+ apples", mode="search").verify(task(), "I see 12 apples").outcome is Outcome.PASS
    assert Regex(pattern="apples", mode="search", ignore_case=True).verify(task(), "APPLES").outcome is Outcome.PASS
    assert Regex(pattern="apples", mode="search").verify(task(), "<think>apples</think>").outcome is Outcome.FAIL


def test_a_task_may_bring_its_own_pattern() -> None:
    own = task(answer="[a-c]+", example="abc")
    Regex().check_task(own)
    assert Regex().gold(own) == "abc"
    assert Regex().verify(own, "cab").outcome is Outcome.PASS
    assert Regex().verify(own, "dab").outcome is Outcome.FAIL


def test_catastrophic_backtracking_is_a_timeout_without_a_reward() -> None:
    verifier = Regex(pattern=r"(a|aa)+$", timeout=0.05)
    started = time.perf_counter()
    verdict = verifier.verify(task(), "a" * 60 + "!")
    assert verdict.outcome is Outcome.TIMEOUT
    assert verdict.reward is None
    assert time.perf_counter() - started < 5


def test_what_is_no_pattern_is_refused() -> None:
    with pytest.raises(InputError, match="no regular expression"):
        Regex(pattern="(")
    with pytest.raises(InputError, match="no regular expression"):
        Regex().check_task(task(answer="("))
