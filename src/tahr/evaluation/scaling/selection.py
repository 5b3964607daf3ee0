"""Selectors: verifiers that score attempts without being the truth, and what their models read for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from tahr.core.errors import InputError
from tahr.core.protocols import Verifier
from tahr.core.types import Group, Scored, Task
from tahr.evaluation.runner import evaluation_row
from tahr.evaluation.scaling.samples import COST, LIKELIHOOD, SCORE
from tahr.rollout.judge import Judge
from tahr.store.records import EvaluationRow
from tahr.verifiers.build import VerifierSet

RowOf = Callable[[Task, Scored], EvaluationRow]
"""Makes the row of an attempt."""


@runtime_checkable
class ReadsTokens(Protocol):
    """A verifier with a model of its own, that says how much it reads."""

    def num_tokens_read(self, task: Task, text: str) -> int:
        """Tokens that its model reads to judge `text`."""
        ...


@dataclass(slots=True, kw_only=True)
class Selection:
    """Scores attempts by the verifiers `names`, whatever the tasks' own is.

    Example: ``Selection(verifiers=verifiers, names=("scores",))``
    """

    verifiers: VerifierSet
    names: tuple[str, ...]
    _judge: Judge = field(init=False)

    def __post_init__(self) -> None:
        self._judge = Judge(verifiers=self.verifiers)

    def check(self, tasks: Sequence[Task]) -> None:
        """Raise InputError where a selector can't judge the tasks, is the truth itself, or bears a taken name."""
        for name in self.names:
            if name == LIKELIHOOD:
                raise InputError(f"{LIKELIHOOD!r} always selects", received=f"--select {name}", instead="leave it out")
            for task in tasks:
                if task.verifier == name:
                    raise InputError(
                        f"the verifier {name!r} decides what is right: choosing by it is the oracle, which is shown",
                        received=f"--select {name}",
                        instead="another verifier or a reward model",
                    )
                self.verifiers.get(name).check_task(replace(task, verifier=name))

    async def rows(self, group: Group, row_of: RowOf = evaluation_row) -> list[EvaluationRow]:
        """The group's rows with each selector's score and price among the parts; one that can't be had is absent."""
        found: list[EvaluationRow] = []
        for scored in group.scored:
            row = row_of(group.task, scored)
            if row.score is not None:
                row = replace(row, parts={**row.parts, **await self._parts(group.task, scored.text)})
            found.append(row)
        return found

    async def _parts(self, task: Task, text: str) -> dict[str, float]:
        parts: dict[str, float] = {}
        for name in self.names:
            asked = replace(task, verifier=name)
            verdict = await self._judge.verdict(asked, text)
            parts[COST + name] = float(_num_read(self.verifiers.get(name), asked, text))
            if verdict.reward is not None:
                parts[SCORE + name] = verdict.reward.value
        return parts


def _num_read(verifier: Verifier, task: Task, text: str) -> int:
    """Tokens read by the verifier's model and those of its parts; 0 for programs."""
    own = verifier.num_tokens_read(task, text) if isinstance(verifier, ReadsTokens) else 0
    inner: Any = getattr(verifier, "verifiers", ())
    return own + sum(_num_read(part, task, text) for part in inner)
