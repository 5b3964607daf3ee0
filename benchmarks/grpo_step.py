"""A whole GRPO step: tahr against TRL's `GRPOTrainer`, at equal work.

    .venv/bin/python benchmarks/grpo_step.py            # about 25 minutes on 2 cores
    .venv/bin/python benchmarks/grpo_step.py --smoke    # that it runs; a tiny model, TRL where benchmarks/.venv is made

SmolLM2-135M, float32, every weight trained, 8 prompts x 8 samples, exactly 64 new tokens each (no token ends an
answer), the same prompts in the same order, the same verifier, no KL term, one AdamW update a step. TRL 1.16.0 has an
environment of its own (benchmarks/.venv, made at the first run); `--trl-batch` is how many completions it takes in one
pass. Each side is a process of its own and works only while the other waits; steps alternate, and medians count,
the first step of each left out. "Peak" is the most memory that a side's process ever held. Groups whose rewards are
all equal cost tahr no backward pass; "idle" is their share here.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, median
from typing import Any

import torch

from measure import save
from side_by_side import Worker, rows_of, workers
from tahr.data.config import TaskSetConfig
from tahr.data.splits import build_task_sets
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import load_model
from tahr.models.save import save_model
from tahr.verifiers.build import build_verifiers
from worker import Job

MAX_CONTEXT = 256


def make_job(folder: Path, *, rounds: int, micro_batch: int, smoke: bool) -> Job:
    """The job of this benchmark, its model written to `folder` for both sides to read."""
    architecture = ArchitectureConfig(hidden_size=32, num_layers=2, intermediate_size=64) if smoke else None
    source = "scratch" if smoke else "smollm2-135m"
    loaded = load_model(ModelConfig(source=source, device="cpu", max_context=MAX_CONTEXT, architecture=architecture))
    save_model(loaded.model, loaded.tokenizer, folder / "model")
    kind = "reverse_text" if smoke else "text_constraints"
    tasks = build_task_sets({"tasks": TaskSetConfig(source=kind, num_tasks=1000)}, build_verifiers({}))["tasks"]
    groups, group_size = (2, 2) if smoke else (8, 8)
    return Job(
        model=str(folder / "model"),
        tasks=rows_of(tasks.train[: groups * (rounds + 2)]),
        held_out=[],
        groups=groups,
        group_size=group_size,
        max_new_tokens=4 if smoke else 64,
        max_context=MAX_CONTEXT,
        fixed_length=True,
        max_resampled_groups=0,
        learning_rate=1e-6,
        seed=0,
        threads=torch.get_num_threads(),
        micro_batch=min(micro_batch, groups * group_size),
    )


def alternate(sides: Mapping[str, Worker], rounds: int) -> dict[str, list[dict[str, float]]]:
    """`rounds` steps of each side in turn, after one that doesn't count."""
    answers: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name in list(sides) if number % 2 == 0 else list(reversed(sides)):
            answer = sides[name].tell("step")
            if number:
                answers[name].append(answer)
            counts = f"{number}/{rounds}" if number else "warm-up"
            print(f"  {counts:<8} {name:<5} {answer['seconds']:8.2f} s  {answer['tokens']:.0f} tokens", flush=True)
    return answers


def summarise(answers: Mapping[str, list[dict[str, float]]], peaks: Mapping[str, float]) -> dict[str, Any]:
    """Medians, peaks and ratios."""
    seconds = {name: median(answer["seconds"] for answer in of_side) for name, of_side in answers.items()}
    result: dict[str, Any] = {
        "steps": {name: list(of_side) for name, of_side in answers.items()},
        "median_seconds": seconds,
        "peak_gib": {name: peak / 2**30 for name, peak in peaks.items()},
        "idle_share": mean(answer["idle_share"] for answer in answers["tahr"]),
    }
    if "trl" in seconds:
        result["time_ratio"] = seconds["trl"] / seconds["tahr"]
        result["memory_ratio"] = peaks["trl"] / peaks["tahr"]
    return result


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description="a whole GRPO step: tahr against TRL")
    parser.add_argument("--rounds", type=int, default=5, help="steps of each side that count (default: 5)")
    parser.add_argument("--trl-batch", type=int, default=16, help="completions in one pass of TRL (default: 16)")
    parser.add_argument("--smoke", action="store_true", help="a tiny model, to see that it runs")
    options = parser.parse_args()
    rounds = 1 if options.smoke else options.rounds
    with tempfile.TemporaryDirectory(prefix="tahr-benchmark-") as name:
        job = make_job(Path(name), rounds=rounds, micro_batch=options.trl_batch, smoke=options.smoke)
        with workers(Path(name), job, ("trl", "tahr"), install=not options.smoke) as sides:
            answers = alternate(sides, rounds)
            peaks = {side: worker.tell("stop")["peak_bytes"] for side, worker in sides.items()}
    expected = job.groups * job.group_size * job.max_new_tokens
    assert {answer["tokens"] for of_side in answers.values() for answer in of_side} == {expected}, "unequal work"
    result = {"trl_batch": options.trl_batch, **summarise(answers, peaks)}
    for side, value in result["median_seconds"].items():
        print(f"{side:<5} {value:8.2f} s a step, peak {result['peak_gib'][side]:.2f} GiB")
    if "time_ratio" in result:
        print(f"tahr takes 1/{result['time_ratio']:.2f} of TRL's time and 1/{result['memory_ratio']:.2f} of its memory")
    print(f"idle groups: {result['idle_share']:.0%}")
    save("grpo_step", result, smoke=options.smoke)


if __name__ == "__main__":
    main()
