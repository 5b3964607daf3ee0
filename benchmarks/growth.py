"""Growth: how a step's time grows as completions double, and as their length doubles (1x, 2x, 4x).

    .venv/bin/python benchmarks/growth.py            # about 15 minutes on 2 cores
    .venv/bin/python benchmarks/growth.py --smoke    # that it runs; a tiny model

SmolLM2-135M, every weight trained, completions of exactly the given length. Each size is a process of its own; the
sizes of one axis take their steps in turn, and medians count, the first step left out. The exponent is the slope of
log(seconds) over log(size): 1 is linear, below 1 is better (larger batches use the machine better).
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from math import log
from pathlib import Path
from statistics import fmean, median

from grpo_step import alternate, make_job
from measure import save
from side_by_side import workers
from worker import Job

FACTORS = (1, 2, 4)


def sizes(base: Job) -> dict[str, list[Job]]:
    """The jobs of each axis: more completions a task, and longer ones."""
    return {
        "samples": [replace(base, group_size=base.group_size * factor) for factor in FACTORS],
        "length": [replace(base, max_new_tokens=base.max_new_tokens * factor) for factor in FACTORS],
    }


def exponent(seconds: list[float]) -> float:
    """Least-squares slope of log(seconds) over log(size)."""
    xs, ys = [log(factor) for factor in FACTORS], [log(value) for value in seconds]
    x_mean, y_mean = fmean(xs), fmean(ys)
    return sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / sum((x - x_mean) ** 2 for x in xs)


def step_seconds(folder: Path, jobs: list[Job], rounds: int) -> list[float]:
    """Median seconds of a step of each job."""
    with ExitStack() as stack:
        sides = {}
        for factor, job in zip(FACTORS, jobs, strict=True):
            place = folder / f"{job.group_size}x{job.max_new_tokens}"
            place.mkdir(exist_ok=True)
            sides[f"{factor}x"] = stack.enter_context(workers(place, job, ("tahr",), install=False))["tahr"]
        answers = alternate(sides, rounds)
    return [median(answer["seconds"] for answer in answers[f"{factor}x"]) for factor in FACTORS]


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description="how a step's time grows with samples and length")
    parser.add_argument("--rounds", type=int, default=3, help="steps of each size that count (default: 3)")
    parser.add_argument("--smoke", action="store_true", help="a tiny model, to see that it runs")
    options = parser.parse_args()
    rounds = 1 if options.smoke else options.rounds
    result = {}
    with tempfile.TemporaryDirectory(prefix="tahr-benchmark-") as name:
        folder = Path(name)
        job = make_job(folder, rounds=rounds, micro_batch=0, smoke=options.smoke)
        base = job if options.smoke else replace(job, groups=4, group_size=4, max_new_tokens=32)
        for axis, jobs in sizes(base).items():
            print(f"{axis}: {base.groups} tasks, from {base.group_size} x {base.max_new_tokens} tokens")
            seconds = step_seconds(folder, jobs, rounds)
            result[axis] = {"factors": FACTORS, "seconds": seconds, "exponent": exponent(seconds)}
            print(f"  {', '.join(f'{value:.2f} s' for value in seconds)}; exponent {result[axis]['exponent']:.2f}")
    save("growth", result, smoke=options.smoke)


if __name__ == "__main__":
    main()
