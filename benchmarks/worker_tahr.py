"""tahr's side: the whole RLVR stage, its run folder included, told by the parent when to take a step."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

from held_out import held_out_reward, to_task
from tahr.core.progress import SilentProgress
from tahr.core.types import Message, Task
from tahr.curriculum.uniform import UniformCurriculum
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.losses.config import AdvantageConfig
from tahr.models.chat import ChatRenderer
from tahr.models.config import ModelConfig
from tahr.models.load import LoadedModel, load_model
from tahr.rollout.collect import Collector
from tahr.store.run import Run
from tahr.training.config import RlvrConfig, SamplingConfig
from tahr.training.interrupt import StopRequest
from tahr.training.rlvr import Rlvr
from tahr.training.step import Policy
from tahr.verifiers.build import build_verifiers
from worker import Channel, Job


class Conductor(SilentProgress):
    """Waits for the parent's word before each step and answers after it."""

    def __init__(self, job: Job, channel: Channel, loaded: LoadedModel) -> None:
        self.job = job
        self.channel = channel
        self.loaded = loaded
        self.verifiers = build_verifiers({})
        self.held_out = [to_task(row) for row in job.held_out]
        self.started = 0.0

    def stage(self, name: str, *, total_steps: int, first_step: int = 1) -> None:
        """The stage begins: wait for the first command."""
        self._wait()

    def step(self, step: int, metrics: Mapping[str, float]) -> None:
        """Answer for the step that has just ended, then wait."""
        self.channel.answer(
            seconds=time.perf_counter() - self.started,
            seconds_sampling=metrics["seconds_sampling"],
            tokens=metrics["num_tokens_sampled"],
            reward=metrics["reward"],
            idle_share=metrics["zero_spread_share"],
        )
        self._wait()

    def _wait(self) -> None:
        while (command := self.channel.next_command()) == "evaluate":
            start = time.perf_counter()
            reward = held_out_reward(
                self.loaded.model,
                self.loaded.tokenizer,
                self.held_out,
                self.verifiers,
                max_new_tokens=self.job.max_new_tokens,
            )
            self.channel.answer(seconds=time.perf_counter() - start, reward=reward)
        if command == "stop":
            self.channel.leave()
        self.started = time.perf_counter()


class InOrder:
    """The job's tasks as they come, from the start again after the last, as on the other side."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks

    def take(self, cursor: int, count: int) -> list[Task]:
        """Tasks number `cursor` to `cursor + count - 1`."""
        return [self._tasks[place % len(self._tasks)] for place in range(cursor, cursor + count)]


class Unending:
    """A renderer under which no token ends an answer."""

    stop_token_ids: tuple[int, ...] = ()

    def __init__(self, renderer: ChatRenderer) -> None:
        self._renderer = renderer

    def render(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """As the renderer does."""
        return self._renderer.render(messages)

    def decode(self, token_ids: Sequence[int]) -> str:
        """As the renderer does."""
        return self._renderer.decode(token_ids)


def settings(job: Job) -> RlvrConfig:
    """tahr's configuration of `job`: one optimizer step per `groups` x `group_size` completions."""
    return RlvrConfig(
        tasks={"job": 1.0},
        steps=job.steps,
        groups_per_step=job.groups,
        group_size=job.group_size,
        sampling=SamplingConfig(max_new_tokens=job.max_new_tokens),
        advantage=AdvantageConfig(spread_in="reward"),
        learning_rate=job.learning_rate,
        schedule={"max_resampled_groups": job.max_resampled_groups},
        micro_batch_tokens=2048,
        checkpoint_every=10**6,
    )


async def train(job: Job, channel: Channel, folder: Path) -> None:
    """Train `job` until told to stop."""
    loaded = load_model(ModelConfig(source=job.model, device="cpu", max_context=job.max_context), seed=job.seed)
    conductor = Conductor(job, channel, loaded)
    config = settings(job)
    engine = EmbeddedEngine(loaded.model, max_context=job.max_context)
    renderer = Unending(loaded.renderer) if job.fixed_length else loaded.renderer
    collector = Collector(engine=engine, renderer=renderer, verifiers=conductor.verifiers, run_seed=job.seed)
    run = Run.create(folder, "job", recipe={"stages": ["rlvr"]}, recipe_toml="", seed=job.seed)
    stage = Rlvr(
        config=config,
        policy=Policy(loaded.model, config.optimizer, max_context=job.max_context),
        engine=engine,
        collector=collector,
        curriculum=UniformCurriculum(InOrder([to_task(row) for row in job.tasks])),
        run=run,
        progress=conductor,
        stop=StopRequest(),
        evaluate=lambda _: asyncio.sleep(0),
    )
    channel.next_command()  # "hello"
    channel.answer()
    await stage.train()


def main(path: str) -> None:
    """Train the job at `path`."""
    channel = Channel()
    job = Job.read(path)
    torch.set_num_threads(job.threads)
    asyncio.run(train(job, channel, Path(path).parent / "runs"))


if __name__ == "__main__":
    main(sys.argv[1])
