"""Pairs from tasks: the gold answer against one that the task's verifier fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from tahr.core.preferences import Pair
from tahr.core.seeding import stream
from tahr.core.types import Outcome, Task, Verdict

MAX_TRIES = 20
"""Other tasks whose gold answer is tried as a wrong one."""


class Judges(Protocol):
    """Who knows right answers and judges others: `tahr.verifiers.build.VerifierSet`."""

    def gold(self, task: Task) -> str:
        """A text that passes."""
        ...

    def verify(self, task: Task, text: str) -> Verdict:
        """The verdict of the task's verifier."""
        ...


def task_pairs(tasks: Sequence[Task], judges: Judges, *, seed: int) -> Iterator[Pair]:
    """For each task its gold answer, and as the rejected one the gold answer of another task that fails here.

    So the two differ in nothing but whether they answer this prompt. Which other task follows from `seed` and the
    task's id. A task for which `MAX_TRIES` others give no wrong answer is left out. Raises InputError where a task has
    no known answer.
    """
    for task in tasks:
        draw = stream(seed, f"task_pairs.{task.id}")
        gold = judges.gold(task)
        for _ in range(MAX_TRIES):
            other = tasks[draw.randrange(len(tasks))]
            wrong = judges.gold(other)
            if wrong != gold and judges.verify(task, wrong).outcome is Outcome.FAIL:
                yield Pair(
                    prompt=task.prompt,
                    chosen=gold,
                    rejected=wrong,
                    provenance={"judge": task.verifier, "task": task.id, "rejected_task": other.id},
                )
                break
