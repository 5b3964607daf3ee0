"""Pairs from tasks: the gold answer against one that the task's verifier fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from tahr.core.preferences import Pair
from tahr.core.seeding import stream
from tahr.core.types import Outcome, Task, Verdict

MAX_TRIES = 20
"""Other tasks that are tried as a partner."""


class Judges(Protocol):
    """Who knows right answers and judges others: `tahr.verifiers.build.VerifierSet`."""

    def gold(self, task: Task) -> str:
        """A text that passes."""
        ...

    def verify(self, task: Task, text: str) -> Verdict:
        """The verdict of the task's verifier."""
        ...


def task_pairs(tasks: Sequence[Task], judges: Judges, *, seed: int) -> Iterator[Pair]:
    """Tasks by twos, each one's gold answer wrong for the other: either is chosen for its own task and rejected for
    the other's.

    So every text is preferred as often as not, and nothing that an answer has by itself, its length or its form among
    it, tells better from worse: only whether it answers this prompt. Who is put together follows from `seed` and the
    tasks' ids, not from their order. A task that `MAX_TRIES` others don't suit is left out. Raises InputError where a
    task has no known answer.
    """
    waiting = [(task, judges.gold(task)) for task in tasks]
    waiting.sort(key=lambda one: stream(seed, f"task_pairs.{one[0].id}").random())
    while waiting:
        task, gold = waiting.pop()
        for place in range(len(waiting) - 1, max(-1, len(waiting) - 1 - MAX_TRIES), -1):
            other, wrong = waiting[place]
            if gold != wrong and _fails(judges, task, wrong) and _fails(judges, other, gold):
                del waiting[place]
                yield _pair(task, gold, other, wrong)
                yield _pair(other, wrong, task, gold)
                break


def _fails(judges: Judges, task: Task, text: str) -> bool:
    return judges.verify(task, text).outcome is Outcome.FAIL


def _pair(task: Task, gold: str, other: Task, wrong: str) -> Pair:
    provenance = {"judge": task.verifier, "task": task.id, "rejected_task": other.id}
    return Pair(prompt=task.prompt, chosen=gold, rejected=wrong, provenance=provenance)
