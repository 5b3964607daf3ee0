from __future__ import annotations

from typing import Any

import pytest

from code_tasks import ADD, ASSERTED, RIGHT, SUM, code_task, judge
from tahr.core.errors import InputError
from tahr.core.types import Outcome
from tahr.sandbox import Call, CallResult, Claim, LocalSandbox, Reason, RunResult
from tahr.verifiers.code import grade
from tahr.verifiers.code.program import Code

PROGRAM = "a, b = map(int, input().split())\nprint(a + b)\n"


@pytest.mark.parametrize(("answer", "source"), [(ADD, RIGHT), (ASSERTED, RIGHT), (SUM, PROGRAM)])
def test_a_right_program_passes_all(answer: Any, source: str) -> None:
    verdict = judge(answer, source)
    assert verdict.outcome is Outcome.PASS
    assert verdict.reward is not None
    parts = {"correct": 1.0, "share": 1.0, "public": 1.0, "hidden": 1.0, "cheat": 0.0}
    assert (verdict.reward.value, verdict.reward.parts) == (1.0, parts)
    number = len(answer["public"]) + len(answer["hidden"])
    assert verdict.note == f"passes all {number} tests"


# add(0, 0) and add(-1, 1) are 0: two of seven, what the best constant answer passes too
@pytest.mark.parametrize(
    ("source", "share", "above"),
    [
        ("def add(a, b): return 0", 2 / 7, 0.0),
        ("def add(a, b): return 4", 0.0, 0.0),
        ("def add(a, b): return a + b if a < 50 else 0", 6 / 7, 0.8),
        ("def add(a, b): return a + b if a > 4 else 7", 4 / 7, 0.4),
        (RIGHT, 1.0, 1.0),
    ],
)
def test_scores(source: str, share: float, above: float) -> None:
    for score, value in (("all", float(share == 1.0)), ("share", share), ("above_constant", above)):
        verdict = judge(ADD, source, score=score)
        assert verdict.reward is not None
        assert verdict.reward.value == pytest.approx(value)
        assert verdict.reward.parts["share"] == pytest.approx(share)
        assert verdict.outcome is (Outcome.PASS if share == 1.0 else Outcome.FAIL)


def test_one_expected_value_leaves_nothing_above_the_constant() -> None:
    answer = {"kind": "call", "entry_point": "f", "hidden": [{"args": [n], "expected": 1} for n in range(3)]}
    for source, value in (("def f(n): return 1", 1.0), ("def f(n): return 1 if n else 0", 0.0)):
        verdict = judge(answer, source, score="above_constant")
        assert verdict.reward is not None
        assert verdict.reward.value == value


def test_parts_of_the_public_and_the_hidden_tests() -> None:
    verdict = judge(ADD, "def add(a, b): return a + b if a < 5 else 0", score="share")
    assert verdict.reward is not None
    assert (verdict.reward.parts["public"], verdict.reward.parts["hidden"]) == (1.0, pytest.approx(0.4))
    assert verdict.note.startswith("passes 4 of 7 tests; add(")


@pytest.mark.parametrize(
    ("source", "note"),
    [
        ("def add(a, b): return a - b", "returned"),
        ("def add(a, b): return str(a + b)", "returned '"),
        ("def add(a, b): 1 / 0", "raised call: ZeroDivisionError: division by zero"),
        ("def sub(a, b): return 0", "raised call: NameError"),
        ("def add(a, b: return 0", "raised load: SyntaxError"),
        ("def add(a): return 0", "raised call: TypeError"),
        ("def add(a, b): return object()", "returned a value of type 'object'"),
        ("def add(a, b): yield a + b", "returned a value of type 'generator'"),
        ("import os\ndef add(a, b): os.abort()", "ended without a result (ended by signal 6)"),
        ("import no_such_module", "raised load: ModuleNotFoundError"),
    ],
)
def test_notes_say_what_went_wrong(source: str, note: str) -> None:
    verdict = judge(ADD, source)
    assert verdict.outcome is Outcome.FAIL
    assert note in verdict.note


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from collections import Counter\ndef f(n): return Counter('aab')", {"a": 2, "b": 1}),
        ("from collections import defaultdict\ndef f(n): return [defaultdict(int, a=1)]", [{"a": 1}]),
        ("from collections import OrderedDict\ndef f(n): return OrderedDict(a=1)", {"a": 1}),
    ],
)
def test_relatives_of_tables_count_as_tables(source: str, expected: Any) -> None:
    answer = {"kind": "call", "entry_point": "f", "hidden": [{"args": [1], "expected": expected}]}
    assert judge(answer, source).outcome is Outcome.PASS


def test_setup_stands_before_the_program_of_calls() -> None:
    answer = {**ADD, "setup": "def plus(a, b):\n    return a + b\n"}
    assert judge(answer, "def add(a, b): return plus(a, b)").outcome is Outcome.PASS


@pytest.mark.parametrize("text", ["", "I can't help.", "```python\n```", "```\n\0\n```", f"```\n{'x' * 100_001}\n```"])
def test_texts_without_a_program_that_can_be_run_fail(text: str) -> None:
    verdict = Code().verify(code_task(ADD), text)
    assert verdict.outcome is Outcome.FAIL


def test_a_program_with_half_surrogates_fails() -> None:
    assert judge(ADD, f"x = '\ud800'\n{RIGHT}").outcome is Outcome.FAIL


