"""Programs that would steer the judge of assertions rather than answer it."""

from __future__ import annotations

import time

import pytest

from code_tasks import judge
from tahr.core.types import Outcome

LOOPS = (
    "assert all(map(lambda x: f(x) == x * x, range(4)))",
    "for got, want in zip(map(f, [1, 2, 3]), [1, 4, 9]):\n    assert got == want",
    "bad = [x for x in map(lambda n: f(n) - n * n, range(5)) if x]\nassert not bad",
    "class Table:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return f(2)\n"
    "for one in Table():\n    assert one == 5\n    break",
)
NAMED = "class Odd(Exception):\n"
ENDS = ("StopIteration", "StopAsyncIteration", "GeneratorExit", "SystemExit", "KeyboardInterrupt", "BaseException")


@pytest.mark.parametrize("kind", [*ENDS, "Mine"])
def test_no_exception_of_the_candidate_ends_a_loop_of_the_tests(kind: str) -> None:
    source = f"class Mine(StopIteration):\n    pass\ndef f(x):\n    raise {kind}"
    verdict = judge({"kind": "assert", "entry_point": "f", "hidden": list(LOOPS)}, source, score="share", flag=False)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reward is not None
    assert verdict.reward.parts["share"] == 0.0


@pytest.mark.parametrize("how", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
def test_a_call_that_ends_without_an_answer_is_nothing_that_a_test_can_expect(how: str) -> None:
    test = "try:\n    f(1)\n    ok = False\nexcept Exception:\n    ok = True\nassert ok"
    assert judge({"kind": "assert", "entry_point": "f", "hidden": [test]}, f"def f(x):\n    raise {how}").outcome in {
        Outcome.FAIL,
        Outcome.CHEAT,
    }


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    raise ValueError\n__answer__ = f",
        "import builtins\ndef f(x):\n    builtins.type = 3\n    raise StopIteration",
        "class Odd(Exception):\n    __module__ = 3\ndef f(x):\n    raise Odd",
        f"{NAMED}    __module__ = 'inside_judge'\n    __qualname__ = 'Pending'\ndef f(x):\n    raise Odd",
        f"{NAMED}    __module__ = 'builtins'\n    __qualname__ = 'StopIteration'\ndef f(x):\n    raise Odd",
        "class Odd(ValueError):\n    args = 5\ndef f(x):\n    raise Odd",
        "def f(x):\n    raise ExceptionGroup('many', [StopIteration()])",
        "def f(x):\n    return 'raised', ['builtins.StopIteration'], []",
    ],
)
def test_what_a_program_says_of_its_exceptions_is_a_claim(source: str) -> None:
    verdict = judge({"kind": "assert", "entry_point": "f", "hidden": list(LOOPS)}, source, flag=False)
    assert verdict.outcome is Outcome.FAIL


def test_a_changed_answer_makes_no_later_test_pass() -> None:
    tests = ["r = f([3, 1, 2])\nr.sort()\nassert r == [1, 2, 3]", "assert f([3, 1, 2]) == [1, 2, 3]"]
    answer = {"kind": "assert", "entry_point": "f", "hidden": tests}
    verdict = judge(answer, "def f(x):\n    return list(x)", score="share")
    assert verdict.reward is not None
    assert verdict.reward.parts["share"] == 0.5
    assert judge(answer, "def f(x):\n    return sorted(x)").outcome is Outcome.PASS


def test_calls_that_need_one_another_have_the_time_of_one_test() -> None:
    test = "x = 1\nfor _ in range(100):\n    x = f(x)\nassert x == 101"
    slow = "import time\ndef f(x):\n    time.sleep(0.2)\n    return x + 1"
    began = time.monotonic()
    verdict = judge({"kind": "assert", "entry_point": "f", "hidden": [test]}, slow, wall_seconds=0.5)
    assert verdict.outcome is Outcome.FAIL
    assert time.monotonic() - began < 10  # it would sleep for 20


@pytest.mark.slow
def test_answers_that_keep_a_test_going_end() -> None:
    test = "x = 1\nwhile f(x):\n    x += 1\nassert x == 5"
    verdict = judge({"kind": "assert", "entry_point": "f", "hidden": [test]}, "def f(x):\n    return x")
    assert verdict.outcome is Outcome.FAIL
