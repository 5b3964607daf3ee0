"""A run that looks like a real one: a small model learns writing constraints over twelve steps."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tahr.core.types import (
    Completion,
    FinishReason,
    Group,
    Message,
    Outcome,
    Reward,
    Scored,
    StopReason,
    Task,
    Trajectory,
    Turn,
    Verdict,
)
from tahr.store.records import Evaluation, EvaluationRow
from tahr.store.run import Run

TOPICS = ("rivers", "a quiet street", "the first snow", "bread", "old maps", "lighthouses", "a long walk", "bees")
WORDS = ("river", "lamp", "cold", "warm", "paper", "north", "home", "honey")
PARTS = ("lower_case", "no_commas", "has_word")
NUM_STEPS = 12

RECIPE = {
    "name": "quickstart",
    "description": "SmolLM2-135M learns to keep writing constraints",
    "stages": ["rlvr"],
    "model": {"source": "smollm2-135m", "lora": None},
    "tasks": {"constraints": {}, "reverse": {}},
}
RECIPE_TOML = 'name = "quickstart"\nseed = 17\nstages = ["rlvr"]\n\n[model]\nsource = "smollm2-135m"\n'


def make_task(index: int) -> Task:
    topic, word = TOPICS[index % len(TOPICS)], WORDS[index // len(TOPICS) % len(WORDS)]
    text = f"Write one short sentence about {topic}. Use lower case only, no commas, and the word '{word}'. ({index})"
    domain = "reverse" if index % 4 == 3 else "constraints"
    prompt = (Message(role="user", content=text),)
    return Task(prompt=prompt, answer={"word": word}, verifier="constraints", domain=domain)


def attempt(task: Task, random_: random.Random, skill: float) -> tuple[str, dict[str, float]]:
    """A sentence that keeps each constraint with probability `skill`."""
    keeps = {part: float(random_.random() < skill) for part in PARTS}
    word = task.answer["word"] if keeps["has_word"] else "morning"
    text = f"the {word} was still there in the evening{' ' if keeps['no_commas'] else ', '}and nobody had moved it."
    return (text if keeps["lower_case"] else text.capitalize()), {"correct": float(all(keeps.values())), **keeps}


def make_evaluation(name: str, step: int, skill: float, num_tasks: int = 100, split: str = "test") -> Evaluation:
    random_ = random.Random(f"{name}{step}")
    rows = []
    for number in range(num_tasks):
        task = make_task(number)
        for index in range(4):
            text, parts = attempt(task, random_, skill - 0.15 * (task.domain == "reverse"))
            rows.append(
                EvaluationRow(
                    task_id=task.id,
                    domain=task.domain,
                    index=index,
                    prompt=task.prompt[0].content,
                    answer=task.answer["word"],
                    text=text,
                    score=sum(parts[part] for part in PARTS) / 3,
                    parts=parts,
                    outcome="pass" if parts["correct"] else "fail",
                    note="" if parts["correct"] else "; ".join(f"{part} not kept" for part in PARTS if not parts[part]),
                    num_tokens=14,
                    finish_reason="stop",
                )
            )
    return Evaluation(name=name, stage="rlvr", step=step, split=split, rows=tuple(rows))


def make_groups(step: int, skill: float, num_groups: int = 8, group_size: int = 8) -> list[Group]:
    random_ = random.Random(step)
    groups = []
    for number in range(num_groups):
        task = make_task(1000 + step * num_groups + number)
        scored = []
        for index in range(group_size):
            text, parts = attempt(task, random_, skill)
            value = sum(parts[part] for part in PARTS) / 3
            completion = Completion(
                token_ids=tuple(range(10, 24)),
                logprobs=(-0.5,) * 14,
                finish_reason=FinishReason.STOP,
                policy_version=step,
            )
            trajectory = Trajectory(
                task_id=task.id,
                group_id=f"{step}:{task.id}",
                index=index,
                turns=(Turn(prompt_token_ids=(1, 2, 3), completion=completion),),
                stop_reason=StopReason.FINISHED,
            )
            outcome = Outcome.PASS if parts["correct"] else Outcome.FAIL
            verdict = Verdict(outcome=outcome, reward=Reward(value=value, parts=parts))
            scored.append(Scored(trajectory=trajectory, text=text, verdict=verdict))
        groups.append(Group(task=task, scored=tuple(scored)))
    return groups


def make_metrics(step: int, groups: list[Group]) -> dict[str, float]:
    random_ = random.Random(-step)
    rewards = [reward for group in groups for reward in group.rewards if reward is not None]
    scored = [one for group in groups for one in group.scored]

    def mean(part: str) -> float:
        return sum(one.reward.parts[part] for one in scored if one.reward) / len(scored)

    return {
        "reward": sum(rewards) / len(rewards),
        "correct": mean("correct"),
        **{f"reward/{part}": mean(part) for part in PARTS},
        "reward/constraints": mean("correct") + 0.1,
        "reward/reverse": mean("correct") * 0.8,
        "advantage_mean": 0.0,
        "approx_kl": 2e-4 * step**1.4 * random_.uniform(0.7, 1.3),
        "clipfrac_low": 0.01 * random_.random(),
        "clipfrac_high": 0.02 * random_.random(),
        "entropy": 2.1 * math.exp(-step / 18) + 0.1 * random_.random(),
        "ratio_mean": 1.0,
        "ratio_max": 1.0 + 0.1 * random_.random(),
        "logprob_gap_mean": 1e-6,
        "logprob_gap_max": 4e-5,
        "grad_norm": 0.4 + 0.4 * random_.random(),
        "learning_rate": 3e-5,
        "loss": -0.01 + 0.02 * random_.random(),
        "zero_spread_share": min(0.9, 0.05 * step),
        "resampled_groups": float(step // 3),
        "dropped_attempts": 0.0,
        "truncated_share": max(0.0, 0.3 - 0.03 * step),
        "completion_length": 24 - step * 0.7,
        "completion_length_correct": 19 - step * 0.4,
        "completion_length_wrong": 27 - step * 0.3,
        "num_tokens_sampled": 1500.0 - 40 * step,
        "num_tokens_trained": 1200.0 - 40 * step,
        "seconds_sampling": 9.0 + random_.random(),
        "seconds_verifying": 0.1,
        "seconds_training": 14.0 + random_.random(),
        "seconds_step": 24.0 + random_.random(),
        "tokens_per_second": 150 + 20 * random_.random(),
    }


def skill_at(step: int) -> float:
    return 0.4 + 0.45 * (1 - math.exp(-step / 5))


@pytest.fixture
def new_run(tmp_path: Path) -> Callable[..., Run]:
    """Makes an empty run; arguments go to the recipe."""

    def make(**changes: object) -> Run:
        recipe = {**RECIPE, **changes}
        return Run.create(
            tmp_path, "quickstart", recipe=recipe, recipe_toml=RECIPE_TOML, seed=17, command=("tahr", "train", "q.toml")
        )

    return make


def fill(run: Run) -> Run:
    """Twelve steps of training with evaluations before and after."""
    run.write_evaluation(make_evaluation("before", 0, skill_at(0)))
    for step in range(1, NUM_STEPS + 1):
        groups = make_groups(step, skill_at(step))
        run.write_rollouts("rlvr", step, groups, [[0.5] * len(group.scored) for group in groups])
        run.log("rlvr", step, make_metrics(step, groups))
        if step % 4 == 0:
            validation = make_evaluation(f"step-{step:06d}", step, skill_at(step), num_tasks=40)
            run.write_evaluation(replace(validation, split="validation"))
    run.write_evaluation(make_evaluation("after", NUM_STEPS, skill_at(NUM_STEPS)))
    return run


@pytest.fixture
def staged_run(new_run: Callable[..., Run]) -> Run:
    """A run of two stages, evaluated before, between and after them; the second gains less than the first."""
    run = new_run(stages=["sft", "rlvr"])
    for name, stage, step, skill in (
        ("before", "sft", 0, 0.2),
        ("after-sft", "sft", 30, 0.6),
        ("after", "rlvr", 2, 0.8),
    ):
        run.write_evaluation(replace(make_evaluation(name, step, skill), stage=stage))
    for step in (1, 2):
        run.log("rlvr", step, {"reward": 0.5})
    run.finish("finished")
    return run


@pytest.fixture
def synthetic() -> SimpleNamespace:
    """The builders above, for tests that want a different run."""
    return SimpleNamespace(
        fill=fill,
        make_evaluation=make_evaluation,
        make_groups=make_groups,
        make_metrics=make_metrics,
        skill_at=skill_at,
    )


@pytest.fixture
def full_run(new_run: Callable[..., Run]) -> Run:
    """A finished run with everything in it."""
    run = fill(new_run())
    run.finish("finished")
    return run
