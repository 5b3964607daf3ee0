"""Running a suite against a program: what each test found, with the evidence."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any, cast

from tahr.core.errors import TahrError
from tahr.sandbox import Call, CallResult, Claim, Limits, LocalSandbox, Reason, RunResult, Script
from tahr.verifiers.code import judge
from tahr.verifiers.code.answer import with_setup
from tahr.verifiers.code.bounds import output_bytes
from tahr.verifiers.code.compare import same, same_output
from tahr.verifiers.code.suite import Case, Exchange, Suite

SHOWN = 300  # characters of an output that is kept for people
JUDGE_SECONDS = 10.0  # longest time of all assertions together, the candidate's own not counted
MAX_TIMEOUTS = 2  # tests of one program that may run out of time before the rest is left out


class GraderError(Exception):
    """The machinery failed: no verdict follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """What one test found. `runs` are the candidate's own runs for it.

    Example: ``TestResult(index=0, public=True, passed=False, note="add(1, 2) returned 4, not 3", runs=(run,))``
    """

    __test__ = False  # no test of pytest's

    index: int
    public: bool
    passed: bool
    note: str
    runs: tuple[CallResult | RunResult, ...]

    @property
    def is_spent(self) -> bool:
        """Whether a run for the test ended for lack of time or memory."""
        runs = [run if isinstance(run, RunResult) else run.run for run in self.runs]
        return any(run.reason in {Reason.TIMEOUT, Reason.MEMORY} for run in runs)


class _Patience:
    """When a program has had its chances: at the first failure, where one is enough, after too many timeouts, or after
    so many seconds in all."""

    def __init__(self, stop_early: bool, seconds: float = math.inf) -> None:
        self._stop_early, self._seconds, self.timeouts = stop_early, seconds, 0

    def ended(self, run: RunResult, passed: bool) -> bool:
        """Whether this result is the last one that is asked for."""
        self.timeouts += run.reason is Reason.TIMEOUT
        self._seconds -= run.wall_seconds
        return self.is_over or (self._stop_early and not passed)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is asked for, however right the last result was."""
        return self.timeouts >= MAX_TIMEOUTS or self._seconds <= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Grader:
    """Grades programs in a sandbox. Expected values stay here, or in a second sandbox where no candidate ever is."""

    least_level: str
    packages: tuple[str, ...]
    limits: Limits

    def grade(self, source: str, suite: Suite, *, order: Random, stop_early: bool = False) -> list[TestResult]:
        """The results in the suite's order; tests are run in the order that `order` shuffles them into.

        With `stop_early`, tests behind the first failure are left out. Raises GraderError.
        """
        places = list(range(len(suite.tests)))
        order.shuffle(places)
        run = {"call": self._calls, "assert": self._assertions, "stdio": self._exchanges}[suite.kind]
        return sorted(run(source, suite, places, stop_early), key=lambda result: result.index)

    def _calls(self, source: str, suite: Suite, places: Sequence[int], stop_early: bool) -> list[TestResult]:
        cases = cast("tuple[Case, ...]", suite.tests)
        waiting = iter(places)

        patience = _Patience(stop_early)

        def enough(result: CallResult) -> bool:
            return patience.ended(result.run, _returned(result, cases[next(waiting)].expected, suite.tolerance))

        calls = [Call(target=suite.entry_point, args=cases[i].args, kwargs=cases[i].kwargs) for i in places]
        whole = with_setup(source, suite.setup)
        made = self._sandbox().call(whole, calls, limits=self.limits, until=enough)
        return [
            TestResult(
                index=place,
                public=place < len(suite.public),
                passed=_returned(_sound(result), cases[place].expected, suite.tolerance),
                note=_call_note(suite.entry_point, cases[place], result, suite.tolerance),
                runs=(result,),
            )
            for place, result in zip(places, made, strict=False)
        ]

    def _exchanges(self, source: str, suite: Suite, places: Sequence[int], stop_early: bool) -> list[TestResult]:
        cases = cast("tuple[Exchange, ...]", suite.tests)
        waiting = iter(places)

        patience = _Patience(stop_early)

        def enough(result: RunResult) -> bool:
            return patience.ended(result, _printed(result, cases[next(waiting)].stdout, suite.tolerance))

        stdins = [cases[place].stdin.encode() for place in places]
        most = output_bytes(max(len(case.stdout.encode()) for case in cases))
        limits = replace(self.limits, output_bytes=most)
        made = self._sandbox().run_each(Script(source=source), stdins, limits=limits, until=enough)
        return [
            TestResult(
                index=place,
                public=place < len(suite.public),
                passed=_printed(_sound(result), cases[place].stdout, suite.tolerance),
                note=_exchange_note(cases[place], result, suite.tolerance),
                runs=(result,),
            )
            for place, result in zip(places, made, strict=False)
        ]

    def _assertions(self, source: str, suite: Suite, places: Sequence[int], stop_early: bool) -> list[TestResult]:
        """Judge and candidate take turns: the judge says which calls it needs, the candidate makes them."""
        answers: list[tuple[str, str, bytes]] = []
        whole = judge.answering(source, suite.entry_point)
        made: list[CallResult] = []
        states: list[tuple[str, str]] = []
        # a test has the time of one run, however many calls it makes
        patience = _Patience(stop_early=False, seconds=self.limits.wall_seconds * len(places))
        for _ in range(judge.MAX_PASSES):
            states, needed = self._judge(suite, places, answers)
            if not needed or (stop_early and any(state == "fail" for state, _ in states)):
                break
            calls = [Call(target=judge.ANSWER, args=tuple(args), kwargs=kwargs) for _, args, kwargs in needed]
            results = self._answers(whole, calls, patience)
            made += results
            if len(results) < len(calls) or patience.is_over:
                break
            answers += [
                (key, *judge.answer_of(result, _ending(result)))
                for (key, _, _), result in zip(needed, results, strict=True)
            ]
        return [
            TestResult(
                index=place,
                public=place < len(suite.public),
                passed=state == "pass",
                note="" if state == "pass" else f"{note or 'not finished'} in {suite.tests[place][:SHOWN]!r}",
                runs=tuple(made),
            )
            for place, (state, note) in zip(places, states, strict=True)
            if state != "open" or not stop_early
        ]

    def _answers(self, source: str, calls: Sequence[Call], patience: _Patience) -> list[CallResult]:
        """What the candidate returns; fewer than were asked for where it has had its time."""
        made = self._sandbox().call(source, calls, limits=self.limits, until=lambda one: patience.ended(one.run, True))
        return [_sound(result) for result in made]

    def _judge(self, suite: Suite, places: Sequence[int], answers: list[tuple[str, str, bytes]]) -> Any:
        tests = [suite.tests[place] for place in places]
        limits = Limits(wall_seconds=JUDGE_SECONDS, cpu_seconds=JUDGE_SECONDS, result_bytes=1 << 26)
        call = Call(target="judge", args=(suite.setup, tests, suite.entry_point, answers))
        result = _opened(lambda: _judges(self.least_level, os.getpid())).call(judge.SOURCE, [call], limits=limits)[0]
        if result.claim is Claim.RETURNED:
            return result.value
        why = result.run.error or result.run.note
        if answers and result.run.reason is not Reason.INFRASTRUCTURE:  # the tests were sound before its values came
            return [("fail", f"its values break the tests ({why})")] * len(places), []
        raise GraderError(f"the tests could not be judged: {why}")

    def _sandbox(self) -> LocalSandbox:
        return _opened(lambda: _candidates(self.least_level, self.packages, os.getpid()))


@lru_cache(maxsize=8)
def _candidates(least_level: str, packages: tuple[str, ...], _owner: int) -> LocalSandbox:
    """Where candidates run; `_owner` is this process, since a fork may not share its parent's servers."""
    return LocalSandbox(least_level=least_level, packages=packages)


