"""Scoring in bulk: 100,000 rows, one in a hundred hostile; every verdict is known beforehand.

    .venv/bin/python benchmarks/bulk.py             # about 4 minutes on 2 cores
    .venv/bin/python benchmarks/bulk.py --smoke     # 2,000 rows, only to show that it runs

Two files. "numeric": arithmetic answered right and wrong, judged by the verifier numeric; the hostile rows are texts
made to take time and memory, and lines that are no rows. "obedient": a verifier that does to its process what the text
orders: to raise, to exit, to be killed, to sleep for ever, to hang in C. Reported are rows a second, the counts of
verdicts against what was expected, memory of all processes in the first and the second half of the run, and processes
that are left behind, of which there must be none.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import psutil

from tahr.core.types import Outcome
from tahr.evaluation.audit.hostile import TEXTS
from tahr.evaluation.bulk.judges import RowFormat
from tahr.evaluation.bulk.verify import BulkJob, verify_file

HOSTILE_EVERY = 100
BAD_LINES = ('{"prompt": "2 + 3?", "answer": ', "[]", '{"prompt": "2 + 3?", "answer": "5"}')
ORDERS = {
    "raise it": "error",
    "exit": "error",
    "kill": "error",
    "raise again": "error",
    "print": "fail",
    "spin": "timeout",
}
NUM_HANGS = 10  # each costs the grace that a worker has before it is killed
SECONDS = 1.0  # for one row, by the clock on the wall: at 0.2 honest rows are late where ten processes share two cores
SAMPLE_SECONDS = 0.25

Row = tuple[str, str]  # a line and the outcome that it must have


def numeric_rows(count: int) -> Iterator[Row]:
    """Arithmetic, three of five answers right; hostile texts and bad lines in between."""
    hostile = cycle([*TEXTS.values(), *BAD_LINES])
    for index in range(count):
        a, b = index % 997, index % 89
        text, outcome = (f"I add {a} and {b}. The answer is {a + b}.", "pass")
        if index % 5 < 2:
            text, outcome = f"The answer is {a + b + 1}.", "fail"
        if index % HOSTILE_EVERY == HOSTILE_EVERY // 2:
            text, outcome = next(hostile), "fail"
            if text in BAD_LINES:
                yield text, "error"
                continue
        yield json.dumps({"prompt": f"{a} + {b}?", "answer": str(a + b), "response": text}), outcome


def obedient_rows(count: int) -> Iterator[Row]:
    """Right and wrong answers, and orders in between; the last few orders are to hang."""
    num_orders = count // HOSTILE_EVERY
    orders = cycle(ORDERS.items())
    for index in range(count):
        text, outcome = ("right", "pass") if index % 5 > 1 else ("wrong", "fail")
        if index % HOSTILE_EVERY == HOSTILE_EVERY // 2:
            is_hang = index // HOSTILE_EVERY % max(1, num_orders // NUM_HANGS) == 0
            text, outcome = ("hang", "timeout") if is_hang else next(orders)
        yield json.dumps({"prompt": "?", "answer": "right", "response": text}), outcome


JOBS = {
    "numeric": (numeric_rows, BulkJob(verifier="numeric")),
    "obedient": (
        obedient_rows,
        BulkJob(verifier="hostile_verifiers:Obedient", columns=RowFormat(prompt=None), seconds=SECONDS),
    ),
}


class Watch:
    """Memory of this process and all below it, in bytes, sampled while the work goes on."""

    def __init__(self) -> None:
        self.samples: list[int] = []
        self.seen: set[psutil.Process] = set()
        self._others = set(psutil.Process().children(recursive=True))  # started before: not the work's
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        me = psutil.Process()
        while not self._stop.wait(SAMPLE_SECONDS):
            total = 0
            below = set(me.children(recursive=True)) - self._others
            self.seen |= below
            for one in (me, *below):
                try:
                    total += one.memory_full_info().pss  # what forks share counts once
                except psutil.Error:
                    continue
            self.samples.append(total)


def measured(
    folder: Path, name: str, rows: Callable[[int], Iterator[Row]], job: BulkJob, *, count: int, workers: int
) -> dict[str, Any]:
    """Write the rows, judge them, and compare."""
    path, out = folder / f"{name}.jsonl", folder / f"{name}.verdicts.jsonl"
    expected: list[str] = []
    with path.open("w") as file:
        for line, outcome in rows(count):
            file.write(line + "\n")
            expected.append(outcome)
    started = time.perf_counter()
    with Watch() as watch:
        tally = verify_file(path, job, out, workers=workers)
    seconds = time.perf_counter() - started
    found = [json.loads(line) for line in out.open()]
    left = [one for one in watch.seen if one.is_running()]
    half = len(watch.samples) // 2
    wrong = [
        {**one, "expected": outcome} for one, outcome in zip(found, expected, strict=True) if one["outcome"] != outcome
    ]
    return {
        "rows": count,
        "hostile": count // HOSTILE_EVERY,
        "workers": workers,
        "seconds": round(seconds, 2),
        "rows_per_second": round(count / seconds),
        "verdicts": {outcome.value: tally.count(outcome) for outcome in Outcome},
        "expected": dict(Counter(expected)),
        "wrong_verdicts": len(wrong),
        "wrong_examples": wrong[:5],
        "in_order": [one["line"] for one in found] == list(range(1, count + 1)),
        "processes_left": len(left),
        "peak_mib_first_half": round(max(watch.samples[: half or 1]) / 2**20),
        "peak_mib_second_half": round(max(watch.samples[half:]) / 2**20),
    }


def main() -> None:
    """Measure both files and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--smoke", action="store_true", help="2,000 rows, nothing is written")
    options = parser.parse_args()
    count = 2000 if options.smoke else options.rows
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (rows, job) in JOBS.items():
            results[name] = measured(Path(folder), name, rows, job, count=count, workers=options.workers)
            print(name, json.dumps(results[name], indent=2), flush=True)
    from measure import save  # it imports torch, which would count as this process's memory

    save("bulk", results, smoke=options.smoke)


if __name__ == "__main__":
    main()
