from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass
from typing import ClassVar

import pytest

from small_rollouts import Letters, Scripted, collect, make_task
from tahr.core.protocols import Sampling
from tahr.core.types import Outcome, Task, Verdict, failed, passed
from tahr.rollout import judge as module
from tahr.rollout.collect import Collector
from tahr.rollout.judge import MAX_THREADS, Judge
from tahr.verifiers.build import VerifierSet, build_verifiers
from tahr.verifiers.config import VerifierConfig


@dataclass
class Slow:
    """Judges in threads; answers that say so take long."""

    concurrent: bool = True
    seconds: float = 0.5
    most: int = 0
    now: int = 0

    def is_concurrent(self, task: Task) -> bool:
        return self.concurrent

    def verify(self, task: Task, text: str) -> Verdict:
        self.now += 1
        self.most = max(self.most, self.now)
        time.sleep(self.seconds if text == "slow" else 0.001)
        self.now -= 1
        return passed(text) if text != "slow" else failed(text)


def judge_all(verifiers: object, texts: list[str]) -> tuple[list[Verdict], dict[str, float], Judge]:
    judge = Judge(verifiers=verifiers)
    finished: dict[str, float] = {}
    started = time.perf_counter()

    async def one(text: str) -> Verdict:
        verdict = await judge.verdict(make_task(), text)
        finished[text] = time.perf_counter() - started
        return verdict

    async def run() -> list[Verdict]:
        return await asyncio.gather(*map(one, texts))

    return asyncio.run(run()), finished, judge


def test_a_slow_answer_delays_no_neighbour() -> None:
    texts = ["slow", *(f"quick {number}" for number in range(20))]
    verdicts, finished, judge = judge_all(Slow(), texts)
    assert [verdict.note for verdict in verdicts] == texts
    assert finished.pop("slow") >= 0.5
    assert max(finished.values()) < 0.4
    assert 0.5 <= judge.seconds < 0.9


def test_no_more_threads_than_allowed() -> None:
    slow = Slow(seconds=0.05)
    judge_all(slow, ["slow"] * 30)
    assert slow.most <= MAX_THREADS


def test_other_verifiers_stay_on_the_main_thread() -> None:
    class Where(Slow):
        def verify(self, task: Task, text: str) -> Verdict:
            return passed(str(threading.current_thread() is threading.main_thread()))

    assert judge_all(Where(concurrent=False), ["x"])[0][0].note == "True"
    assert judge_all(Where(), ["x"])[0][0].note == "False"


def test_a_verdict_that_never_comes_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SECONDS", 0.1)
    (verdict,), _, _ = judge_all(Slow(seconds=2.0), ["slow"])
    assert (verdict.outcome, verdict.reward) == (Outcome.TIMEOUT, None)


@dataclass
class Promises:
    """Says that it bounds its own time."""

    is_concurrent: ClassVar[bool] = True

    def check_task(self, task: Task) -> None: ...

    def verify(self, task: Task, text: str) -> Verdict:
        return passed()

    def gold(self, task: Task) -> str:
        return "x"


class Silent(Promises):
    """Says that it doesn't."""

    is_concurrent: ClassVar[bool] = False


def weighted(*parts: str) -> VerifierConfig:
    return VerifierConfig(
        verifier="weighted", args={"parts": [{"verifier": part, "name": f"part{i}"} for i, part in enumerate(parts)]}
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("math", True),
        ("numeric", False),
        (f"{__name__}:Promises", True),
        (f"{__name__}:Silent", False),
        ("both", True),
        ("foreign", False),
        ("no_such_verifier", False),
    ],
)
def test_which_verifiers_judge_at_once(name: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or sys.modules[Promises.__module__])
    configs = {"both": weighted("math", "numeric"), "foreign": weighted("math", f"{__name__}:Silent")}
    task = Task(prompt=(), answer="1", verifier=name)
    assert VerifierSet(configs).is_concurrent(task) is expected


def test_groups_keep_their_order_and_their_rewards() -> None:
    groups = collect(
        Scripted("\\boxed{5}"),
        [Task(prompt=(), answer=str(number), verifier="math") for number in (4, 5, 6)],
        verifiers=build_verifiers({}),
        group_size=2,
    )
    assert [group.rewards for group in groups] == [(0.0, 0.0), (1.0, 1.0), (0.0, 0.0)]


def test_calls_that_collect_at_the_same_time_share_the_bound_and_the_time() -> None:
    slow = Slow(seconds=0.05)
    collector = Collector(engine=Scripted("slow"), renderer=Letters(), verifiers=slow, run_seed=1)

    async def several() -> None:
        calls = (
            collector.collect(
                [make_task(f"say {number}")], group_size=1, sampling=Sampling(max_new_tokens=9), purpose="x", step=0
            )
            for number in range(24)
        )
        await asyncio.gather(*calls)

    started = time.perf_counter()
    asyncio.run(several())
    assert slow.most <= MAX_THREADS
    assert 0.1 <= collector.seconds_verifying <= time.perf_counter() - started
    asyncio.run(several())  # another event loop: nothing of the first one is left
