"""An update of DPO and one of SFT: tahr against TRL's `DPOTrainer` and `SFTTrainer`, on the same batches.

    .venv/bin/python benchmarks/preference.py          # about 15 minutes on 2 cores
    .venv/bin/python benchmarks/preference.py --smoke  # that it runs; a tiny model, TRL where benchmarks/.venv is made

SmolLM2-135M, float32, every weight trained, one AdamW update a step. The pairs are token ids drawn once, the lengths
log-normal: prompts of 64 tokens in the middle, answers of 96. A step is making the batch, forward, backward and update;
what the reference says is asked beforehand on both sides ("trl"), or in each step, as TRL does by default
("trl, reference in the step"). The losses of both sides are kept, and must agree. Each side is a process of its own
and works only while the others wait; steps alternate, the first of each doesn't count, medians do.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import Any

import torch

from measure import save
from pair_job import PairJob
from side_by_side import Worker, trl_python, worker
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import load_model
from tahr.models.save import save_model

MAX_CONTEXT = 512

TOLERANCE = 2e-4
"""By how much the losses of a step may differ: the weights drift apart by rounding from the second step on."""

IN_STEP = "trl, reference in the step"


def make_job(folder: Path, *, rounds: int, batch_size: int, smoke: bool) -> PairJob:
    """The job of this benchmark, its model written to `folder` for every side to read."""
    architecture = ArchitectureConfig(hidden_size=32, num_layers=2, intermediate_size=64) if smoke else None
    source = "scratch" if smoke else "smollm2-135m"
    loaded = load_model(ModelConfig(source=source, device="cpu", max_context=MAX_CONTEXT, architecture=architecture))
    save_model(loaded.model, loaded.tokenizer, folder / "model")
    draw = random.Random(0)
    vocabulary = int(loaded.model.config.vocab_size)

    def text(middle: int) -> list[int]:
        length = round(min(max(draw.lognormvariate(0, 0.5) * middle, 8), MAX_CONTEXT / 2 - 1))
        return [draw.randrange(vocabulary) for _ in range(length)]

    pairs = [(text(64), text(96), text(96)) for _ in range(batch_size * (rounds + 2))]
    prompts, chosen, rejected = (list(column) for column in zip(*pairs, strict=True))
    return PairJob(
        model=str(folder / "model"),
        kind="dpo",
        prompts=prompts,
        chosen=chosen,
        rejected=rejected,
        batch_size=batch_size,
        max_context=MAX_CONTEXT,
        learning_rate=1e-6,
        threads=torch.get_num_threads(),
        precompute=True,
    )


def alternate(sides: dict[str, Worker], rounds: int) -> dict[str, list[dict[str, float]]]:
    """`rounds` steps of each side in turn after one that doesn't count. Raises where their losses differ."""
    answers: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name in list(sides) if number % 2 == 0 else list(reversed(sides)):
            answers[name].append(sides[name].tell("step"))
            one = answers[name][-1]
            print(f"  step {number}  {name:<28} {one['seconds']:8.2f} s  loss {one['loss']:.6f}", flush=True)
        losses = [of_side[-1]["loss"] for of_side in answers.values()]
        if max(losses) - min(losses) > TOLERANCE * max(1, max(losses)):
            raise SystemExit(f"the losses of step {number} differ: {losses}")
    return answers


def measure(folder: Path, job: PairJob, rounds: int, rival: str, *, install: bool) -> dict[str, Any]:
    """The steps of tahr and of one rival, with medians and their ratio.

    One rival at a time: TRL's processes grow from step to step, and two of them beside tahr's don't fit in 23 GiB.
    """
    jobs = {"tahr": job, rival: replace(job, precompute=rival != IN_STEP)}
    with ExitStack() as stack:
        sides: dict[str, Worker] = {}
        for number, (name, of_side) in enumerate(jobs.items()):
            path = folder / f"{job.kind}-{number}.json"
            path.write_text(json.dumps(asdict(of_side)), encoding="utf-8")
            python = Path(sys.executable) if name == "tahr" else trl_python(install=install)
            if python is None:
                print(f"{name}: left out (benchmarks/.venv is not made; a run without --smoke makes it)")
                continue
            program = "pairs_tahr" if name == "tahr" else "pairs_trl"
            sides[name] = stack.enter_context(worker(program, python, path, log=f"{job.kind}-{number}"))
        answers = alternate(sides, rounds)
        peaks = {name: side.tell("stop")["peak_bytes"] / 2**30 for name, side in sides.items()}
    seconds = {name: median(one["seconds"] for one in of_side[1:]) for name, of_side in answers.items()}
    for name in seconds:
        print(f"{job.kind} {name:<28} {seconds[name]:8.2f} s a step, peak {peaks[name]:.2f} GiB")
    result: dict[str, Any] = {"steps": answers, "median_seconds": seconds, "peak_gib": peaks}
    if rival in seconds:
        result["time_ratio"] = seconds[rival] / seconds["tahr"]
        print(f"{job.kind}: tahr takes 1/{result['time_ratio']:.2f} of the time of {rival}")
    return result


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description="an update of DPO and one of SFT: tahr against TRL")
    parser.add_argument("--rounds", type=int, default=5, help="steps of each side that count (default: 5)")
    parser.add_argument("--batch-size", type=int, default=4, help="pairs in a step (default: 4; 8 take TRL 15 GiB)")
    parser.add_argument("--note", default="", help="what else ran on the machine, kept with the result")
    parser.add_argument("--smoke", action="store_true", help="a tiny model, to see that it runs")
    options = parser.parse_args()
    rounds = 1 if options.smoke else options.rounds
    batch_size = 2 if options.smoke else options.batch_size
    result: dict[str, Any] = {"batch_size": batch_size, "note": options.note}
    with tempfile.TemporaryDirectory(prefix="tahr-benchmark-") as name:
        job = make_job(Path(name), rounds=rounds, batch_size=batch_size, smoke=options.smoke)
        for kind in ("dpo", "sft"):
            of_kind = replace(job, kind=kind)
            rivals = ("trl", IN_STEP) if kind == "dpo" else ("trl",)
            result[kind] = {
                rival: measure(Path(name), of_kind, rounds, rival, install=not options.smoke) for rival in rivals
            }
    save("preference", result, smoke=options.smoke)


if __name__ == "__main__":
    main()
