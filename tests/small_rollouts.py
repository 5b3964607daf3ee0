"""Attempts without a model: an engine that says what it is told, tokens that are characters, groups by hand."""

from __future__ import annotations

import asyncio

from tahr.core.errors import EngineError
from tahr.core.protocols import Sampling
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
    failed,
    passed,
)
from tahr.rollout.collect import Collector


class Letters:
    """A renderer whose tokens are characters."""

    stop_token_ids = (0,)

    def render(self, messages):
        return tuple(ord(c) for m in messages for c in m.content)

    def decode(self, token_ids):
        return "".join(chr(i) for i in token_ids if i)


class Scripted:
    """An engine that gives one answer, after `fail` failures."""

    max_context = 50
    policy_version = 0

    def __init__(self, answer="yes", fail=0):
        self.answer, self.fail, self.requests = answer, fail, []

    async def complete(self, request):
        self.requests.append(request)
        if self.fail:
            self.fail -= 1
            raise EngineError("connection lost")
        ids = (*map(ord, self.answer), 0)
        return Completion(token_ids=ids, logprobs=(-0.1,) * len(ids), finish_reason=FinishReason.STOP, policy_version=0)


class Equals:
    """Judges by equality."""

    def verify(self, task, text):
        return passed() if text == task.answer else failed(text)


def make_task(text="say yes", answer="yes"):
    return Task(prompt=(Message(role="user", content=text),), answer=answer, verifier="exact")


def collect(engine, tasks, *, verifiers=None, run_seed=1, renderer=None, **settings):
    collector = Collector(
        engine=engine, renderer=renderer or Letters(), verifiers=verifiers or Equals(), run_seed=run_seed
    )
    settings = {"group_size": 3, "sampling": Sampling(max_new_tokens=8), "purpose": "test", "step": 4, **settings}
    return asyncio.run(collector.collect(tasks, **settings))


TASK = Task(prompt=(Message(role="user", content="?"),), answer="", verifier="exact")


def turn(prompt, completion, finish_reason=FinishReason.STOP):
    sampled = Completion(
        token_ids=tuple(completion),
        logprobs=tuple(-0.1 * i for i in completion),
        finish_reason=finish_reason,
        policy_version=0,
    )
    return Turn(prompt_token_ids=tuple(prompt), completion=sampled)


def trajectory(*turns):
    return Trajectory(task_id=TASK.id, group_id="0", index=0, turns=turns, stop_reason=StopReason.FINISHED)


def scored(verdict, *turns):
    return Scored(trajectory=trajectory(*(turns or (turn([1, 2], [3, 4]),))), text="", verdict=verdict)


def group(*verdicts):
    """Attempts with the same tokens and these verdicts."""
    return Group(task=TASK, scored=tuple(scored(verdict) for verdict in verdicts))
