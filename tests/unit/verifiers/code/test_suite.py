from __future__ import annotations

import sys
from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.verifiers.code.suite import Case, Exchange, read_suite

TEST = {"args": [1, 2], "expected": 3}


def call(**changes: Any) -> dict[str, Any]:
    return {"kind": "call", "entry_point": "add", "public": [TEST], "hidden": [], **changes}


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


def test_calls_with_values_that_json_has_no_word_for() -> None:
    hidden = [{"args": [{"$tuple": [1, 2]}], "kwargs": {"base": 10}, "expected": {"$set": [3]}}]
    suite = read_suite(call(hidden=hidden, tolerance=1e-6))
    assert suite.public == (Case(args=(1, 2), kwargs={}, expected=3),)
    assert suite.hidden == (Case(args=((1, 2),), kwargs={"base": 10}, expected={3}),)
    assert suite.tests == (*suite.public, *suite.hidden)
    assert (suite.tolerance, suite.impossible) == (1e-6, False)


def test_tests_that_nest_too_deeply_are_refused_however_far_libraries_put_the_interpreter_s_own_bound() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        with pytest.raises(InputError, match="nest too deeply"):
            read_suite(call(hidden=[{"args": [nested(5000)], "expected": 1}]))
    finally:
        sys.setrecursionlimit(limit)


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
        ({"kind": "assert", "entry_point": "f", "hidden": ["# nothing"]}, r"hidden\[0\] asserts nothing"),
        ({"kind": "assert", "entry_point": "f", "hidden": ["x = f(1)\nprint(x)"]}, r"hidden\[0\] asserts nothing"),
        ({"kind": "stdio", "public": [{"stdin": "\ud800", "stdout": "1"}]}, r"public\[0\]: stdin holds half"),
        ({"kind": "stdio", "public": [{"stdin": "1", "stdout": "\udfff"}]}, r"public\[0\]: stdout holds half"),
        ({"kind": "stdio", "hidden": [{"stdin": "1 " * 2**23 + "1", "stdout": ""}]}, r"hidden\[0\]: stdin is larger"),
        ({"kind": "stdio", "hidden": [{"stdin": "", "stdout": "1" * (2**20 + 1)}]}, r"hidden\[0\]: stdout is larger"),
        (call(hidden=[{"args": [nested(70)], "expected": 1}]), r"hidden\[0\]: the arguments can't be sent"),
        (call(hidden=[{"args": [], "kwargs": {"x": nested(70)}, "expected": 1}]), "the arguments can't be sent"),
        (call(hidden=[{"args": [[0] * 500_000], "expected": 1}]), r"hidden\[0\]: the arguments can't be sent"),
        (call(hidden=[{"args": [], "expected": nested(70)}]), r"hidden\[0\]: no program can return expected"),
        (call(hidden=[{"args": [], "expected": "x" * 2**20}]), "no program can return expected, which is larger"),
        (
            call(hidden=[{"args": [], "expected": {"$set": [n + 0.5 for n in range(2001)]}}]),
            "no program can return expected",
        ),
        (call(hidden=[{"args": [nested(5000)], "expected": 1}]), "nest too deeply"),
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


@pytest.mark.parametrize(
    ("tests", "share"),
    [
        (["assert f(1) == 0", "assert f(2) == 0", "assert f(3) == 4", "for i in [1]:\n    assert f(i)"], 0.5),
        (["assert f(2)", "assert f(3)", "assert f(5)", "assert not f(4)"], 0.75),
        (["assert f(2) == True", "assert f(3)", "assert f(5) is True", "assert f(4) == False"], 0.75),
        (["assert f(2) == 1.0", "assert f(3) == 1", "assert 1 == f(4)", "assert f(5) == 2"], 0.75),
        (["assert f(2) == [1]", "assert list(f(3)) == [1]", "assert f(4) == (1,)"], 2 / 3),
        (["assert f(2) > 0", "assert f(3) in (5, 6)", "assert f(4) != 7 and f(5) >= 5", "assert not f(9)"], 0.75),
        (["assert f(1) == 1\nassert f(2) == 1", "assert f(1) == 1\nassert f(2) == 2", "assert f(3) == 1"], 2 / 3),
        (["r = f(1)\nassert r == 3", "assert abs(f(2) - 3) < 1e-6", "assert math.isclose(f(3), 3)"], 1.0),
        (["assert abs(f(2) - 3) < 1e-6", "assert abs(f(3) - 4) < 1e-6"], 0.5),
        (["def check(g):\n    assert g(1) == 3\n    assert g(2) == 3\ncheck(f)", "assert candidate(1) == 2"], 0.5),
        (["assert f(1) == Point(1)", "assert f(2) == Point(1)", "assert f(3) == Point(2)"], 2 / 3),
        (["assert all(f(i) == i for i in range(9))", "assert f(1) is None"], 0.5),
        (["assert f(1) == " + "+".join("a" * 900), "assert f(1) == 0x" + "f" * 5000], 0.5),
    ],
)
def test_share_of_the_assertions_that_the_best_constant_fulfils(tests: list[str], share: float) -> None:
    suite = read_suite({"kind": "assert", "entry_point": "f", "hidden": tests})
    assert suite.best_constant == pytest.approx(share)


@pytest.mark.parametrize(
    ("printed", "tolerance", "share"),
    [
        (["YES\n", "YES\n", "NO\n"], 0.0, 2 / 3),
        (["YES\n", "YES", "YES \r\n\n", "NO\n"], 0.0, 0.75),
        (["0.50\n", "0.5\n", "0.7\n"], 1e-6, 2 / 3),
        (["0.50\n", "0.5\n", "0.7\n"], 0.0, 1 / 3),
    ],
)
def test_share_of_the_best_constant_text(printed: list[str], tolerance: float, share: float) -> None:
    exchanges = [{"stdin": str(n), "stdout": text} for n, text in enumerate(printed)]
    suite = read_suite({"kind": "stdio", "hidden": exchanges, "tolerance": tolerance})
    assert suite.best_constant == pytest.approx(share)


def test_a_tolerance_makes_values_one_constant() -> None:
    tests = [{"args": [n], "expected": value} for n, value in enumerate([0.5, 0.5000001, [0.5], 2.0])]
    assert read_suite(call(hidden=tests, public=[], tolerance=1e-3)).best_constant == 0.5
    assert read_suite(call(hidden=tests, public=[])).best_constant == 0.25


@pytest.mark.parametrize(
    ("test", "setup"),
    [
        ("check(f)", "def check(candidate):\n    assert candidate(1) == 2"),
        ("same(f(1), 2)", "def same(one, other):\n    assert one == other"),
        ("import unittest\nunittest.TestCase().assertEqual(f(1), 2)", ""),
        ("if f(1) != 2:\n    raise ValueError", ""),
    ],
)
def test_tests_that_assert_in_other_ways(test: str, setup: str) -> None:
    suite = read_suite({"kind": "assert", "entry_point": "f", "hidden": [test], "setup": setup})
    assert suite.hidden == (test,)
