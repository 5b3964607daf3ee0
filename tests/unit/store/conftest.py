"""A run and a step's groups to write into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tahr.core.types import (
    Completion,
    FinishReason,
    Group,
    Message,
    Scored,
    StopReason,
    Task,
    Trajectory,
    Turn,
    broken,
    failed,
    passed,
)
from tahr.store.records import Evaluation, EvaluationRow
from tahr.store.run import Run

RECIPE = {"name": "tiny", "description": "a small run", "stages": ["sft", "rlvr"], "log_to": [], "seed": 7}
TASK = Task(
    prompt=(Message(role="user", content="What is 2 + 3?"),), answer="5", verifier="numeric", domain="arithmetic"
)


def completion(*token_ids: int) -> Completion:
    return Completion(
        token_ids=token_ids,
        logprobs=tuple(-0.5 * (index + 1) for index in range(len(token_ids))),
        finish_reason=FinishReason.STOP,
        policy_version=3,
    )


def trajectory(index: int, *turns: Turn, stop_reason: StopReason = StopReason.FINISHED, error: str = "") -> Trajectory:
    return Trajectory(
        task_id=TASK.id,
        group_id=f"1:{TASK.id}",
        index=index,
        turns=turns,
        stop_reason=stop_reason,
        error=error,
    )


def make_group() -> Group:
    """A right answer in two turns, a wrong one, and one lost to the infrastructure."""
    right = trajectory(
        0,
        Turn(
            prompt_token_ids=(1, 9),
            completion=completion(40, 41),
            observation=(Message(role="tool", content="5"),),
        ),
        Turn(prompt_token_ids=(1, 9, 40, 41, 7), completion=completion(42, 2)),
    )
    wrong = trajectory(1, Turn(prompt_token_ids=(1, 9), completion=completion(43)))
    lost = trajectory(2, stop_reason=StopReason.INFRASTRUCTURE, error="connection reset")
    return Group(
        task=TASK,
        scored=(
            Scored(trajectory=right, text="it is 5", verdict=passed("5 equals 5", extracted="5")),
            Scored(trajectory=wrong, text="it is 6", verdict=failed("6 is not 5", value=0.25, parts={"format": 1.0})),
            Scored(trajectory=lost, text="", verdict=broken("not judged")),
        ),
    )


def make_evaluation(
    name: str = "before", stage: str = "sft", step: int = 0, scores: tuple[float | None, ...] = (1.0, 0.0, None)
) -> Evaluation:
    rows = tuple(
        EvaluationRow(
            task_id=f"task{index}",
            domain="arithmetic",
            index=0,
            prompt="What is 2 + 3?",
            answer="5",
            text="it is 5",
            score=score,
            parts={} if score is None else {"correct": score},
            outcome="error" if score is None else "pass" if score else "fail",
            note="",
            num_tokens=4,
            finish_reason="stop",
        )
        for index, score in enumerate(scores)
    )
    return Evaluation(name=name, stage=stage, step=step, split="test", rows=rows)


@pytest.fixture
def group() -> Group:
    return make_group()


@pytest.fixture
def evaluation() -> Callable[..., Evaluation]:
    return make_evaluation


@pytest.fixture
def new_run(tmp_path: Path) -> Callable[..., Run]:
    """Makes a run under tmp_path/runs; arguments change the recipe."""

    def make(name: str = "tiny", **changes: object) -> Run:
        return Run.create(
            tmp_path / "runs",
            name,
            recipe={**RECIPE, **changes},
            recipe_toml='name = "tiny"\n',
            seed=7,
            command=("tahr",),
        )

    return make


@pytest.fixture
def run(new_run: Callable[..., Run]) -> Run:
    return new_run()
