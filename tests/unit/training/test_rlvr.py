"""A stage that is asked to stop saves the step it stops at, whenever it is asked."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from small_rollouts import group
from tahr.core.progress import SilentProgress
from tahr.core.types import failed, passed
from tahr.training.config import RlvrConfig
from tahr.training.interrupt import StopRequest
from tahr.training.rlvr import Rlvr


class Still(Rlvr):
    """A stage whose steps neither sample nor learn; it keeps the steps that it saved."""

    saved: list[int]

    async def collect_step(self, step_index: int) -> list[Any]:
        return []

    def learn(self, taught: object, step_index: int) -> dict[str, float]:
        return {}

    def save(self, step_index: int) -> None:
        self.saved.append(step_index)


def stage(stop: StopRequest, *, stop_in_evaluation_of: int, folder: Path, kind: type[Still] = Still) -> Still:
    async def evaluate(step: int) -> None:
        if step == stop_in_evaluation_of:
            stop.asked = True

    def ignore(*_: object) -> None:
        return None

    made = kind(
        config=RlvrConfig(tasks={"words": 1.0}, steps=9, evaluate_every=2, checkpoint_every=5),
        policy=SimpleNamespace(model=None, version=0),
        engine=SimpleNamespace(load_weights=ignore),
        collector=SimpleNamespace(seconds_verifying=0.0),
        curriculum=SimpleNamespace(cursor=0),
        run=SimpleNamespace(write_rollouts=ignore, log=ignore, checkpoint=lambda *_: nullcontext(folder)),
        progress=SilentProgress(),
        stop=stop,
        evaluate=evaluate,
    )
    made.saved = []
    return made


class WithGreedy(Still):
    """A stage with one greedy attempt beside the two of a step."""

    async def collect_step(self, step_index: int) -> list[Any]:
        return [group(passed(), failed("wrong"))]

    async def collect_greedy(self, groups: object, step_index: int) -> list[Any]:
        return [group(passed())]


def test_greedy_tokens_are_sampled_tokens(tmp_path: Path) -> None:
    logged: list[dict[str, float]] = []
    made = stage(StopRequest(), stop_in_evaluation_of=0, folder=tmp_path, kind=WithGreedy)
    made.run.log = lambda _stage, _step, metrics: logged.append(metrics)
    asyncio.run(made.train(first_step=9))
    attempts = [*group(passed(), failed("wrong")).scored, *group(passed()).scored]
    assert logged[0]["num_tokens_sampled"] == sum(one.trajectory.num_sampled_tokens for one in attempts) > 0


@pytest.mark.parametrize(("asked_at", "saved"), [(2, [2]), (4, [4]), (8, [5, 8]), (0, [5, 9])])
def test_a_stop_asked_for_during_an_evaluation_saves_its_step(asked_at: int, saved: list[int], tmp_path: Path) -> None:
    made = stage(StopRequest(), stop_in_evaluation_of=asked_at, folder=tmp_path)
    asyncio.run(made.train())
    assert made.saved == saved
