"""Exported evaluations as Inspect and lm-evaluation-harness read them, each with its own code.

    .venv/bin/python benchmarks/exports.py            # makes their environment once, then about a minute on 2 cores
    .venv/bin/python benchmarks/exports.py --smoke    # few questions; left out where the environment is not made

An evaluation of two settings is made up: questions in two domains and in clusters, two answers each, some without a
reward or counts of tokens, texts with what breaks files (quotes, line ends, markup, characters that hide). It is
exported in every format; the readers must find every sample, and Inspect's own computation must come to the numbers
that the log states. Exit code 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from measure import save
from side_by_side import environment
from tahr.evaluation.exports.formats import FORMATS, export_run
from tahr.store.records import Conditions, Evaluation, EvaluationRow
from tahr.store.run import Run

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv-exports"
INSTALLS = (("inspect-ai==0.3.285", "lm-eval==0.4.13"),)
CLOSE = 1e-12
SPOILERS = ('"quoted", and', "two\nlines\r\n", "<script>alert(1)</script>", "\u202eturned\u202c", "a\x00b", "=1+1")
CONDITIONS = Conditions(
    suite="made up",
    setting="bare",
    model="org/small",
    training="org/small",
    weights="9f86d081884c7d65",
    num_parameters=134_515_008,
    num_bytes=538_060_032,
    seed=3,
    temperature=0.7,
    max_new_tokens=64,
    samples_per_task=2,
    seconds=12.5,
    num_cached=0,
)


def made_up(folder: Path, num_questions: int) -> Run:
    """A finished run of two settings and a third that asked a single question."""
    run = Run.create(folder, "made-up", recipe={"stages": []}, recipe_toml="", seed=0)
    with run:
        for name, skill, clustered in (("bare", 0.4, False), ("steps", 0.6, True)):
            rows = answers(num_questions, skill, clustered=clustered)
            run.write_evaluation(evaluation(name, rows))
        run.write_evaluation(evaluation("one", answers(1, 1.0, clustered=False)[:1]))
        run.finish("finished")
    return run


def evaluation(name: str, rows: list[EvaluationRow]) -> Evaluation:
    """The rows under the setting `name`."""
    conditions = replace(CONDITIONS, setting=name)
    return Evaluation(name=name, stage="eval", step=0, split="all", rows=tuple(rows), conditions=conditions)


def answers(num_questions: int, skill: float, *, clustered: bool) -> list[EvaluationRow]:
    """Two answers a question, of which one in fifty has no reward."""
    random = Random(f"{num_questions} {skill}")
    rows: list[EvaluationRow] = []
    for number in range(num_questions):
        for index in range(2):
            right = None if random.random() < 0.02 and number else float(random.random() < skill)
            own = {"short": random.random()} if number % 3 else {}
            rows.append(
                EvaluationRow(
                    task_id=f"{number:016x}",
                    domain="hard" if number % 4 == 3 else "easy",
                    index=index,
                    prompt=f"{number}: {SPOILERS[number % len(SPOILERS)]} How many?",
                    answer=str(number),
                    text=f"{SPOILERS[(number + index) % len(SPOILERS)]} {number if right else number + 1}",
                    score=None if right is None else 0.9 * right,
                    parts={} if right is None else {"correct": right, "format": random.random(), **own},
                    outcome="error" if right is None else "pass" if right else "fail",
                    note="the judge died" if right is None else "",
                    num_tokens=random.choice((None, random.randint(1, 64))),
                    finish_reason=random.choice(("stop", "length", "out_of_budget", "infrastructure")),
                    num_prompt_tokens=random.choice((None, 20)),
                    extracted=None if right is None else str(number),
                    logprob=-3.5,
                    cluster=f"page {number // 5}" if clustered and number % 7 else "",
                )
            )
    return rows


def faults_in(found: dict[str, Any], num_rows: dict[str, int]) -> list[str]:
    """What the readers found to be otherwise than exported."""
    faults: list[str] = []
    for log in found["inspect"]:
        wanted = num_rows[Path(log["file"]).stem]
        if not log["num_samples"] == log["num_summaries"] == wanted:
            faults.append(f"{log['file']}: {log['num_samples']} of {wanted} samples")
        if not (log["farthest"] <= CLOSE and log["same_reductions"] and log["same_otherwise"]):
            faults.append(f"{log['file']}: Inspect computes other results")
    for results in found["lm-eval"]:
        if results["unknown_keys"] or not (results["is_found"] and results["is_sanitized"]):
            faults.append(f"{results['file']}: not in the layout")
        for kind in ("same_hashes", "same_means"):
            faults += [f"{results['file']}: {kind} of {task}" for task, same in results[kind].items() if not same]
    if not found["inspect"] or not found["lm-eval"]:
        faults.append("nothing was read")
    return faults


def main() -> int:
    """Export, read, compare."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--smoke", action="store_true", help="few questions; nothing is installed or written")
    smoke = arguments.parse_args().smoke
    python = environment(VENV, INSTALLS, install=not smoke)
    if python is None:
        print("left out: benchmarks/.venv-exports is not made (a run without --smoke makes it)")
        return 0
    num_questions = 40 if smoke else 2_000
    with tempfile.TemporaryDirectory(prefix="tahr-exports-") as name:
        folder = Path(name)
        run = made_up(folder, num_questions)
        seconds: dict[str, float] = {}
        for to in FORMATS:
            started = time.perf_counter()
            export_run(run, to, folder / to)
            seconds[to] = round(time.perf_counter() - started, 3)
        # the harness asks the network for nothing here, and is told so
        offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
        command = [str(python), str(HERE / "readers.py"), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, env=offline, check=False)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
        num_rows = {f"made_up-{one.name}": len(one.rows) for one in run.evaluations()}
    found = json.loads(done.stdout.splitlines()[-1])
    faults = faults_in(found, num_rows)
    farthest = max(log["farthest"] for log in found["inspect"])
    print(f"{sum(num_rows.values())} answers; seconds to export: {seconds}")
    print(f"Inspect read {len(found['inspect'])} logs; its own results lie within {farthest:.1e} of those stated")
    print(f"lm-eval's schema holds for {len(found['lm-eval'])} files of results and all their samples")
    for fault in faults:
        print(f"FAULT {fault}")
    values = {"num_answers": sum(num_rows.values()), "seconds": seconds, "farthest": farthest, "faults": faults}
    save("exports", {**values, "versions": list(INSTALLS[0])}, smoke=smoke)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
