"""How many instruction checks a second: ours and the reference checkers', on the same responses in the same run.

    .venv/bin/python benchmarks/instruction_rates.py            # about a minute
    .venv/bin/python benchmarks/instruction_rates.py --smoke    # a few responses

One check is one instruction on one response, strict, on one core. Ours includes reading the response (normal form,
words, sentences), anew for each instruction, though a verifier reads it once; reading arguments is outside on both
sides, and so is loading what a kind needs. Rates are checks over summed seconds, so that slow kinds count as they
would in a run.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from checkers.texts import Job, jobs
from instruction_checkers import JUDGE, reference
from measure import save
from tahr.verifiers.instructions.kind import read_instruction
from tahr.verifiers.instructions.response import Response

SMOKE_JOBS = 300
SLOWEST = 5
WARM_UP = ("some words to begin with, in small letters", "SOME WORDS TO BEGIN WITH, IN CAPITAL LETTERS")


def instruction_rates(*, smoke: bool = False) -> dict[str, Any]:
    """Checks a second by suite for both sides, their ratio, and the kinds that are slowest beside the reference.

    Kinds that the reference can't run (it raises) are left out on both sides.
    """
    work = list(islice((job for job in jobs() if job.origin != "nothing"), SMOKE_JOBS if smoke else None))
    theirs: dict[tuple[str, str], list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for job, verdicts in zip(work, reference(work, Path(folder)), strict=True):
            for (name, _), verdict in zip(job.instructions, verdicts, strict=True):
                if isinstance(verdict[JUDGE]["strict"], bool):
                    theirs[job.suite, name].append(verdict[JUDGE]["seconds"])
    ours = _ours(work)
    return {suite: _suite(suite, ours, theirs) for suite in sorted({suite for suite, _ in theirs})}


def _ours(work: Sequence[Job]) -> dict[tuple[str, str], list[float]]:
    """Seconds of every check of ours, after two of each kind that load what it needs."""
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    seen: set[str] = set()
    for job in work:
        for name, args in job.instructions:
            instruction = read_instruction({"id": name, "args": args}, where=job.key)
            if name not in seen:
                for text in WARM_UP:
                    instruction.kept(Response.of(text, job.prompt))
                seen.add(name)
            started = time.perf_counter()
            instruction.kept(Response.of(job.response, job.prompt))
            seconds[job.suite, name].append(time.perf_counter() - started)
    return seconds


def _suite(
    suite: str, ours: dict[tuple[str, str], list[float]], theirs: dict[tuple[str, str], list[float]]
) -> dict[str, Any]:
    names = [name for other, name in theirs if other == suite]
    rates = {
        name: (_rate(ours[suite, name]), _rate(theirs[suite, name])) for name in names if len(theirs[suite, name]) > 2
    }
    mine, others = (_rate([s for name in rates for s in side[suite, name]]) for side in (ours, theirs))
    slowest = sorted(rates, key=lambda name: rates[name][0] / rates[name][1])[:SLOWEST]
    return {
        "checks": sum(len(ours[suite, name]) for name in rates),
        "ours_per_second": round(mine),
        "theirs_per_second": round(others),
        "ratio": round(mine / others, 2),
        "kinds_where_ours_is_faster": sum(own > other for own, other in rates.values()),
        "kinds": len(rates),
        "slowest_beside_theirs": {name: [round(rate) for rate in rates[name]] for name in slowest},
    }


def _rate(seconds: Sequence[float]) -> float:
    return len(seconds) / sum(seconds)


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description="instruction checks a second, ours and the reference checkers'")
    parser.add_argument("--smoke", action="store_true", help="a few responses, to see that it runs")
    options = parser.parse_args()
    result = instruction_rates(smoke=options.smoke)
    show(result)
    save("instruction_rates", result, smoke=options.smoke)


def show(result: dict[str, Any]) -> None:
    """Print what `instruction_rates` found."""
    for suite, found in result.items():
        print(
            f"{suite}: ours {found['ours_per_second']} checks/s, theirs {found['theirs_per_second']}, "
            f"ratio {found['ratio']}; faster in {found['kinds_where_ours_is_faster']} of {found['kinds']} kinds"
        )
        for name, (own, other) in found["slowest_beside_theirs"].items():
            print(f"  {name}: ours {own}, theirs {other}")


if __name__ == "__main__":
    main()
