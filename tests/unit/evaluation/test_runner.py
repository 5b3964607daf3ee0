import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

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
    Verdict,
    broken,
    failed,
    passed,
)
from tahr.evaluation.config import EvalConfig
from tahr.evaluation.runner import attempt_in_windows, evaluate
from tahr.store.records import Evaluation

TASKS = [
    Task(prompt=(Message(role="user", content=f"{n} + 1?"),), answer={"n": n + 1}, verifier="numeric", domain="sums")
    for n in range(3)
]


def scored(task: Task, index: int, verdict: Verdict, stop_reason: StopReason = StopReason.FINISHED) -> Scored:
    completion = Completion(
        token_ids=(4, 5, 2), logprobs=(-1.0,) * 3, finish_reason=FinishReason.LENGTH, policy_version=0
    )
    lost = stop_reason is StopReason.INFRASTRUCTURE
    trajectory = Trajectory(
        task_id=task.id,
        group_id=task.id,
        index=index,
        turns=() if lost else (Turn(prompt_token_ids=(1,), completion=completion),),
        stop_reason=stop_reason,
        error="engine gone" if lost else "",
    )
    return Scored(trajectory=trajectory, text="" if lost else "two", verdict=verdict)


@dataclass
class FakeCollector:
    """Answers every task with the verdicts given, and remembers how it was asked."""

    verdicts: Sequence[tuple[Verdict, StopReason]]
    calls: list[dict[str, object]] = field(default_factory=list)

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
        self.calls.append({"group_size": group_size, "sampling": sampling, "purpose": purpose, "step": step})
        groups = []
        for task in tasks:
            attempts = tuple(scored(task, index, *self.verdicts[index]) for index in range(group_size))
            for attempt in attempts:
                if on_scored:
                    on_scored(attempt)
            groups.append(Group(task=task, scored=attempts))
        return groups


def run(collector: FakeCollector, step: int = 40, on_progress: Callable[[int, int], None] | None = None) -> Evaluation:
    config = EvalConfig(tasks=("sums",), samples_per_task=len(collector.verdicts), max_new_tokens=16, temperature=0.5)
    return asyncio.run(
        evaluate(
            collector,
            TASKS,
            config=config,
            name="after",
            stage="rlvr",
            step=step,
            split="test",
            on_progress=on_progress,
        )
    )


def test_attempts_become_rows() -> None:
    done = StopReason.FINISHED
    collector = FakeCollector([(passed("right"), done), (failed("wrong", value=0.25, parts={"format": 1.0}), done)])
    progress: list[tuple[int, int]] = []
    evaluation = run(collector, on_progress=lambda done, total: progress.append((done, total)))
    assert (evaluation.name, evaluation.stage, evaluation.step, evaluation.split) == ("after", "rlvr", 40, "test")
    assert len(evaluation.rows) == 6
    first, second = evaluation.rows[:2]
    assert (first.task_id, first.domain, first.index, first.prompt, first.answer) == (
        TASKS[0].id,
        "sums",
        0,
        "0 + 1?",
        '{"n": 1}',
    )
    assert (first.score, first.outcome, first.note, first.num_tokens, first.finish_reason) == (
        1.0,
        "pass",
        "right",
        3,
        "length",
    )
    assert (second.score, second.parts, second.outcome) == (0.25, {"correct": 0.0, "format": 1.0}, "fail")
    assert progress == [(n, 6) for n in range(1, 7)]


def test_what_has_no_reward_has_no_score() -> None:
    lost = StopReason.INFRASTRUCTURE
    # The second verdict must not count: the infrastructure failed before there was anything to judge.
    evaluation = run(FakeCollector([(broken("verifier crashed"), StopReason.FINISHED), (failed("empty"), lost)]))
    assert {row.score for row in evaluation.rows} == {None}
    assert {len(row.parts) for row in evaluation.rows} == {0}
    assert [row.note for row in evaluation.rows[:2]] == ["verifier crashed", "engine gone"]
    assert evaluation.rows[1].finish_reason == "infrastructure"


