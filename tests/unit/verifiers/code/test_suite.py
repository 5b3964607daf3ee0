from __future__ import annotations

from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.verifiers.code.suite import Case, Exchange, read_suite

TEST = {"args": [1, 2], "expected": 3}


def call(**changes: Any) -> dict[str, Any]:
    return {"kind": "call", "entry_point": "add", "public": [TEST], "hidden": [], **changes}


def test_calls_with_values_that_json_has_no_word_for() -> None:
    hidden = [{"args": [{"$tuple": [1, 2]}], "kwargs": {"base": 10}, "expected": {"$set": [3]}}]
    suite = read_suite(call(hidden=hidden, tolerance=1e-6))
    assert suite.public == (Case(args=(1, 2), kwargs={}, expected=3),)
    assert suite.hidden == (Case(args=((1, 2),), kwargs={"base": 10}, expected={3}),)
    assert suite.tests == (*suite.public, *suite.hidden)
    assert (suite.tolerance, suite.impossible) == (1e-6, False)


def test_exchanges() -> None:
    suite = read_suite({"kind": "stdio", "hidden": [{"stdin": "1\n", "stdout": "2\n"}, {"stdout": "0\n"}]})
    assert suite.hidden == (Exchange(stdin="1\n", stdout="2\n"), Exchange(stdin="", stdout="0\n"))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "needs a table of tests"),
        ([], "needs a table of tests"),
        ({"a": {1, 2}}, "needs a table of tests"),
        ({}, "kind must be call, assert or stdio"),
        (call(kind="pytest"), "kind must be call, assert or stdio"),
        (call(tests=[], mode=1), "unknown keys of a suite of tests: mode, tests"),
        (call(entry_point="a b"), "entry_point must name"),
        (call(entry_point=""), "entry_point must name"),
        (call(entry_point=3), "entry_point must name"),
        (call(entry_point="add(1)"), "entry_point must name"),
        (call(tolerance=True), "tolerance must be"),
        (call(tolerance=1.0), "tolerance must be"),
        (call(tolerance=-1e-9), "tolerance must be"),
        (call(tolerance="0.1"), "tolerance must be"),
        (call(public=TEST), "public must be a list of tests"),
        (call(hidden=[3]), r"hidden\[0\] must be a table"),
        (call(hidden=[TEST, {"args": [1]}]), r"hidden\[1\] needs args \(a list\) and expected"),
        (call(hidden=[{"args": 1, "expected": 3}]), r"hidden\[0\] needs args"),
        (call(hidden=[{"args": [], "kwargs": [1], "expected": 3}]), r"hidden\[0\] needs args"),
        (call(hidden=[{"arg": [1], "expected": 3}]), r"hidden\[0\] has unknown keys: arg"),
        (call(hidden=[{"args": [{"$set": 1}], "expected": 3}]), r"hidden\[0\]: malformed \$set"),
        (call(public=[], hidden=[]), "a suite needs 1 to 1000 tests"),
        (call(public=[TEST] * 1001), "a suite needs 1 to 1000 tests"),
        (call(setup="def f(:"), "setup must be Python source"),
        (call(impossible="yes"), "impossible must be true or false"),
        ({"kind": "stdio", "public": [{"stdin": 1, "stdout": ""}]}, r"public\[0\] needs stdin and stdout as text"),
        ({"kind": "stdio", "public": [{"stdin": ""}]}, r"public\[0\] needs stdin and stdout as text"),
        ({"kind": "assert", "entry_point": "f", "hidden": ["assert f("]}, r"hidden\[0\] must be Python source"),
        ({"kind": "assert", "entry_point": "f", "hidden": ["  "]}, r"hidden\[0\] must be Python source"),
        ({"kind": "assert", "hidden": ["assert 1"]}, "entry_point must name"),
    ],
)
def test_what_is_no_suite_is_refused_with_the_key_at_fault(answer: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_suite(answer)


@pytest.mark.parametrize(
    ("expected", "share"),
    [([0, 0, 1, 2], 0.5), ([1, True, 1.0, "1"], 0.25), ([[1], [1], [2]], 2 / 3), ([5], 1.0)],
)
def test_share_of_the_best_constant_answer(expected: list[Any], share: float) -> None:
    suite = read_suite(call(public=[{"args": [n], "expected": value} for n, value in enumerate(expected)]))
    assert suite.best_constant == pytest.approx(share)


def test_best_constant_of_assertions_and_of_printed_text() -> None:
    texts = ["assert f(1) == 0", "assert f(2) == 0", "assert f(3) == 4", "for i in [1]:\n    assert f(i)"]
    assert read_suite({"kind": "assert", "entry_point": "f", "hidden": texts}).best_constant == 0.5
    exchanges = [{"stdin": str(n), "stdout": text} for n, text in enumerate(["YES\n", "YES\n", "NO\n"])]
    assert read_suite({"kind": "stdio", "hidden": exchanges}).best_constant == pytest.approx(2 / 3)
