from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.core.ranges import RewardRange
from tahr.core.types import Message, Outcome, Reward, Task, Verdict
from tahr.verifiers.build import VerifierSet, build_verifiers
from tahr.verifiers.config import VerifierConfig

FORMAT = {"verifier": "regex", "name": "format", "args": {"pattern": "####", "mode": "search"}, "decides": False}


class Fixed:
    """A verifier that always finds the same."""

    def __init__(self, *, outcome: str, value: float | None = None) -> None:
        self.verdict = Verdict(
            outcome=Outcome(outcome), reward=None if value is None else Reward(value=value, parts={"correct": 0.0})
        )

    def check_task(self, task: Task) -> None:
        """Accept all."""

    def verify(self, task: Task, text: str) -> Verdict:
        return self.verdict

    def gold(self, task: Task) -> str:
        return "x"


def built(parts: list[dict[str, Any]], **args: Any) -> VerifierSet:
    mix = VerifierConfig(verifier="weighted", args={"parts": parts, **args})
    fixed = {
        "absent": VerifierConfig(verifier=f"{__name__}:Fixed", args={"outcome": "timeout"}),
        "cheat": VerifierConfig(verifier=f"{__name__}:Fixed", args={"outcome": "cheat", "value": 1.0}),
        "half": VerifierConfig(verifier=f"{__name__}:Fixed", args={"outcome": "fail", "value": 0.5}),
    }
    return build_verifiers({"mix": mix, **fixed})


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    module = sys.modules.get(__name__) or sys.modules[Fixed.__module__]
    monkeypatch.setitem(sys.modules, __name__, module)


def task(answer: Any = "42", **meta: Any) -> Task:
    return Task(prompt=(Message(role="user", content="?"),), answer=answer, verifier="mix", meta=meta)


def value(verifiers: VerifierSet, text: str, question: Task | None = None) -> float | None:
    reward = verifiers.verify(question or task(), text).reward
    return None if reward is None else reward.value


def test_a_weighted_sum_logs_every_part_and_raw_correctness() -> None:
    verifiers = built([{"verifier": "numeric", "weight": 0.9}, FORMAT | {"weight": 0.1}])
    verdict = verifiers.verify(task(), "it is 42")
    assert verdict.outcome is Outcome.PASS
    assert verdict.reward is not None
    assert verdict.reward.value == pytest.approx(0.9)
    assert verdict.reward.parts == {
        "correct": 1.0,
        "numeric": 1.0,
        "numeric.correct": 1.0,
        "format": 0.0,
        "format.correct": 0.0,
    }
    assert value(verifiers, "#### 42") == pytest.approx(1.0)
    assert value(verifiers, "#### 41") == pytest.approx(0.1)
    wrong = verifiers.verify(task(), "#### 41")
    assert wrong.outcome is Outcome.FAIL
    assert wrong.reward is not None
    assert wrong.reward.parts["correct"] == 0.0


@pytest.mark.parametrize(
    ("mode", "both", "number_only", "format_only"),
    [("sum", 3.0, 2.0, 1.0), ("product", 2.0, 0.0, 0.0), ("min", 1.0, 0.0, 0.0), ("gate", 3.0, 2.0, 0.0)],
)
def test_modes(mode: str, both: float, number_only: float, format_only: float) -> None:
    verifiers = built([{"verifier": "numeric", "weight": 2.0}, FORMAT], mode=mode)
    assert value(verifiers, "#### 42") == both
    assert value(verifiers, "42") == number_only
    assert value(verifiers, "#### 41") == format_only


@pytest.mark.parametrize(
    ("weights", "mode", "passing", "failing"),
    [
        ((2.0, 1.0), "sum", (2.0, 3.0), (0.0, 1.0)),
        ((1.0, -0.5), "sum", (0.5, 1.0), (-0.5, 0.0)),
        ((2.0, 3.0), "product", (0.0, 6.0), (0.0, 0.0)),
        ((2.0, 3.0), "min", (0.0, 2.0), (0.0, 0.0)),
        ((1.0, -0.5), "gate", (0.5, 1.0), (0.0, 0.0)),
        ((0.75, 0.25), "first_failing", (0.75, 1.0), (0.0, 0.0)),
    ],
)
def test_the_range_is_known(
    weights: tuple[float, float], mode: str, passing: tuple[float, float], failing: tuple[float, float]
) -> None:
    parts = [{"verifier": "numeric", "weight": weights[0]}, FORMAT | {"weight": weights[1]}]
    assert built(parts, mode=mode).reward_range("mix") == RewardRange(
        passing=passing, failing=failing, cheating=min(0.0, *passing, *failing)
    )


