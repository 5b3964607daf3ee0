"""The task's own verifier as a judge."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from typing import Protocol, Self, runtime_checkable

from tahr.core.judging import Question, judges
from tahr.core.preferences import Candidate, Judgment, JudgmentState, content_id
from tahr.core.types import Task, Verdict


@runtime_checkable
class Verifiers(Protocol):
    """The verifiers of a recipe: `tahr.verifiers.build.VerifierSet`."""

    @property
    def settings(self) -> str:
        """All that they are set to, as text."""
        ...

    def verify(self, task: Task, text: str) -> Verdict:
        """The verdict of the task's verifier; never raises."""
        ...

    def is_concurrent(self, task: Task) -> bool:
        """Whether it may judge several answers at once, off the main thread."""
        ...


@judges.register("verifier")
class VerifierJudge:
    """Rates an answer by the reward that its task's verifier gives. No reward is a failed judgment, never a low one."""

    _verifiers: Verifiers | None = None

    @property
    def name(self) -> str:
        """The kind alone: which verifier judged is in each judgment's provenance."""
        return "verifier"

    def with_verifiers(self, verifiers: Verifiers) -> Self:
        """A copy that asks `verifiers`."""
        bound = copy.copy(self)
        bound._verifiers = verifiers
        return bound

    def depends_on(self, question: Question) -> str:
        """The task, whose id holds its answer and its verifier's name, and what the verifiers are set to."""
        settings = self._verifiers.settings if self._verifiers else ""
        return content_id(question.task.id if question.task else "", settings)

    async def judge(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Judgment, ...]:
        """One judgment a candidate; `rating` is the reward, `ratings` its parts."""
        return tuple(await asyncio.gather(*(self._judge(question.task, candidate) for candidate in candidates)))

    async def _judge(self, task: Task | None, candidate: Candidate) -> Judgment:
        if self._verifiers is None:
            raise RuntimeError("the judge has no verifiers yet: with_verifiers hands it some")
        if task is None:
            return Judgment(
                candidates=(candidate.id,),
                state=JudgmentState.NOT_APPLICABLE,
                judge=self.name,
                provenance={"note": "no task stands behind the prompt"},
            )
        if self._verifiers.is_concurrent(task):
            verdict = await asyncio.to_thread(self._verifiers.verify, task, candidate.text)
        else:
            verdict = self._verifiers.verify(task, candidate.text)
        reward = verdict.reward
        return Judgment(
            candidates=(candidate.id,),
            state=JudgmentState.JUDGED if reward else JudgmentState.FAILED,
            judge=self.name,
            rating=reward.value if reward else None,
            ratings=dict(reward.parts) if reward else {},
            provenance={
                "verifier": task.verifier,
                "task": task.id,
                "outcome": str(verdict.outcome),
                "note": verdict.note[:1000],
            },
        )
