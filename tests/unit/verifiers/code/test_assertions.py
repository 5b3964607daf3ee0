"""Assertions are judged where no candidate runs: a stand-in asks for the calls that the tests make."""

from __future__ import annotations

from typing import Any

import pytest

from code_tasks import RIGHT, judge
from tahr.core.types import Outcome
from tahr.verifiers.code import grade


def outcome(source: str, *tests: str, **options: Any) -> Outcome:
    return judge({"kind": "assert", "entry_point": "add", "hidden": list(tests), **options}, source).outcome


MINUS = "def add(a, b):\n    return a - b\n"
LATE = "def add(a, b):\n    return a + b if a < 7 else 0\n"
STRICT = "def add(a, b):\n    if a < 0:\n        raise ValueError('negative')\n    return a + b\n"
RAISES = "try:\n    add(-1, 0)\n    assert False\nexcept ValueError:\n    pass"


@pytest.mark.parametrize(
    ("test", "passes", "fails"),
    [
        ("assert add(1, 2) == 3", RIGHT, MINUS),
        ("def check(candidate):\n    assert candidate(1, 2) == 3\ncheck(add)", RIGHT, MINUS),
        ("for n in range(10):\n    assert add(n, 1) == n + 1, n", RIGHT, LATE),
        ("assert all(add(n, 1) == n + 1 for n in range(10))", RIGHT, LATE),
        ("assert [add(n, 1) for n in range(10)] == list(range(1, 11))", RIGHT, LATE),
        ("assert add(add(1, 1), add(2, 3)) == 7", RIGHT, MINUS),
        ("total = 0\nfor n in range(5):\n    total = add(total, n)\nassert total == 10", RIGHT, MINUS),
        ("assert add(b=2, a=5) == 7", RIGHT, MINUS),
        ("assert abs(add(0.1, 0.2) - 0.3) < 1e-9", RIGHT, MINUS),
        ("assert isinstance(add(1, 2), int) and add(1, 2) in (3, 4)", RIGHT, MINUS),
        ("import random\nfor _ in range(5):\n    a = random.random()\n    assert add(a, 1) == a + 1", RIGHT, MINUS),
        ("r = add([1], [2])\nassert len(r) == 2\nfor one in r:\n    assert one in (1, 2)", RIGHT, MINUS),
        ("xs = []\nfor n in range(3):\n    xs.append(n)\n    assert add(xs, [9])[-2] == n", RIGHT, MINUS),
        ("if add(1, 2) != 3:\n    raise RuntimeError", RIGHT, MINUS),
        (RAISES, STRICT, RIGHT),
        (
            "try:\n    add(-1, 0)\n    assert False\nexcept Exception as e:\n    assert type(e) is ValueError",
            STRICT,
            MINUS,
        ),
    ],
)
def test_verdicts(test: str, passes: str, fails: str) -> None:
    assert outcome(passes, test) is Outcome.PASS
    assert outcome(fails, test) is Outcome.FAIL


def test_setup_is_run_before_the_tests() -> None:
    setup = "def double(x):\n    return 2 * x\n"
    assert outcome(RIGHT, "assert double(add(1, 2)) == 6", setup=setup) is Outcome.PASS
    assert outcome(MINUS, "assert double(add(1, 2)) == 6", setup=setup) is Outcome.FAIL


@pytest.mark.parametrize(
    "source",
    [
        "def add(a, b):\n    raise AssertionError",
        "def add(a, b):\n    raise KeyboardInterrupt",
        "class Pending(BaseException): pass\ndef add(a, b):\n    raise Pending",
        "class Equal:\n    def __eq__(self, other): return self\ndef add(a, b):\n    return Equal()",
        "def add(a, b):\n    yield a + b",
        "def add(a, b):\n    return print",
        "x = 1",
    ],
)
def test_what_returns_no_plain_value_fails(source: str) -> None:
    assert outcome(source, "assert add(1, 2) == 3", "try:\n    assert add(1, 2)\nexcept ValueError:\n    pass") in {
        Outcome.FAIL,
        Outcome.CHEAT,
    }


@pytest.mark.parametrize(
    "value",
    ["10 ** 9", "'x' * 300000", "10 ** 20000", "float('nan')", "deep"],
)
def test_values_that_break_the_tests_earn_nothing_and_are_no_fault_of_the_machinery(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grade, "JUDGE_SECONDS", 0.5)
    deep = "deep = []\nfor _ in range(62):\n    deep = [deep]\n"
    source = f"{deep}def add(a, b):\n    return {value}\n"
    tests = ("n = add(1, 2)\nfor i in range(n):\n    i ** 2\nassert n == 3", "assert add(add(1, 1), add(2, 2)) == 6")
    verdict = judge({"kind": "assert", "entry_point": "add", "hidden": list(tests)}, source)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reward is not None
    assert verdict.reward.value == 0.0


