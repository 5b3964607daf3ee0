"""Grades and runs per second in the sandbox, beside a cold interpreter per test, in the same minutes on the same cores.

    .venv/bin/python benchmarks/sandbox.py            the table, medians of five rounds
    .venv/bin/python benchmarks/sandbox.py --smoke    every part once, for a second in all
    .venv/bin/python benchmarks/sandbox.py --soak     20,000 runs: memory of the server before and after

A grade is five calls of one function, each in a process of its own. Rivals take turns round by round, so that a busy
machine slows all of them. The cold rivals isolate nothing. The bare fork is the floor: five times a small interpreter
forks a child that ends at once, so that nothing is run, limited, isolated, read or compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tahr.core.types import Message, Outcome, Task
from tahr.sandbox import LEVELS, Call, LocalSandbox, Script, probe
from tahr.verifiers.code.program import Code

SOURCE = "def add(a, b):\n    return a + b\n"
CALLS = [Call(target="add", args=(number, 1)) for number in range(5)]
ANSWERS = [1, 2, 3, 4, 5]
TASK = Task(
    prompt=(Message(role="user", content="Add."),),
    answer={
        "kind": "call",
        "entry_point": "add",
        "hidden": [{"args": [number, 1], "expected": answer} for number, answer in enumerate(ANSWERS)],
    },
    verifier="code",
)
VERIFIER = Code()
FORKS = """
import os, sys
for line in sys.stdin:
    for _ in range(5):
        if (pid := os.fork()) == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    print(flush=True)
"""
PROGRAM = SOURCE + "print([add(n, 1) for n in range(5)][int(input())])\n"


def rate(action: Callable[[], None], seconds: float, threads: int) -> float:
    """How often `action` is done in a second by this many threads."""
    done = [0] * threads
    stop = time.perf_counter() + seconds

    def work(index: int) -> None:
        while time.perf_counter() < stop:
            action()
            done[index] += 1

    workers = [threading.Thread(target=work, args=(index,)) for index in range(threads)]
    began = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(done) / (time.perf_counter() - began)


def grade(sandbox: LocalSandbox) -> None:
    """Five calls, checked."""
    results = sandbox.call(SOURCE, CALLS)
    assert [result.value for result in results] == ANSWERS, results


def reward() -> None:
    """The same five tests through the verifier of programs: a verdict with its flags."""
    verdict = VERIFIER.verify(TASK, SOURCE)
    assert verdict.outcome is Outcome.PASS, verdict.note


def program(sandbox: LocalSandbox) -> None:
    """The same five tests as programs with input and output."""
    results = sandbox.run_each(Script(source=PROGRAM), [b"0", b"1", b"2", b"3", b"4"])
    assert [int(result.stdout) for result in results] == ANSWERS, results


def cold(*flags: str) -> None:
    """Five fresh interpreters."""
    for number, answer in enumerate(ANSWERS):
        command = [sys.executable, *flags, "-c", PROGRAM]
        done = subprocess.run(command, input=str(number), capture_output=True, text=True, check=True)
        assert int(done.stdout) == answer


class Forks:
    """A small interpreter for each thread, which forks five children when asked."""

    def __init__(self) -> None:
        self._own = threading.local()

    def __call__(self) -> None:
        """Five bare forks, waited for."""
        process = getattr(self._own, "process", None)
        if process is None:
            command = [sys.executable, "-I", "-S", "-c", FORKS]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
            self._own.process = process
        assert process.stdin and process.stdout
        process.stdin.write(b"\n")
        assert process.stdout.read(1) == b"\n"


def measure(seconds: float, rounds: int, threads: int) -> None:
    """Print the median rate of every rival."""
    rivals: dict[str, Callable[[], None]] = {"python -I per test": lambda: cold("-I"), "python per test": cold}
    rivals["bare fork per test"] = Forks()
    boxes = [
        LocalSandbox(least_level=level, level=level, max_workers=threads) for level in LEVELS if probe(level).works
    ]
    for box in boxes:
        rivals[f"{box.level}: calls"] = lambda box=box: grade(box)
        rivals[f"{box.level}: programs"] = lambda box=box: program(box)
    rivals["verifier code, best level"] = reward
    rates: dict[str, list[float]] = {name: [] for name in rivals}
    for action in rivals.values():
        action()
    for _ in range(rounds):
        for name, action in rivals.items():
            rates[name].append(rate(action, seconds, threads))
    base = statistics.median(rates["python -I per test"])
    print(
        f"{os.cpu_count()} cores, {threads} threads, user {os.geteuid()}, medians of {rounds} rounds of {seconds:g} s"
    )
    print(f"{'':27}{'grades/s':>10}{'runs/s':>10}{'times cold -I':>15}")
    for name, values in rates.items():
        middle = statistics.median(values)
        print(f"{name:27}{middle:10.1f}{5 * middle:10.1f}{middle / base:15.1f}")
    for box in boxes:
        box.close()


def start_up(times: int) -> None:
    """Print the median time from nothing to a sandbox that has answered."""
    seconds: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        with LocalSandbox() as box:
            grade(box)
        seconds.append(time.perf_counter() - began)
    print(f"start-up with the first grade: {1000 * statistics.median(seconds):.0f} ms")


def soak(runs: int) -> None:
    """Print the server's resident memory and descriptors before and after many runs."""
    with LocalSandbox(max_workers=1) as box:
        grade(box)
        pid = box.server_pids()[0]
        before = resident(pid), descriptors(pid), resident(os.getpid())
        for _ in range(runs // 5):
            grade(box)
        after = resident(pid), descriptors(pid), resident(os.getpid())
        assert box.server_pids() == [pid]
    print(f"{runs} runs: server {before[0]:.1f} -> {after[0]:.1f} MiB, {before[1]} -> {after[1]} descriptors")
    print(f"trainer {before[2]:.1f} -> {after[2]:.1f} MiB")


def resident(pid: int) -> float:
    """Resident memory in MiB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def descriptors(pid: int) -> int:
    """Open descriptors; -1 where the kernel does not tell."""
    try:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:
        return -1


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="every part once, briefly")
    parser.add_argument("--soak", action="store_true", help="20,000 runs and the memory they leave")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    if arguments.soak:
        soak(20_000)
    else:
        start_up(3 if arguments.smoke else 9)
        measure(0.1 if arguments.smoke else 2.0, 1 if arguments.smoke else 5, arguments.threads)
        if arguments.smoke:
            soak(50)


if __name__ == "__main__":
    main()
