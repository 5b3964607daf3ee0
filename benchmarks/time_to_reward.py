"""Time to a stated held-out reward: tahr against TRL with the same weights, tasks, reward and hyper-parameters.

    .venv/bin/python benchmarks/time_to_reward.py reverse        # the tiny recipe's model and task
    .venv/bin/python benchmarks/time_to_reward.py constraints    # SmolLM2-135M, the quickstart recipe's task
    .venv/bin/python benchmarks/time_to_reward.py --smoke        # that it runs

Both sides take steps in turn. Every few steps both are judged on the same held-out tasks by the same code (greedy
`transformers` sampling, the task's verifier); that time doesn't count. A side is done when its held-out reward reaches
the target. tahr works as its recipes do: groups that teach nothing are replaced by others
(`schedule.max_resampled_groups`) and cost no backward pass; those it samples in their place are in its time.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from measure import save
from side_by_side import Worker, rows_of, workers
from staleness import warm_up
from tahr.data.config import TaskSetConfig
from tahr.data.splits import TaskSet, build_task_sets
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import LoadedModel, load_model
from tahr.models.save import save_model
from tahr.verifiers.build import build_verifiers
from worker import Job

MAX_CONTEXT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """What is learned, and when it counts as learned.

    Where `warm_up_steps` is above 0, both start from the tiny recipe's model after so many supervised steps.

    Example: see `RACES`.
    """

    model: ModelConfig
    tasks: TaskSetConfig
    warm_up_steps: int
    groups: int
    max_new_tokens: int
    learning_rate: float
    num_held_out: int
    target: float
    evaluate_every: int
    max_steps: int
    trl_batch: int


RACES = {
    "reverse": Race(
        model=ModelConfig(
            source="scratch",
            device="cpu",
            max_context=MAX_CONTEXT,
            architecture=ArchitectureConfig(num_kv_heads=2),
        ),
        tasks=TaskSetConfig(source="reverse_text", args={"min_length": 3, "max_length": 6}, num_tasks=20000),
        warm_up_steps=90,
        groups=16,
        max_new_tokens=12,
        learning_rate=2e-4,
        num_held_out=200,
        target=0.88,
        evaluate_every=5,
        max_steps=200,
        trl_batch=128,
    ),
    "constraints": Race(
        model=ModelConfig(source="smollm2-135m", device="cpu", max_context=MAX_CONTEXT),
        tasks=TaskSetConfig(source="text_constraints", num_tasks=4000),
        warm_up_steps=0,
        groups=8,
        max_new_tokens=32,
        learning_rate=3e-5,
        num_held_out=100,
        target=0.7,
        evaluate_every=2,
        max_steps=40,
        trl_batch=16,
    ),
    "smoke": Race(
        model=ModelConfig(
            source="scratch",
            device="cpu",
            max_context=MAX_CONTEXT,
            architecture=ArchitectureConfig(hidden_size=32, num_layers=2, intermediate_size=64),
        ),
        tasks=TaskSetConfig(source="reverse_text", args={"min_length": 1, "max_length": 2}, num_tasks=300),
        warm_up_steps=0,
        groups=2,
        max_new_tokens=4,
        learning_rate=2e-4,
        num_held_out=4,
        target=0.9,
        evaluate_every=1,
        max_steps=2,
        trl_batch=16,
    ),
}


def prepare(race: Race, folder: Path) -> Job:
    """Make the starting weights, written to `folder`, and the job of both sides."""
    tasks: TaskSet = build_task_sets({"tasks": race.tasks}, build_verifiers({}))["tasks"]
    model = folder / "model"
    if race.warm_up_steps:
        model = warm_up(folder, steps=race.warm_up_steps)
    else:
        loaded: LoadedModel = load_model(race.model, seed=0)
        save_model(loaded.model, loaded.tokenizer, model)
    return Job(
        model=str(model),
        tasks=rows_of(tasks.train[: race.groups * race.max_steps]),
        held_out=rows_of(tasks.test[: race.num_held_out]),
        groups=race.groups,
        group_size=8,
        max_new_tokens=race.max_new_tokens,
        max_context=MAX_CONTEXT,
        fixed_length=False,
        max_resampled_groups=8,
        learning_rate=race.learning_rate,
        seed=0,
        threads=torch.get_num_threads(),
        micro_batch=race.trl_batch,
    )


def run(race: Race, sides: Mapping[str, Worker]) -> dict[str, list[tuple[float, float]]]:
    """(training seconds so far, held-out reward) of each side at every evaluation, until it reaches the target."""
    curves = {name: [(0.0, worker.tell("evaluate")["reward"])] for name, worker in sides.items()}
    for number in range(1, race.max_steps // race.evaluate_every + 1):
        for name in list(sides) if number % 2 == 0 else list(reversed(sides)):
            seconds, reward = curves[name][-1]
            if reward >= race.target:
                continue
            steps = [sides[name].tell("step") for _ in range(race.evaluate_every)]
            seconds += sum(step["seconds"] for step in steps)
            reward = sides[name].tell("evaluate")["reward"]
            curves[name].append((seconds, reward))
            print(
                f"  step {number * race.evaluate_every:3d}  {name:<5} {seconds:8.1f} s  held out {reward:.3f}",
                flush=True,
            )
    return curves


def summarise(race: Race, curves: Mapping[str, list[tuple[float, float]]]) -> dict[str, Any]:
    """Seconds until the target (None where it was not reached) and the ratio."""
    seconds = {name: curve[-1][0] if curve[-1][1] >= race.target else None for name, curve in curves.items()}
    result: dict[str, Any] = {"target": race.target, "curves": dict(curves), "seconds_to_target": seconds}
    trl, tahr = seconds.get("trl"), seconds.get("tahr")
    if trl and tahr:
        result["ratio"] = trl / tahr
    return result


def main() -> None:
    """Race, print and save."""
    parser = argparse.ArgumentParser(description="time to a held-out reward: tahr against TRL")
    parser.add_argument("races", nargs="*", metavar="RACE", help="reverse, constraints (default: both)")
    parser.add_argument("--smoke", action="store_true", help="a tiny model, to see that it runs")
    options = parser.parse_args()
    if unknown := set(options.races) - set(RACES):
        parser.error(f"unknown race {sorted(unknown)[0]!r}; valid: reverse, constraints")
    for name in ["smoke"] if options.smoke else options.races or ["reverse", "constraints"]:
        race = RACES[name]
        print(f"{name}: held-out reward of {race.target}")
        with tempfile.TemporaryDirectory(prefix="tahr-benchmark-") as folder:
            job = prepare(race, Path(folder))
            with workers(Path(folder), job, ("trl", "tahr"), install=not options.smoke) as sides:
                result = summarise(race, run(race, sides))
        for side, seconds in result["seconds_to_target"].items():
            print(f"{side:<5} {'not reached' if seconds is None else f'{seconds:.1f} s'}")
        if "ratio" in result:
            print(f"tahr takes 1/{result['ratio']:.2f} of TRL's time")
        save(f"time_to_reward_{name}", result, smoke=options.smoke)


if __name__ == "__main__":
    main()