@pytest.mark.parametrize("test", ["while True:\n    pass\nassert add(1, 2)", "assert add(object(), 1)"])
def test_tests_that_cannot_be_judged_give_no_reward(test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grade, "JUDGE_SECONDS", 0.5)
    verdict = judge({"kind": "assert", "entry_point": "add", "hidden": [test]}, RIGHT)
    assert (verdict.outcome, verdict.reward) == (Outcome.ERROR, None)
    assert "the tests could not be judged" in verdict.note


EXPECTS = "try:\n    add(b'\\xff', 0)\n    ok = False\nexcept {0} as error:\n    ok = {1}\nassert ok"


@pytest.mark.parametrize(
    ("source", "expected", "holds"),
    [
        ("import json\ndef add(a, b): return json.loads('{')", "ValueError", "True"),
        (
            "import json\ndef add(a, b): return json.loads('{')",
            "__import__('json').JSONDecodeError",
            "'Expecting' in str(error)",
        ),
        ("class Low(ValueError): pass\ndef add(a, b): raise Low('low')", "ValueError", "str(error) == 'low'"),
        ("class Low(Exception): pass\ndef add(a, b): raise Low('low')", "Exception", "error.args == ('low',)"),
        ("def add(a, b): return a.decode()", "UnicodeDecodeError", "error.object == b'\\xff'"),
        ("def add(a, b): raise KeyError(3)", "LookupError", "error.args == (3,)"),
        ("def add(a, b): raise FileNotFoundError(2, 'no')", "OSError", "error.errno == 2"),
        ("def add(a, b): raise AssertionError('no')", "AssertionError", "str(error) == 'no'"),
        ("def add(a, b): return add(a, b)", "RecursionError", "True"),
        ("def add(a, b): raise StopIteration", "RuntimeError", "True"),
    ],
)
def test_expected_exceptions_of_every_kind(source: str, expected: str, holds: str) -> None:
    test = EXPECTS.format(expected, holds)
    assert outcome(source, test) is Outcome.PASS
    assert outcome("def add(a, b): return 3", test) is Outcome.FAIL
    assert outcome("def add(a, b): raise TypeError", test) is Outcome.FAIL


def test_each_call_is_given_a_value_of_its_own() -> None:
    tests = ("r = add([1], [2])\nr.append(9)\nassert len(r) == 3", "assert add([1], [2]) == [1, 2]")
    assert outcome(RIGHT, *tests) is Outcome.PASS


@pytest.mark.parametrize("entry_point", ["Solution().add", "Sums.plain.add"])
def test_a_method_as_the_function_that_is_called(entry_point: str) -> None:
    source = "class Solution:\n    def add(self, a, b):\n        return a + b\nclass Sums:\n    plain = Solution()\n"
    tests = [f"assert {entry_point}(1, 2) == 3", "assert candidate(2, 2) == 4"]
    answer = {"kind": "assert", "entry_point": entry_point, "hidden": tests}
    assert judge(answer, source).outcome is Outcome.PASS
    assert judge(answer, source.replace("a + b", "a - b")).outcome is Outcome.FAIL


def test_a_method_of_what_was_made_once() -> None:
    source = "class Solution:\n    def add(self, a, b):\n        return a + b\n"
    test = "s = Solution()\nassert s.add(1, 2) == 3 and s.add(2, 3) == 5"
    assert judge({"kind": "assert", "entry_point": "Solution().add", "hidden": [test]}, source).outcome is Outcome.PASS


@pytest.mark.slow
@pytest.mark.parametrize(
    "test",
    [
        "assert all(add(i, 1) == i + 1 for i in range(70))",
        "x = 0\nfor _ in range(70):\n    x = add(x, 1)\nassert x == 70",
    ],
)
def test_many_calls_each_of_which_needs_the_one_before(test: str) -> None:
    assert outcome(RIGHT, test) is Outcome.PASS


@pytest.mark.slow
def test_large_arguments() -> None:
    test = "xs = list(range(120000))\nassert add(xs, xs[1:]) == 239999\nassert add(xs, xs) == 240000"
    answer = {"kind": "assert", "entry_point": "add", "hidden": [test]}
    source = "def add(a, b):\n    return len(a) + len(b)"
    assert judge(answer, source, wall_seconds=4.0, memory_mb=256).outcome is Outcome.PASS


def test_what_a_test_says_can_be_written_down() -> None:
    answer = {"kind": "assert", "entry_point": "add", "hidden": ["r = add(1, 2)\nassert r == 'a', r"]}
    note = judge(answer, "def add(a, b):\n    return '\\ud800'").note
    assert "an assertion fails \\ud800" in note
    assert note.encode()
