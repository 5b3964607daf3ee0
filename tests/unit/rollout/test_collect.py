from __future__ import annotations

import asyncio

import pytest

from tahr.core.errors import EngineError
from tahr.core.protocols import Sampling
from tahr.core.types import Completion, FinishReason, Message, Outcome, StopReason, Task, failed, passed
from tahr.rollout.collect import Collector


class Letters:
    """A renderer whose tokens are characters."""

    stop_token_ids = (0,)

    def render(self, messages):
        return tuple(ord(c) for m in messages for c in m.content)

    def decode(self, token_ids):
        return "".join(chr(i) for i in token_ids if i)


class Scripted:
    """An engine that answers with the request's seed, or fails."""

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
    def verify(self, task, text):
        return passed() if text == task.answer else failed(text)


def task(text="say yes", answer="yes"):
    return Task(prompt=(Message(role="user", content=text),), answer=answer, verifier="exact")


def collect(engine, tasks, **settings):
    collector = Collector(engine=engine, renderer=Letters(), verifiers=Equals(), run_seed=settings.pop("run_seed", 1))
    settings = {"group_size": 3, "sampling": Sampling(max_new_tokens=8), "purpose": "test", "step": 4, **settings}
    return asyncio.run(collector.collect(tasks, **settings))


def test_attempts_are_grouped_by_task_in_order():
    """B5."""
    tasks = [task("a"), task("b", "no")]
    groups = collect(Scripted(), tasks)
    assert [group.task for group in groups] == tasks
    assert [group.rewards for group in groups] == [(1.0,) * 3, (0.0,) * 3]
    assert [scored.trajectory.index for scored in groups[1].scored] == [0, 1, 2]


def test_every_attempt_has_a_seed_of_its_own_that_repeats_with_the_run():
    """B2."""
    seeds = []
    for run_seed in (1, 1, 2):
        engine = Scripted()
        collect(engine, [task("a"), task("b"), task("a")], run_seed=run_seed)
        seeds.append([request.seed for request in engine.requests])
    assert len(set(seeds[0])) == 9
    assert seeds[0] == seeds[1]
    assert not set(seeds[0]) & set(seeds[2])


def test_a_task_that_comes_twice_makes_two_groups():
    groups = collect(Scripted(), [task("a"), task("a")])
    ids = {scored.trajectory.group_id for group in groups for scored in group.scored}
    assert len(ids) == 2


def test_an_engine_failure_is_retried():
    engine = Scripted(fail=2)
    groups = collect(engine, [task()], group_size=1)
    assert groups[0].rewards == (1.0,)
    assert len(engine.requests) == 3


def test_an_engine_that_keeps_failing_leaves_an_absent_reward():
    """B3: an infrastructure failure is neither wrong nor right."""
    groups = collect(Scripted(fail=3), [task()], group_size=1)
    scored = groups[0].scored[0]
    assert scored.trajectory.stop_reason is StopReason.INFRASTRUCTURE
    assert scored.trajectory.error == "connection lost"
    assert scored.reward is None
    assert scored.verdict.outcome is Outcome.ERROR


def test_a_prompt_that_fills_the_context_is_out_of_budget_and_not_a_crash():
    """T7."""
    engine = Scripted()
    scored = collect(engine, [task("x" * 50)], group_size=1)[0].scored[0]
    assert scored.trajectory.stop_reason is StopReason.OUT_OF_BUDGET
    assert "50 tokens" in scored.trajectory.error
    assert scored.trajectory.turns == ()
    assert scored.reward is not None
    assert engine.requests == []


def test_the_judged_text_ends_before_the_stop_string():
    groups = collect(Scripted("yes;no"), [task()], group_size=1, sampling=Sampling(max_new_tokens=8, stop=(";", "no")))
    assert groups[0].scored[0].text == "yes"
    assert groups[0].rewards == (1.0,)


def test_the_renderers_stop_ids_end_a_turn():
    engine = Scripted()
    collect(engine, [task()], sampling=Sampling(max_new_tokens=8, stop_token_ids=(7, 0)))
    assert engine.requests[0].sampling.stop_token_ids == (7, 0)


def test_another_exception_passes_through():
    class Broken(Scripted):
        async def complete(self, request):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        collect(Broken(), [task()])
