"""What every registered verifier must keep."""

import importlib.util

import pytest

from tahr.core.errors import InputError
from tahr.core.protocols import Verifier, verifiers
from tahr.core.types import Message, Outcome, Task
from verifier_cases import CASES, CONFIGS, case, verifier_set

NAMES = [
    pytest.param(
        name,
        marks=[
            pytest.mark.integration,
            pytest.mark.skipif(importlib.util.find_spec("reasoning_gym") is None, reason="needs reasoning-gym"),
        ]
        if name == "reasoning_gym"
        else [],
    )
    for name in CASES
]
VERIFIERS = verifier_set()
EVERY = pytest.mark.parametrize("name", NAMES)


def test_every_registered_verifier_has_a_case() -> None:
    needs_a_model = {"reward_model"}  # tests/unit/judges asks one of its own
    assert set(CASES) == set(verifiers.names()) - needs_a_model


@EVERY
def test_it_is_a_verifier_that_accepts_its_task(name: str) -> None:
    verifier = VERIFIERS.get(name)
    assert isinstance(verifier, Verifier)
    verifier.check_task(case(name))


@EVERY
def test_it_passes_its_own_gold_worth_its_highest_reward(name: str) -> None:
    task = case(name)
    verdict = VERIFIERS.verify(task, VERIFIERS.get(name).gold(task))
    assert verdict.outcome is Outcome.PASS, verdict.note
    assert verdict.reward is not None
    assert verdict.reward.value == pytest.approx(1.0)
    assert verdict.reward.parts["correct"] == 1.0


@EVERY
@pytest.mark.parametrize("text", ["", ".", "a", "0", "I can't help with that.", "Answer, please.", "the " * 50])
def test_what_answers_nothing_is_never_correct(name: str, text: str) -> None:
    verdict = VERIFIERS.verify(case(name), text)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reward is not None
    assert verdict.reward.parts["correct"] == 0.0
    assert verdict.reward.value < 1.0


@EVERY
def test_the_gold_in_the_thinking_part_is_no_answer(name: str) -> None:
    task = case(name)
    hidden = f"<think>{VERIFIERS.get(name).gold(task)}</think>"
    assert VERIFIERS.verify(task, hidden).outcome is Outcome.FAIL


@EVERY
def test_equal_inputs_give_equal_verdicts(name: str) -> None:
    task = case(name)
    texts = ["", "42", VERIFIERS.get(name).gold(task)]
    fresh = verifier_set()
    assert [fresh.verify(task, text) for text in texts] == [VERIFIERS.verify(task, text) for text in texts]


@EVERY
@pytest.mark.parametrize("answer", [None, [], {}, ""])
def test_tasks_that_judge_nothing_are_refused(name: str, answer: object) -> None:
    task = Task(prompt=(Message(role="user", content="?"),), answer=answer, verifier=name)
    with pytest.raises(InputError):
        VERIFIERS.get(name).check_task(task)


def test_every_verifier_works_with_default_arguments_or_says_what_it_needs() -> None:
    from tahr.verifiers.build import build_verifiers

    for name in set(CASES) - set(CONFIGS) - {"reasoning_gym"}:
        assert isinstance(build_verifiers({}).get(name), Verifier)
    with pytest.raises(InputError, match=r"verifiers\.weighted\.args\.parts: a value is required"):
        build_verifiers({}).get("weighted")
