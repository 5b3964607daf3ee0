"""What differs between two evaluations, and when that may be compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from small_attempts import attempt, evaluation
from tahr.core.errors import InputError
from tahr.evaluation.comparison.compare import FOUND, NOT_FOUND, compare_runs
from tahr.evaluation.comparison.conditions import check_comparable, differing, remarks
from tahr.evaluation.comparison.sides import Side, matched
from tahr.store.records import Conditions

BARE = Conditions(
    suite="sums",
    setting="bare",
    model="m",
    training="m",
    weights="a" * 16,
    num_parameters=1,
    num_bytes=4,
    seed=0,
    temperature=0.7,
    max_new_tokens=64,
    samples_per_task=1,
    seconds=1.0,
    num_cached=0,
)


def side(name: str = "one", scores: tuple[float, ...] = (0.0, 1.0, 1.0), **changes: Any) -> Side:
    conditions = replace(BARE, **changes)
    rows = (attempt(f"t{n}", correct=value, domain="x") for n, value in enumerate(scores))
    return Side(name=name, evaluation=evaluation(*rows, conditions=conditions), conditions=conditions)


def test_a_hash_decides_whose_weights_they_are() -> None:
    assert differing(side(), side(model="copy", training="copy")) == {}
    found = differing(side(), side(training="run, rlvr step 5", weights="b" * 16))
    assert found == {"weights": ("m (aaaaaaaa)", "run, rlvr step 5 (bbbbbbbb)")}
    # a server that hides its weights is known by its name
    assert differing(side(weights=""), side()) == {}
    assert differing(side(weights="", training="other"), side()) == {"weights": ("other", "m")}


def test_a_setting_has_its_own_budget() -> None:
    assert check_comparable(side(), side(setting="harness", max_new_tokens=512)) == ("setting",)
    assert check_comparable(side(), side(max_new_tokens=512)) == ("max_new_tokens",)


@pytest.mark.parametrize(
    ("thing", "value"), [("wording", "b" * 8), ("filters", "top_p 0.1"), ("request", '{"reasoning_effort": "high"}')]
)
def test_words_filters_and_requests_are_no_chance(thing: str, value: str) -> None:
    assert check_comparable(side(), side(**{thing: value})) == (thing,)
    assert "placebo" not in " ".join(remarks(side(), side(**{thing: value})))


def test_two_things_are_one_too_many() -> None:
    other = side("two", weights="b" * 16, training="n", setting="harness")
    with pytest.raises(InputError, match="setting: bare and harness"):
        check_comparable(side(), other)
    assert check_comparable(side(), other, allowed=("setting",)) == ("weights",)
    with pytest.raises(InputError, match="unknown condition 'seed'"):
        check_comparable(side(), other, allowed=("seed",))


def test_remarks_on_chance_and_precision() -> None:
    found = remarks(side(), side(seed=1, samples_per_task=4))
    assert found[0].startswith("nothing differs but chance")
    assert "attempts at a question differ: 1 and 4" in found
    assert "seeds differ: 0 and 1" in found
    assert not any("seeds" in one for one in remarks(side(temperature=0.0), side(temperature=0.0, seed=1)))


def test_a_model_that_may_have_learnt_the_questions_is_named() -> None:
    assert not any("learnt" in one for one in remarks(side(), side("two")))
    found = remarks(side(), side("two", contaminated="train_on_unseen"))
    assert "two may have learnt questions of evaluations (train_on_unseen)" in found


def test_sides_are_matched_by_suite_and_setting_and_else_by_suite() -> None:
    first, harness = side(), side(setting="harness")
    other = side("two", setting="harness")
    assert matched([first, harness], [other]) == [(harness, other)]
    assert matched([first], [other]) == [(first, other)]
    with pytest.raises(InputError, match="were not asked the same"):
        matched([first, harness], [side("two", setting="tools")])


def test_marks_split_the_difference() -> None:
    other = side("two", (1.0, 1.0, 0.0), weights="b" * 16, training="n")
    found = compare_runs([[side()], [other]], marks=lambda _: frozenset({"t0"}))[0]
    split = {row.difference.domain: row.difference for row in found.rows}
    assert split[FOUND].num_tasks == 1 and split[FOUND].difference == 1.0
    assert split[NOT_FOUND].num_tasks == 2 and split[NOT_FOUND].difference == -0.5
    none = compare_runs([[side()], [other]], marks=lambda _: frozenset())[0]
    assert [row.difference.domain for row in none.rows] == [""]  # it would be all over again


def test_parts_that_say_nothing_new_are_left_out_unless_asked_for() -> None:
    other = side("two", (1.0, 1.0, 1.0), weights="b" * 16, training="n")
    assert [row.difference.part for row in compare_runs([[side()], [other]])[0].rows] == ["correct"]
    asked = compare_runs([[side()], [other]], parts=("reward",))[0]
    assert [row.difference.part for row in asked.rows] == ["correct", "reward"]
    with pytest.raises(InputError, match="not both evaluations have the part 'strict'"):
        compare_runs([[side()], [other]], parts=("strict",))
