"""Run the checks and say at the end what passed: ``python scripts/checks.py [NAME ...]`` (all of them by default)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sysconfig.get_path("scripts"))
# a process a core
PARALLEL = ("-n", "auto", "--maxprocesses", "8")
QUICK = (*PARALLEL, "-m", "not slow and not integration", "--durations=5")
COUNTS = re.compile(r"(\d+) (passed|failed|skipped|errors?|xfailed|xpassed)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One command of the checks. `tests` marks a pytest run, whose closing line enters the final count.

    Example: ``Check(name="lint", command=("ruff", "check", "."))``
    """

    name: str
    command: tuple[str, ...]
    tests: bool = False


CHECKS = (
    Check(name="format", command=("ruff", "format", "--check", ".")),
    Check(name="lint", command=("ruff", "check", ".")),
    Check(name="types", command=("pyright",)),
    Check(name="floors", command=("lint-imports",)),
    Check(name="unit", command=("pytest", "tests/unit", *QUICK), tests=True),
    Check(name="others", command=("pytest", "tests", "--ignore=tests/unit", *QUICK), tests=True),
    Check(name="slow", command=("pytest", "-m", "slow or integration", "--durations=5"), tests=True),
    Check(name="documents", command=("python", "scripts/run_documents.py")),
    Check(name="sampling", command=("python", "benchmarks/sampling.py", "--smoke")),
    Check(name="grpo-step", command=("python", "benchmarks/grpo_step.py", "--smoke")),
    Check(name="preference", command=("python", "benchmarks/preference.py", "--smoke")),
    Check(name="growth", command=("python", "benchmarks/growth.py", "--smoke")),
    Check(name="staleness", command=("python", "benchmarks/staleness.py", "--smoke")),
    Check(name="sandbox", command=("python", "benchmarks/sandbox.py", "--smoke")),
    Check(name="verifiers", command=("python", "benchmarks/verifiers.py", "--smoke")),
    Check(name="evaluation", command=("python", "benchmarks/evaluation.py", "--smoke")),
    Check(name="time-to-reward", command=("python", "benchmarks/time_to_reward.py", "--smoke")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one check. `closing` is the last line that it printed.

    Example: ``Result(check=check, ok=True, seconds=1.5, closing="12 passed in 1.20s")``
    """

    check: Check
    ok: bool
    seconds: float
    closing: str


def run(check: Check) -> Result:
    """Run one check in the root folder, its output passed on as it comes."""
    print(f"\n== {check.name}: {' '.join(check.command)}", flush=True)
    start = time.monotonic()
    closing = ""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONUNBUFFERED": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process would compile the tests and the package anew
    if PARALLEL[0] in check.command:
        environment["OMP_NUM_THREADS"] = "1"  # or every process would take all cores
    with subprocess.Popen(
        [str(BIN / check.command[0]), *check.command[1:]],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            closing = line.strip() or closing
    # pytest exits with 5 where no test was collected: nothing was checked, so that is a failure too
    return Result(check=check, ok=process.returncode == 0, seconds=time.monotonic() - start, closing=closing)


def count_tests(results: list[Result]) -> Counter[str]:
    """Tests by outcome, summed over the closing lines of the pytest runs."""
    counts: Counter[str] = Counter()
    for result in results:
        if result.check.tests:
            counts.update({kind.removesuffix("s"): int(number) for number, kind in COUNTS.findall(result.closing)})
    return counts


def summarise(results: list[Result]) -> None:
    """Print a table of the checks, and the sum of all tests as the last line."""
    print("\n== summary")
    for result in results:
        state = "ok    " if result.ok else "FAILED"
        print(f"{state} {result.check.name:<15} {result.seconds:7.1f} s   {result.closing[:90]}")
    print(f"       {'all':<15} {sum(result.seconds for result in results):7.1f} s")
    counts = count_tests(results)
    if counts:
        failed = counts["failed"] + counts["error"]
        print(f"\n{counts['passed']} passed, {failed} failed, {counts['skipped']} skipped", flush=True)


def main(names: list[str]) -> int:
    """Run the named checks, or all; 0 where every one passed."""
    known = {check.name: check for check in CHECKS}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"unknown check {unknown[0]!r}; valid: {', '.join(known)}", file=sys.stderr)
        return 2
    results = [run(known[name]) for name in names or known]
    summarise(results)
    return 0 if all(result.ok for result in results) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
