"""What sampling in several steps needs: one more completion, and a verdict on what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from tahr.core.errors import EngineError
from tahr.core.protocols import Engine, GenerationRequest, Renderer, Sampling
from tahr.core.types import Completion, Message, Scored, StopReason, Task, Trajectory, Turn, broken
from tahr.evaluation.runner import evaluation_row
from tahr.rollout.collect import MAX_TRIES
from tahr.rollout.judge import Judge, Judges
from tahr.store.records import EvaluationRow


class TurnRenderer(Renderer, Protocol):
    """A renderer that can write on where a model stopped (`tahr.models.chat.ChatRenderer`)."""

    def encode(self, text: str) -> tuple[int, ...]:
        """Token ids of the text alone."""
        ...

    def extend(
        self, previous_ids: Sequence[int], messages: Sequence[Message], *, history: Sequence[Message] = ()
    ) -> tuple[int, ...] | None:
        """The next prompt, `previous_ids` as they stand and the messages; None where the template can't append."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An attempt that may be taken further, with its row.

    Example: ``Answered(task=task, scored=scored, row=row)``
    """

    task: Task
    scored: Scored
    row: EvaluationRow


@dataclass(slots=True, kw_only=True)
class Asker:
    """Samples and judges under one setting; `sampling` ends an answer where the renderer's template does.

    Example: ``Asker(engine=engine, renderer=renderer, verifiers=verifiers, sampling=sampling, seed=0)``
    """

    engine: Engine
    renderer: TurnRenderer
    verifiers: Judges
    sampling: Sampling
    seed: int
    judge: Judge = field(init=False)

    def __post_init__(self) -> None:
        stops = dict.fromkeys((*self.sampling.stop_token_ids, *self.renderer.stop_token_ids))
        self.sampling = replace(self.sampling, stop_token_ids=tuple(stops))
        self.judge = Judge(verifiers=self.verifiers)

    def has_room(self, prompt: Sequence[int]) -> bool:
        """Whether a token more fits into the context."""
        return len(prompt) < self.engine.max_context

    async def complete(self, prompt: Sequence[int], max_new_tokens: int, seed: int) -> Completion:
        """One completion. Raises EngineError where the engine fails as often as a rollout would try."""
        request = GenerationRequest(
            prompt_token_ids=tuple(prompt), sampling=replace(self.sampling, max_new_tokens=max_new_tokens), seed=seed
        )
        for _ in range(MAX_TRIES - 1):
            try:
                return await self.engine.complete(request)
            except EngineError:
                continue
        return await self.engine.complete(request)

    async def row(
        self, task: Task, index: int, turns: Sequence[Turn], *, num_sampled: int, num_read: int
    ) -> EvaluationRow:
        """The judged answer of the last turn; `num_sampled` and `num_read` are all tokens that it took, each once."""
        text = self.renderer.decode(turns[-1].completion.token_ids)
        ended = turns[-1].completion.finish_reason == "stop"
        trajectory = Trajectory(
            task_id=task.id,
            group_id=task.id,
            index=index,
            turns=tuple(turns),
            stop_reason=StopReason.FINISHED if ended else StopReason.OUT_OF_BUDGET,
        )
        scored = Scored(trajectory=trajectory, text=text, verdict=await self.judge.verdict(task, text))
        return replace(evaluation_row(task, scored), num_tokens=num_sampled, num_prompt_tokens=num_read)


def lost_row(task: Task, index: int, error: str) -> EvaluationRow:
    """The row of an attempt that the engine failed at: no score, counted and never wrong."""
    trajectory = Trajectory(
        task_id=task.id,
        group_id=task.id,
        index=index,
        turns=(),
        stop_reason=StopReason.INFRASTRUCTURE,
        error=error,
    )
    return evaluation_row(task, Scored(trajectory=trajectory, text="", verdict=broken(error)))
