"""How many answers a second tahr's verifiers judge, beside the reference checkers.

Every checker runs in an interpreter of its own, on one core, the checkers taking turns; a rate is the median over the
rounds. `SUITES` says which checkers are timed on which families.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from checked_pairs import MATH, Pair, pairs
from checkers.environment import VENV
from instruction_rates import instruction_rates, show
from measure import save
from side_by_side import HERE, environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A verifier of ours, the checker beside it, and what both are timed on.

    `installs` are the calls of pip that make the rival's environment `venv`.

    Example: ``Suite(ours="tahr-math", rival="math-verify", venv=".venv-math", installs=(("math-verify==0.9.0",),),
    families=MATH)``
    """

    ours: str
    rival: str
    venv: str
    installs: tuple[tuple[str, ...], ...]
    families: Mapping[str, Callable[[int], Pair]]


SUITES = {
    "math": Suite(
        ours="tahr-math",
        rival="math-verify",
        venv=".venv-math",
        installs=(("math-verify==0.9.0",),),
        families=MATH,
    ),
}

INSTRUCTIONS = "instructions"


class Checker:
    """A checker in its own process (`checker.py`)."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Its answer to a request, or its greeting. Raises RuntimeError where it died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if request is not None:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("a checker died; what it wrote stands above")
        return json.loads(line)


@contextmanager
def checker(name: str, python: Path) -> Iterator[Checker]:
    """A checker that is ready to judge."""
    command = [str(python), str(HERE / "checker.py"), name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            ready = Checker(process)
            ready.ask()
            yield ready
        finally:
            process.kill()


def measure(suite: Suite, *, rounds: int, seconds: float, count: int, install: bool) -> dict[str, dict[str, Any]]:
    """Of every family, each checker's median rate and the share of its verdicts that are right."""
    found: dict[str, dict[str, Any]] = {}
    with ExitStack() as stack:
        pythons = {
            suite.ours: Path(sys.executable),
            suite.rival: environment(HERE / suite.venv, suite.installs, install=install),
        }
        sides = {name: stack.enter_context(checker(name, python)) for name, python in pythons.items() if python}
        for family, build in suite.families.items():
            request = {"pairs": pairs(build, count), "seconds": seconds}
            answers: dict[str, list[dict[str, Any]]] = {name: [] for name in sides}
            for number in range(rounds):
                for name in list(sides) if number % 2 == 0 else list(reversed(sides)):
                    answers[name].append(sides[name].ask(request))
            found[family] = {
                name: {
                    "rate": median(one["rate"] for one in given),
                    "rates": [one["rate"] for one in given],
                    "right": min(one["right"] for one in given),
                }
                for name, given in answers.items()
            }
            print(row(suite, family, found[family]), flush=True)
    return found


def row(suite: Suite, family: str, found: Mapping[str, Any]) -> str:
    """A line of the table."""
    ours = found[suite.ours]
    line = f"{family:<22}{ours['rate']:>10,.0f}/s ({ours['right']:4.0%} right)"
    if suite.rival in found:
        rival = found[suite.rival]
        line += f"{rival['rate']:>12,.1f}/s ({rival['right']:4.0%} right){ours['rate'] / rival['rate']:>10.1f}x"
    return line


def main() -> None:
    """Time the suites and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", choices=[*SUITES, INSTRUCTIONS, []], help="which (default: all)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one family, one checker, one round")
    parser.add_argument("--smoke", action="store_true", help="only show that it runs")
    options = parser.parse_args()
    rounds, seconds, count = (1, 0.05, 200) if options.smoke else (options.rounds, options.seconds, 20_000)
    result: dict[str, Any] = {}
    chosen = options.suites or [*SUITES, INSTRUCTIONS]
    for name in (name for name in chosen if name != INSTRUCTIONS):
        suite = SUITES[name]
        print(f"{name}: {suite.ours} beside {suite.rival}")
        result[name] = measure(suite, rounds=rounds, seconds=seconds, count=count, install=not options.smoke)
    if INSTRUCTIONS in chosen and (VENV.exists() or not options.smoke):
        print("instructions: tahr's beside the reference checkers of IFEval and IFBench")
        result[INSTRUCTIONS] = instruction_rates(smoke=options.smoke)
        show(result[INSTRUCTIONS])
    save("verifiers", {"rounds": rounds, "seconds": seconds, "suites": result}, smoke=options.smoke)


if __name__ == "__main__":
    main()
