import importlib.util
from typing import Any

import pytest

from tahr.core.errors import InputError, MissingExtraError, UnknownNameError
from tahr.core.types import Outcome, Task
from tahr.data.sources.gym import ReasoningGym as Source
from tahr.verifiers.gym import ReasoningGym

needs_package = pytest.mark.skipif(importlib.util.find_spec("reasoning_gym") is None, reason="needs reasoning-gym")
pytestmark = pytest.mark.integration


def first(name: str, **config: Any) -> Task:
    return Source(name=name, config=config).generate(1, seed=0)[0]


@needs_package
def test_answers_are_found_and_scored() -> None:
    task, verifier = first("leg_counting"), ReasoningGym()
    answer = task.answer["answer"]
    for text in (f"<answer>{answer}</answer>", rf"so \boxed{{{answer}}}", f"The answer is {answer}", answer):
        assert verifier.verify(task, text).outcome is Outcome.PASS
    assert verifier.verify(task, f"<answer>{answer}0</answer>").outcome is Outcome.FAIL


@needs_package
def test_a_scorer_that_hangs_costs_only_its_own_verdict() -> None:
    task, verifier = first("countdown"), ReasoningGym(timeout=2.0)
    assert verifier.verify(task, verifier.gold(task)).outcome is Outcome.PASS
    hung = verifier.verify(task, "9**9**9**9*9")
    assert (hung.outcome, hung.reward) == (Outcome.TIMEOUT, None)
    assert ReasoningGym().verify(task, ReasoningGym().gold(task)).outcome is Outcome.PASS


@needs_package
def test_partial_scores_can_be_left_out() -> None:
    task = first("countdown")
    partial, strict = (ReasoningGym(partial=partial).verify(task, "1 + 1").reward for partial in (True, False))
    assert partial is not None
    assert strict is not None
    assert 0 < partial.value < 1
    assert strict.value == 0.0
    assert strict.parts["score"] == partial.value


@needs_package
@pytest.mark.parametrize("name", ["boxnet", "graph_color", "propositional_logic", "rubiks_cube", "rush_hour"])
def test_generators_that_do_not_pass_their_own_answers_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="does not score its own answers 1"):
        Source(name=name).generate(1, seed=0)


@needs_package
def test_wrong_names_and_settings_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'leg_counting'"):
        first("leg_countin")
    with pytest.raises(UnknownNameError, match="did you mean 'max_animals'"):
        first("leg_counting", max_animal=3)
    with pytest.raises(InputError, match="refuses its settings"):
        first("leg_counting", min_animals=-1)


def test_an_absent_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "reasoning_gym", None)
    with pytest.raises(MissingExtraError, match=r"tahr\[reasoning-gym\]"):
        Source(name="leg_counting").generate(1, seed=0)
    monkeypatch.setattr("tahr.verifiers.gym.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"tahr\[reasoning-gym\]"):
        ReasoningGym()