def test_every_evaluation_of_a_run_draws_with_the_same_seeds() -> None:
    collector = FakeCollector([(passed(), StopReason.FINISHED)])
    run(collector, step=0)
    run(collector, step=40)
    assert collector.calls[0] == collector.calls[1]
    assert collector.calls[0]["purpose"] == "evaluate"
    assert collector.calls[0]["sampling"] == Sampling(max_new_tokens=16, temperature=0.5)


def test_rows_say_where_the_answer_first_stood() -> None:
    words = {4: "it is", 5: " 1", 2: " indeed"}
    collector = FakeCollector([(passed(extracted="1"), StopReason.FINISHED)])
    found = asyncio.run(
        evaluate(
            collector,
            TASKS[:1],
            config=EvalConfig(tasks=("sums",), samples_per_task=1),
            name="before",
            stage="rlvr",
            step=0,
            split="test",
            decode=lambda ids: "".join(words[i] for i in ids),
        )
    )
    assert [(row.num_tokens, row.num_tokens_to_answer) for row in found.rows] == [(3, 2)]


MANY = [replace(TASKS[0], prompt=(Message(role="user", content=f"{n} + 1?"),)) for n in range(9)]


class SlowCollector:
    """Counts the questions that are under way; the first takes until all others are done."""

    def __init__(self) -> None:
        self.under_way = self.most = 0
        self.calls: list[int] = []
        self.others = asyncio.Event()

    async def collect(self, tasks: Sequence[Task], *, group_size: int, **_: object) -> list[Group]:
        self.calls.append(len(tasks))
        self.under_way += len(tasks)
        self.most = max(self.most, self.under_way)
        if tasks[0] is MANY[0]:
            await asyncio.wait_for(self.others.wait(), 10)
        else:
            await asyncio.sleep(0)
        self.under_way -= len(tasks)
        return [Group(task=one, scored=tuple(scored(one, i, passed()) for i in range(group_size))) for one in tasks]


def windowed(collector: SlowCollector, tasks: Sequence[Task], group_size: int, window: int) -> list[tuple[int, Group]]:
    async def run() -> list[tuple[int, Group]]:
        found: list[tuple[int, Group]] = []
        async for one in attempt_in_windows(
            collector, tasks, group_size=group_size, sampling=Sampling(max_new_tokens=1), window=window
        ):
            found.append(one)
            if len(found) == len(tasks) - 1:
                collector.others.set()
        return found

    return asyncio.run(run())


@pytest.mark.parametrize(("group_size", "window", "most"), [(1, 2, 2), (1, 100, 9), (4, 12, 3), (64, 16, 2)])
def test_the_window_bounds_the_attempts_in_flight_and_a_slow_question_holds_up_no_other(group_size, window, most):
    collector = SlowCollector()
    found = windowed(collector, MANY, group_size, window)
    assert [place for place, _ in found] == [1, 2, 3, 4, 5, 6, 7, 8, 0]
    assert all(group.task is MANY[place] for place, group in found)
    assert collector.most == most


def test_a_question_that_comes_twice_is_asked_in_one_call_for_other_seeds():
    collector = SlowCollector()
    found = windowed(collector, [MANY[1], MANY[2], MANY[1]], 1, 100)
    assert collector.calls == [2, 1] and sorted(place for place, _ in found) == [0, 1, 2]


class Failing(SlowCollector):
    """Fails at the third question."""

    cancelled = 0

    async def collect(self, tasks: Sequence[Task], *, group_size: int, **more: object) -> list[Group]:
        if tasks[0] is MANY[2]:
            raise RuntimeError("gone")
        try:
            return await super().collect(tasks, group_size=group_size, **more)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


def test_what_is_raised_ends_the_questions_under_way():
    collector = Failing()
    with pytest.raises(RuntimeError, match="gone"):
        windowed(collector, MANY, 1, 3)
    assert collector.cancelled == 1  # the first one, which would have waited on


def test_rows_of_an_evaluation_stand_in_the_order_of_its_tasks():
    collector = SlowCollector()
    collector.others.set()
    config = EvalConfig(tasks=("sums",), samples_per_task=2)
    found = asyncio.run(evaluate(collector, MANY, config=config, name="x", stage="rlvr", step=0, split="test"))
    assert [row.task_id for row in found.rows] == [task.id for task in MANY for _ in range(2)]