def test_the_range_is_unknown_where_a_part_does_not_state_its_own() -> None:
    assert built([{"verifier": "numeric"}, {"verifier": "half"}]).reward_range("mix") is None


def test_an_absent_part_makes_the_whole_absent_unless_it_is_not_needed() -> None:
    needed = built([{"verifier": "numeric"}, {"verifier": "absent"}])
    verdict = needed.verify(task(), "42")
    assert (verdict.outcome, verdict.reward) == (Outcome.TIMEOUT, None)
    optional = built([{"verifier": "numeric"}, {"verifier": "absent", "needed": False, "decides": False}])
    assert value(optional, "42") == 1.0
    alone = built([{"verifier": "absent", "needed": False}])
    assert alone.verify(task(), "42").reward is None


def test_cheating_in_one_part_is_never_rewarded() -> None:
    verifiers = built([{"verifier": "numeric"}, {"verifier": "cheat"}])
    verdict = verifiers.verify(task(), "42")
    assert verdict.outcome is Outcome.CHEAT
    assert verdict.reward is not None
    assert verdict.reward.value == 0.0
    assert verdict.reward.parts["correct"] == 0.0


def test_partial_rewards_are_weighted() -> None:
    verifiers = built([{"verifier": "numeric", "weight": 0.5}, {"verifier": "half", "weight": 0.5}])
    assert value(verifiers, "42") == 0.75


def test_parts_may_judge_their_own_key_of_the_answer() -> None:
    verifiers = built([{"verifier": "numeric", "answer": "number"}, {"verifier": "choice", "answer": "letter"}])
    question = task({"number": "42", "letter": "C"}, example="C\n#### 42")
    verifiers.get("mix").check_task(question)
    assert value(verifiers, "42", question) == 1.0
    with pytest.raises(InputError, match="'letter' of the answer, which is missing"):
        verifiers.get("mix").check_task(task({"number": "42"}))


def test_the_gold_is_one_that_every_deciding_part_passes() -> None:
    verifiers = built([{"verifier": "exact", "name": "words"}, {"verifier": "numeric"}])
    assert verifiers.get("mix").gold(task("42")) == "42"
    assert verifiers.get("mix").gold(task("42", example="#### 42")) == "#### 42"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"parts": []}, "parts"),
        ({"parts": [{"verifier": "numeric"}, {"verifier": "numeric"}]}, "a name of its own"),
        ({"parts": [{"verifier": "numeric", "name": "correct"}]}, "a name of its own"),
        ({"parts": [{"verifier": "numeric", "decides": False}]}, "no part decides"),
        ({"parts": [{"verifier": "numeric", "weight": 0}]}, "not all 0"),
        ({"parts": [{"verifier": "numeric", "weight": -1}], "mode": "product"}, "weights above 0"),
        ({"parts": [{"verifier": "numerc"}]}, "did you mean 'numeric'"),
        ({"parts": [{"verifer": "numeric"}]}, "did you mean 'verifier'"),
        ({"parts": [{"verifier": "mix"}]}, "part of itself"),
        ({"parts": [{"verifier": "numeric", "args": {"tolrance": 1}}]}, "did you mean 'tolerance'"),
    ],
)
def test_wrong_combinations_are_refused(args: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_verifiers({"mix": VerifierConfig(verifier="weighted", args=args)})


def test_cheating_in_a_part_is_worth_what_the_recipe_says_of_the_whole() -> None:
    parts = [{"verifier": "numeric"}, {"verifier": "cheat"}]
    fixed = VerifierConfig(verifier=f"{__name__}:Fixed", args={"outcome": "cheat", "value": 1.0})
    mix = VerifierConfig(verifier="weighted", args={"parts": parts}, cheat_reward=-1.0)
    assert value(build_verifiers({"mix": mix, "cheat": fixed}), "42") == -1.0