@lru_cache(maxsize=4)
def _judges(least_level: str, _owner: int) -> LocalSandbox:
    """Where assertions are judged: its processes hold expected values, and no candidate is ever sent there."""
    return LocalSandbox(least_level=least_level)


def _opened(start: Callable[[], LocalSandbox]) -> LocalSandbox:
    """The sandbox; that none can be had here is no fault of the program."""
    try:
        return start()
    except TahrError as error:
        raise GraderError(f"{error.wrong}: {error.received}") from error


def _sound(result: Any) -> Any:
    run: RunResult = result if isinstance(result, RunResult) else result.run
    if run.reason is Reason.INFRASTRUCTURE:
        raise GraderError(run.note or "the sandbox failed")
    return result


def _returned(result: CallResult, expected: Any, tolerance: float) -> bool:
    return result.claim is Claim.RETURNED and same(result.value, expected, tolerance)


def _printed(run: RunResult, expected: str, tolerance: float) -> bool:
    finished = run.reason is Reason.FINISHED and run.status == 0 and not run.truncated
    return finished and same_output(run.stdout.decode("utf-8", "replace"), expected, tolerance)


def _ending(result: CallResult) -> str:
    """How a call without a value ended, in words."""
    run = result.run
    endings: dict[Claim, Callable[[], str]] = {
        Claim.UNPLAIN: lambda: run.error or "returned no plain value",
        Claim.RAISED: lambda: f"raised {run.error}",
        Claim.FORGED: lambda: "forged a result",
        Claim.MISSING: lambda: f"ended without a result ({run.note or f'exit status {run.status}'})",
    }
    return endings.get(result.claim, lambda: "returned")()


def _call_note(name: str, case: Case, result: CallResult, tolerance: float) -> str:
    if _returned(result, case.expected, tolerance):
        return ""
    shown = ", ".join([*map(_short, case.args), *(f"{key}={_short(value)}" for key, value in case.kwargs.items())])
    said = f"returned {_short(result.value)}" if result.claim is Claim.RETURNED else _ending(result)
    return f"{name}({shown}) {said}, not {_short(case.expected)}"


def _exchange_note(case: Exchange, run: RunResult, tolerance: float) -> str:
    if _printed(run, case.stdout, tolerance):
        return ""
    why = (
        ""
        if run.reason is Reason.FINISHED and run.status == 0
        else f" ({run.note or run.error or f'exit status {run.status}'})"
    )
    printed = run.stdout.decode("utf-8", "replace")
    return f"for {_short(case.stdin)} printed {_short(printed)}{why}, not {_short(case.stdout)}"


def _short(value: Any) -> str:
    try:
        shown = repr(value)
    except ValueError:  # integers of more digits than Python prints
        shown = f"<{type(value).__name__}>"
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
