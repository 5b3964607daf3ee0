"""Collect attempts: play them, judge them, group them by task."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tahr.core.errors import EngineError
from tahr.core.protocols import Engine, Environment, Renderer, RolloutContext, Sampling, environments
from tahr.core.seeding import derive_seed
from tahr.core.types import Group, Scored, StopReason, Task, Trajectory, broken
from tahr.environments import SingleTurn as SingleTurn  # registers tahr's own environments
from tahr.rollout.judge import Judge, Judges

MAX_TRIES = 3
"""How often an attempt is played when the engine fails, before it is given up and counted."""

OnScored = Callable[[Scored], None]


@dataclass(slots=True, kw_only=True)
class Collector:
    """Plays every attempt of a step at once; the engine decides which of them share a batch.

    Each attempt's seed derives from (`run_seed`, purpose and task, step, index), so that attempts differ from one
    another and repeat with the run. `seconds_verifying` adds up the time in which a verifier was at work.

    Example: ``Collector(engine=engine, renderer=renderer, verifiers=verifiers, run_seed=17)``
    """

    engine: Engine
    renderer: Renderer
    verifiers: Judges
    run_seed: int
    seconds_verifying: float = 0.0
    _environments: dict[str, Environment] = field(default_factory=dict[str, Environment])
    _judge_of: tuple[asyncio.AbstractEventLoop, Judge] | None = None

    async def collect(
        self,
        tasks: Sequence[Task],
        *,
        group_size: int,
        sampling: Sampling,
        purpose: str,
        step: int,
        on_scored: OnScored | None = None,
    ) -> list[Group]:
        """`group_size` scored attempts at each task, in the order of `tasks`.

        An attempt that the engine could not sample in `MAX_TRIES` tries is there with stop reason INFRASTRUCTURE and
        an absent reward, so that it can be counted.
        """
        stop_ids = tuple(dict.fromkeys((*sampling.stop_token_ids, *self.renderer.stop_token_ids)))
        sampling = replace(sampling, stop_token_ids=stop_ids)
        seen: Counter[str] = Counter()
        names: list[str] = []
        for task in tasks:
            # a task that comes twice in a step, in one call or in two, makes two groups with other seeds
            name = f"{purpose}/{step}:{task.id}"
            names.append(f"{name}:{seen[task.id]}" if seen[task.id] else name)
            seen[task.id] += 1

        judge = self._judge_here()

        async def attempt(task: Task, group_id: str, index: int) -> Scored:
            context = RolloutContext(
                engine=self.engine,
                renderer=self.renderer,
                sampling=sampling,
                seed=derive_seed(self.run_seed, group_id, step, index),
                group_id=group_id,
                index=index,
            )
            scored = await self._judge(task, await self._play(task, context), sampling, judge)
            if on_scored:
                on_scored(scored)
            return scored

        attempts = [
            asyncio.create_task(attempt(task, group_id, index))
            for task, group_id in zip(tasks, names, strict=True)
            for index in range(group_size)
        ]
        try:
            scored = await asyncio.gather(*attempts)
        except BaseException:
            for one in attempts:
                one.cancel()
            await asyncio.gather(*attempts, return_exceptions=True)
            raise
        finally:
            self.seconds_verifying += judge.seconds
            judge.seconds = 0.0
        return [
            Group(task=task, scored=tuple(scored[place * group_size : (place + 1) * group_size]))
            for place, task in enumerate(tasks)
        ]

    def _judge_here(self) -> Judge:
        """The judge of the running event loop. Calls that run at the same time share it: the bound on answers judged at
        once holds for all of them together."""
        loop = asyncio.get_running_loop()
        if self._judge_of is None or self._judge_of[0] is not loop:
            self._judge_of = loop, Judge(verifiers=self.verifiers)
        return self._judge_of[1]

    async def _play(self, task: Task, context: RolloutContext) -> Trajectory:
        if task.environment not in self._environments:
            self._environments[task.environment] = environments.get(task.environment)()
        environment = self._environments[task.environment]
        error = ""
        for _ in range(MAX_TRIES):
            try:
                return await environment.rollout(task, context)
            except EngineError as failure:
                error = str(failure)
        return Trajectory(
            task_id=task.id,
            group_id=context.group_id,
            index=context.index,
            turns=(),
            stop_reason=StopReason.INFRASTRUCTURE,
            error=error,
        )

    async def _judge(self, task: Task, trajectory: Trajectory, sampling: Sampling, judge: Judge) -> Scored:
        """The verdict on the last turn's text, cut before a stop string that ended it."""
        if trajectory.stop_reason is StopReason.INFRASTRUCTURE:
            return Scored(trajectory=trajectory, text="", verdict=broken(trajectory.error))
        text = self.renderer.decode(trajectory.turns[-1].completion.token_ids) if trajectory.turns else ""
        ends = [place for stop in sampling.stop if (place := text.find(stop)) >= 0]
        text = text[: min(ends)] if ends else text
        return Scored(trajectory=trajectory, text=text, verdict=await judge.verdict(task, text))
