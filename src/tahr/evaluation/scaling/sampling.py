"""Sampling a study: many attempts at each question, once more with other seeds, revised, and thought longer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TypeVar

from tahr.core.protocols import Sampling
from tahr.core.seeding import derive_seed
from tahr.core.types import Task
from tahr.evaluation.runner import SEED_STEP, Collects
from tahr.evaluation.scaling.ask import Answered
from tahr.evaluation.scaling.config import ScalingConfig
from tahr.evaluation.scaling.selection import RowOf, Selection
from tahr.evaluation.scaling.study import AGAIN, ATTEMPTS, REVISION, THINKING, chained_name
from tahr.evaluation.suites.asking import own_row
from tahr.store.records import Conditions, Evaluation, EvaluationRow

WINDOW = 16
"""Questions whose attempts are in flight at once."""

T = TypeVar("T")

OnPhase = Callable[[str, int], None]
OnDone = Callable[[], None]

ByKnob = dict[int, list[EvaluationRow]]
"""Rows by the value of a knob."""

Reviser = Callable[[Sequence[Answered], ScalingConfig, OnDone], Awaitable[ByKnob]]
Forcer = Callable[[Sequence[Task], Sequence[int], ScalingConfig, OnDone], Awaitable[ByKnob]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """One model that is asked one set of questions; `questions` holds each as it stands in the suite and as asked.

    `collecting` gives, for a seed, what plays attempts and what makes a row of one. `revise` takes answers further;
    `force` cuts thinking off, and is None for a model that can't write on where it stopped. `conditions` are those of
    every evaluation but for the seconds, seed and samples; `num_cached` counts the samples that came from a cache.

    Example: ``Sampler(collecting=collecting, revise=revise, force=force, selection=selection,
    questions=((task, task),), sampling=sampling, config=ScalingConfig(), conditions=conditions, split="all",
    num_cached=lambda: 0, on_phase=phase, on_done=done)``
    """

    collecting: Callable[[int], tuple[Collects, RowOf]]
    revise: Reviser
    force: Forcer | None
    selection: Selection
    questions: Sequence[tuple[Task, Task]]
    sampling: Sampling
    config: ScalingConfig
    conditions: Conditions
    split: str
    num_cached: Callable[[], int]
    on_phase: OnPhase
    on_done: OnDone

    async def evaluations(self, keep: Callable[[Evaluation], None]) -> None:
        """Sample everything that the config asks for; each evaluation is handed to `keep` as soon as it is whole."""
        answers = await self._attempts(ATTEMPTS, self.conditions.seed, keep)
        if self.config.placebo:
            await self._attempts(AGAIN, derive_seed(self.conditions.seed, "again"), keep)
        num_chains = len(self.questions) * self.config.chains
        if self.config.rounds:
            self.on_phase("revising", num_chains)
            begun = monotonic()
            parts = _windows(answers, WINDOW * self.config.chains)
            rounds = [await self.revise(part, self.config, self.on_done) for part in parts]
            self._keep_chained(REVISION, rounds, begun, keep)
        budgets = self.config.thinking_budgets(self.sampling.max_new_tokens)
        if budgets and self.force is not None:
            self.on_phase("thinking", num_chains)
            begun = monotonic()
            tasks = [asked for _, asked in self.questions]
            forced = [await self.force(part, budgets, self.config, self.on_done) for part in _windows(tasks)]
            self._keep_chained(THINKING, forced, begun, keep)

    async def _attempts(self, name: str, seed: int, keep: Callable[[Evaluation], None]) -> list[Answered]:
        """All attempts under `seed`; those are given back that are revised."""
        num_samples = self.config.samples
        self.on_phase(name.replace("-", " "), len(self.questions) * num_samples)
        begun, cached, rows, answers = monotonic(), self.num_cached(), list[EvaluationRow](), list[Answered]()
        collector, row_of = self.collecting(seed)
        for part in _windows(self.questions):
            for group in await collector.collect(
                [asked for _, asked in part],
                group_size=num_samples,
                sampling=self.sampling,
                purpose="evaluate",
                step=SEED_STEP,
                on_scored=lambda _: self.on_done(),
            ):
                found = await self.selection.rows(group, row_of)
                rows += found
                answers += [
                    Answered(task=group.task, scored=scored, row=row)
                    for scored, row in zip(group.scored[: self.config.chains], found, strict=False)
                ]
        conditions = replace(
            self.conditions,
            seed=seed,
            samples_per_task=num_samples,
            seconds=monotonic() - begun,
            num_cached=self.num_cached() - cached,
        )
        keep(self._evaluation(name, rows, conditions))
        return answers

    def _keep_chained(
        self,
        prefix: str,
        parts: Sequence[ByKnob],
        begun: float,
        keep: Callable[[Evaluation], None],
    ) -> None:
        knobs = sorted({knob for part in parts for knob in part})
        seconds = (monotonic() - begun) / max(1, len(knobs))
        conditions = replace(self.conditions, samples_per_task=self.config.chains, seconds=seconds)
        for knob in knobs:  # where a window's answers left no room for a round, its last ones stand
            rows = [row for part in parts if part for row in part[min(knob, max(part))]]
            keep(self._evaluation(chained_name(prefix, knob), rows, conditions))

    def _evaluation(self, name: str, rows: Iterable[EvaluationRow], conditions: Conditions) -> Evaluation:
        """Rows under the ids of the suite's own questions, with their clusters."""
        own = {asked.id: task for task, asked in self.questions}
        named = [own_row(row, own[row.task_id]) for row in rows]
        return Evaluation(name=name, stage="eval", step=0, split=self.split, rows=tuple(named), conditions=conditions)


def _windows(items: Sequence[T], size: int = WINDOW) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