def test_whoever_passes_an_impossible_task_has_cheated() -> None:
    hidden = [{"args": [1, 1], "expected": 2}, {"args": [1, 1], "expected": 3}]
    answer = {**ADD, "hidden": hidden, "impossible": True}
    verdict = judge(answer, RIGHT, score="share")
    assert (verdict.outcome, verdict.reward and verdict.reward.value) == (Outcome.FAIL, 0.0)
    assert verdict.reward is not None
    assert verdict.reward.parts["canary"] == 0.0
    passed = judge({**ADD, "impossible": True}, RIGHT)  # tests that can be passed, so that one does
    assert passed.reward is not None
    assert (passed.outcome, passed.reward.value) == (Outcome.CHEAT, 0.0)
    assert (passed.reward.parts["canary"], passed.reward.parts["cheat"]) == (1.0, 1.0)
    assert passed.note == "passes tests that contradict the statement"
    assert Code().gold(code_task(answer)) is None
    Code().check_task(code_task(answer))


def test_a_task_without_a_solution_can_be_tried_but_has_no_gold() -> None:
    Code().check_task(code_task(ADD))
    assert Code().gold(code_task(ADD)) is None
    with pytest.raises(InputError, match="tests"):
        Code().check_task(code_task("no table"))


class Recorder:
    """A sandbox that notes which calls are asked for, and answers them with `result`, or right."""

    def __init__(self, result: CallResult | None = None) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.result = result

    def call(self, _source: str, calls: list[Call], *, limits: object, until: Any) -> tuple[CallResult, ...]:
        done: list[CallResult] = []
        for call in calls:
            self.asked.append(call.args)
            run = RunResult(reason=Reason.FINISHED, status=0)
            done.append(self.result or CallResult(claim=Claim.RETURNED, value=sum(call.args), run=run))
            if until(done[-1]):
                break
        return tuple(done)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    made = Recorder()
    monkeypatch.setattr(grade, "_candidates", lambda *_: made)
    return made


def test_tests_are_shuffled_the_same_way_for_the_same_program(recorder: Recorder) -> None:
    orders: list[list[tuple[Any, ...]]] = []
    for source in (RIGHT, RIGHT, f"{RIGHT}# one\n", f"{RIGHT}# two\n", f"{RIGHT}# three\n"):
        recorder.asked = []
        assert judge(ADD, source).outcome is Outcome.PASS
        orders.append(recorder.asked)
    given = [tuple(test["args"]) for test in (*ADD["public"], *ADD["hidden"])]
    assert all(sorted(order) == sorted(given) for order in orders)
    assert orders[0] == orders[1]
    assert len({tuple(order) for order in orders}) == 4
    assert given not in orders


def test_after_two_timeouts_the_rest_is_left_out(recorder: Recorder) -> None:
    recorder.result = CallResult(claim=Claim.MISSING, value=None, run=RunResult(reason=Reason.TIMEOUT))
    verdict = judge(ADD, RIGHT)
    assert (verdict.outcome, len(recorder.asked)) == (Outcome.FAIL, 2)
    assert verdict.reward is not None
    assert (verdict.reward.value, verdict.reward.parts["share"]) == (0.0, 0.0)


def test_a_program_that_hangs_costs_two_tests() -> None:
    verdict = judge(ADD, "def add(a, b):\n    while True: pass", wall_seconds=0.2)
    assert verdict.outcome is Outcome.FAIL
    assert "timeout" in verdict.note
    assert verdict.note.startswith("passes 0 of 7 tests; add(")


@pytest.mark.parametrize("answer", [ADD, ASSERTED])
def test_a_failure_of_the_machinery_gives_no_reward(recorder: Recorder, answer: Any) -> None:
    run = RunResult(reason=Reason.INFRASTRUCTURE, note="the server is gone")
    recorder.result = CallResult(claim=Claim.MISSING, value=None, run=run)
    verdict = judge(answer, RIGHT)
    assert (verdict.outcome, verdict.reward) == (Outcome.ERROR, None)
    assert verdict.note == "the sandbox failed: the server is gone"


def test_a_failing_judge_gives_no_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(LocalSandbox):
        def call(self, *_: object, **__: object) -> tuple[CallResult, ...]:
            run = RunResult(reason=Reason.INFRASTRUCTURE, note="the server is gone")
            return (CallResult(claim=Claim.MISSING, value=None, run=run),)

    with Broken() as broken:
        monkeypatch.setattr(grade, "_judges", lambda *_: broken)
        verdict = judge(ASSERTED, RIGHT)
    assert (verdict.outcome, verdict.reward) == (Outcome.ERROR, None)


def test_that_no_sandbox_can_be_had_is_no_fault_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> LocalSandbox:
        raise InputError("this machine offers no sandbox", received="namespaces: not permitted")

    monkeypatch.setattr(grade, "_candidates", refused)
    verdict = judge(ADD, RIGHT)
    assert (verdict.outcome, verdict.reward) == (Outcome.ERROR, None)
    assert "this machine offers no sandbox: namespaces: not permitted" in verdict.note


def test_a_program_may_print_as_much_as_is_expected() -> None:
    lines = "".join(f"{n}\n" for n in range(20000))
    answer = {"kind": "stdio", "hidden": [{"stdin": "20000\n", "stdout": lines}]}
    source = "print('\\n'.join(map(str, range(int(input())))))"
    assert len(lines) > 2**16
    assert judge(answer, source).outcome is Outcome.PASS
    assert judge(answer, f"{source}\nprint(3)").outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("method", "outcome"),
    [
        ("__eq__(self, other): return False", Outcome.PASS),
        ("__ne__(self, other): return True", Outcome.PASS),
        ("__eq__(self, other): return True", Outcome.CHEAT),
        ("__ne__(self, other): return False", Outcome.CHEAT),
    ],
)
def test_a_sentinel_that_equals_nothing_is_no_sign_of_cheating(method: str, outcome: Outcome) -> None:
    assert judge(ADD, f"class Last:\n    def {method}\n{RIGHT}").outcome is outcome
