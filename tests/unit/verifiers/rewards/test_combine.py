"""The range that a combination reports holds every reward that it gives; modes and roles by literal values."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.ranges import RewardRange
from tahr.core.types import Outcome, Reward, Task, Verdict
from tahr.verifiers.rewards.combine import Part
from tahr.verifiers.rewards.weighted import Weighted

TASK = Task(prompt=(), answer="42", verifier="mix")
Said = tuple[str, float]


class Saying:
    """Says what it is told to, and states the range that it keeps."""

    def __init__(self, outcome: str, value: float, known: RewardRange | None = None) -> None:
        reward = None if outcome in {"timeout", "error"} else Reward(value=value, parts={"correct": 0.0})
        self.said = Verdict(outcome=Outcome(outcome), reward=reward)
        self.reward_range = known

    def check_task(self, task: Task) -> None:
        """Accept all."""

    def verify(self, task: Task, text: str) -> Verdict:
        return self.said

    def gold(self, task: Task) -> str:
        return "x"


def mixed(parts: list[dict[str, Any]], said: list[Said], mode: str, ranges: list[RewardRange] | None = None) -> Verdict:
    mix = Weighted(parts=tuple(Part(verifier=str(place), **part) for place, part in enumerate(parts)), mode=mode)  # type: ignore[arg-type]
    known = ranges or [RewardRange(passing=(1, 1), failing=(0, 1))] * len(parts)
    built = mix.with_verifiers(lambda name, _: Saying(*said[int(name)], known[int(name)]))
    verdict = built.verify(TASK, "")
    stated = built.reward_range  # type: ignore[attr-defined]
    assert stated is not None
    if verdict.reward is not None:
        assert stated.holds(verdict.outcome, verdict.reward), (stated, verdict)
    return verdict


def value(parts: list[dict[str, Any]], said: list[Said], mode: str = "sum") -> float | None:
    reward = mixed(parts, said, mode).reward
    return None if reward is None else reward.value


LADDER: list[dict[str, Any]] = [{"weight": 0.1}, {"weight": 0.2}, {"weight": 0.7}]
PASS, HALF, FAIL, LATE = ("pass", 1.0), ("fail", 0.5), ("fail", 0.0), ("timeout", 0.0)


@pytest.mark.parametrize(
    ("said", "worth"),
    [
        ([PASS, PASS, PASS], 1.0),
        ([PASS, PASS, HALF], 0.65),
        ([PASS, FAIL, PASS], 0.1),
        ([PASS, HALF, PASS], 0.2),
        ([FAIL, PASS, PASS], 0.0),
    ],
)
def test_a_ladder_ends_with_the_first_part_that_is_not_correct(said: list[Said], worth: float) -> None:
    assert value(LADDER, said, "first_failing") == pytest.approx(worth)


def test_partial_credit_can_be_left_out() -> None:
    assert value([{}, {"partial": False, "decides": False}], [PASS, HALF]) == 1.0
    assert value([{}, {"decides": False}], [PASS, HALF]) == 1.5


def test_a_part_may_count_only_where_the_whole_is_correct_or_is_not() -> None:
    parts = [{}, {"when": "correct", "decides": False}, {"when": "wrong", "decides": False, "weight": -0.25}]
    assert value(parts, [PASS, HALF, PASS]) == 1.5
    assert value(parts, [FAIL, HALF, PASS]) == -0.25


def test_absent_parts_are_left_out_and_counted() -> None:
    verdict = mixed([{}, {"needed": False, "decides": False}], [PASS, LATE], "sum")
    assert verdict.reward is not None
    assert verdict.reward.value == 1.0
    assert verdict.reward.parts == {"correct": 1.0, "0": 1.0, "0.correct": 0.0, "1.absent": 1.0}
    parts = [{"needed": False}, {"when": "correct", "decides": False}]
    assert (mixed(parts, [LATE, PASS], "sum").outcome, value(parts, [LATE, PASS])) == (Outcome.TIMEOUT, None)


UNIT = st.floats(-2, 2, allow_nan=False).map(lambda number: round(number, 3))
ENDS = st.tuples(UNIT, UNIT).map(lambda ends: (min(ends), max(ends)))


@st.composite
def combinations(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[Said], str, list[RewardRange]]:
    mode = draw(st.sampled_from(["sum", "product", "min", "gate", "first_failing"]))
    weights = st.floats(0.1, 3) if mode in {"product", "min"} else st.floats(-3, 3).filter(bool)
    parts: list[dict[str, Any]] = []
    said: list[Said] = []
    ranges: list[RewardRange] = []
    for place in range(draw(st.integers(1, 5))):
        decides = place == 0 or draw(st.booleans())
        when = "always" if decides else draw(st.sampled_from(["always", "correct", "wrong"]))
        needed = (place == 0 and mode == "gate") or draw(st.booleans())
        part = {"weight": draw(weights), "decides": decides, "when": when, "needed": needed}
        parts.append(part | {"partial": draw(st.booleans())})
        known = RewardRange(passing=draw(ENDS), failing=draw(ENDS))
        outcome = draw(st.sampled_from(["pass", "fail", "timeout"]))
        low, high = known.passing if outcome == "pass" else known.failing
        said.append((outcome, low + draw(st.floats(0, 1)) * (high - low)))
        ranges.append(known)
    return parts, said, mode, ranges


@pytest.mark.slow
@settings(max_examples=300, deadline=None, derandomize=True)
@given(combination=combinations())
def test_the_reported_range_holds_every_reward(
    combination: tuple[list[dict[str, Any]], list[Said], str, list[RewardRange]],
) -> None:
    mixed(*combination)


@pytest.mark.slow
@settings(max_examples=100, deadline=None, derandomize=True)
@given(combination=combinations(), ends=st.integers(0, 1))
def test_the_reported_range_is_no_wider_than_its_ends(
    combination: tuple[list[dict[str, Any]], list[Said], str, list[RewardRange]], ends: int
) -> None:
    """Some outcome of parts of one value each reaches each end of both ranges."""
    from itertools import product

    parts, _, mode, ranges = combination
    points = [RewardRange(passing=(r.passing[ends],) * 2, failing=(r.failing[ends],) * 2) for r in ranges]
    ways = [
        [("pass", p.passing[0]), ("fail", p.failing[0])] + ([] if part["needed"] else [("timeout", 0.0)])
        for part, p in zip(parts, points, strict=True)
    ]
    found: dict[Outcome, list[float]] = {Outcome.PASS: [], Outcome.FAIL: []}
    for said in product(*ways):
        verdict = mixed(parts, list(said), mode, points)
        if verdict.reward is not None:
            found[verdict.outcome].append(verdict.reward.value)
    mix = Weighted(parts=tuple(Part(verifier=str(i), **part) for i, part in enumerate(parts)), mode=mode)  # type: ignore[arg-type]
    built = mix.with_verifiers(lambda name, _: Saying("fail", 0.0, points[int(name)]))
    stated: RewardRange = built.reward_range  # type: ignore[attr-defined]
    assert (min(found[Outcome.PASS]), max(found[Outcome.PASS])) == pytest.approx(stated.passing)
    assert (min(found[Outcome.FAIL]), max(found[Outcome.FAIL])) == pytest.approx(stated.failing)
