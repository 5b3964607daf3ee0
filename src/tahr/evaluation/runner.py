"""Run one evaluation: attempts at held-out tasks, judged and kept as rows."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from typing import Protocol

from tahr.core.protocols import Sampling
from tahr.core.types import Group, Scored, StopReason, Task
from tahr.evaluation.config import EvalConfig
from tahr.evaluation.effort.answer import num_tokens_to_answer
from tahr.store.records import Evaluation, EvaluationRow
from tahr.store.rollouts import answer_text, prompt_text

Decode = Callable[[Sequence[int]], str]
"""Token ids to text: `tahr.core.protocols.Renderer.decode`."""

SEED_STEP = 0
"""The step that evaluation seeds derive from, whatever the training step: every evaluation of a run draws with the
same random numbers, so that before and after differ by the weights alone."""


WINDOW = 1024
"""Attempts that are in flight at once."""


class Collects(Protocol):
    """What plays and scores attempts: `tahr.rollout.collect.Collector`."""

    async def collect(
        self,
        tasks: Sequence[Task],
        *,
        group_size: int,
        sampling: Sampling,
        purpose: str,
        step: int,
        on_scored: Callable[[Scored], None] | None = None,
    ) -> list[Group]:
        """`group_size` scored attempts at each task."""
        ...


async def evaluate(
    collector: Collects,
    tasks: Sequence[Task],
    *,
    config: EvalConfig,
    name: str,
    stage: str,
    step: int,
    split: str,
    on_progress: Callable[[int, int], None] | None = None,
    decode: Decode | None = None,
) -> Evaluation:
    """Attempt every task ``config.samples_per_task`` times. `on_progress` is told attempts done and attempts in all.
    With `decode` (the renderer's) rows say how many tokens stood before their answer did.

    An attempt without a reward (infrastructure, a verifier's error) gets a row whose score is None, never 0, and the
    statistics leave it out and count it.
    """
    total = len(tasks) * config.samples_per_task
    num_done = 0

    def count(_: Scored) -> None:
        nonlocal num_done
        num_done += 1
        if on_progress:
            on_progress(num_done, total)

    found: dict[int, list[EvaluationRow]] = {}
    async for place, group in attempt_in_windows(
        collector,
        tasks,
        group_size=config.samples_per_task,
        sampling=Sampling(max_new_tokens=config.max_new_tokens, temperature=config.temperature),
        on_scored=count,
    ):
        found[place] = [evaluation_row(group.task, scored, decode) for scored in group.scored]
    rows = tuple(row for place in sorted(found) for row in found[place])
    return Evaluation(name=name, stage=stage, step=step, split=split, rows=rows)


async def attempt_in_windows(
    collector: Collects,
    tasks: Sequence[Task],
    *,
    group_size: int,
    sampling: Sampling,
    on_scored: Callable[[Scored], None] | None = None,
    window: int = WINDOW,
) -> AsyncGenerator[tuple[int, Group]]:
    """Groups of scored attempts as they end, each with its task's place in `tasks`; `window` attempts are in flight at
    once, or two questions' worth.

    A question enters as soon as any other was taken, so that a long one holds up nothing and the engine's batch stays
    full; what ended and waits to be taken counts as in flight, so that it is bounded.
    """
    most = max(2, window // group_size)
    ended: asyncio.Queue[asyncio.Task[list[Group]]] = asyncio.Queue()
    under_way: dict[asyncio.Task[list[Group]], list[int]] = {}
    rest = iter(_places(tasks))
    try:
        while True:
            while len(under_way) < most and (places := next(rest, None)) is not None:
                attempts = collector.collect(
                    [tasks[place] for place in places],
                    group_size=group_size,
                    sampling=sampling,
                    purpose="evaluate",
                    step=SEED_STEP,
                    on_scored=on_scored,
                )
                one = asyncio.create_task(_all(attempts))
                under_way[one] = places
                one.add_done_callback(ended.put_nowait)
            if not under_way:
                return
            first = await ended.get()
            for place, group in zip(under_way[first], await first, strict=True):
                yield place, group
            del under_way[first]
    finally:
        for one in under_way:
            one.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


def _places(tasks: Sequence[Task]) -> Iterable[list[int]]:
    """The places of each task. One that stands there twice is collected in one call, which gives it other seeds."""
    places: dict[str, list[int]] = {}
    for place, task in enumerate(tasks):
        places.setdefault(task.id, []).append(place)
    return places.values()


async def _all(attempts: Awaitable[list[Group]]) -> list[Group]:
    return await attempts


def evaluation_row(task: Task, scored: Scored, decode: Decode | None = None) -> EvaluationRow:
    """What an evaluation keeps of one attempt; where its answer first stood only with `decode`.

    The tokens of one that never came back are unknown, not 0.
    """
    trajectory, verdict = scored.trajectory, scored.verdict
    reward = None if trajectory.stop_reason is StopReason.INFRASTRUCTURE else verdict.reward
    last = trajectory.turns[-1].completion if trajectory.turns else None
    lost = trajectory.stop_reason is StopReason.INFRASTRUCTURE and not trajectory.turns
    until = None
    if decode is not None:
        until = num_tokens_to_answer(trajectory, decode, verdict.extracted, question=prompt_text(task))
    return EvaluationRow(
        task_id=task.id,
        domain=task.domain,
        index=trajectory.index,
        prompt=prompt_text(task),
        answer=answer_text(task),
        text=scored.text,
        score=reward.value if reward else None,
        parts=dict(reward.parts) if reward else {},
        outcome=str(verdict.outcome),
        note=trajectory.error or verdict.note,
        num_tokens=None if lost else trajectory.num_sampled_tokens,
        finish_reason=str(last.finish_reason) if last else str(trajectory.stop_reason),
        num_prompt_tokens=None if lost else sum(len(turn.prompt_token_ids) for turn in trajectory.turns),
        extracted=verdict.extracted,
        logprob=math.fsum(p for turn in trajectory.turns for p in turn.completion.logprobs) if last else None,
        num_tokens_to_answer=until,
    )
