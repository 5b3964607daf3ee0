"""One question, one answer."""

from __future__ import annotations

from dataclasses import dataclass

from tahr.core.protocols import GenerationRequest, RolloutContext, environments
from tahr.core.types import FinishReason, StopReason, Task, Trajectory, Turn


@environments.register("single_turn")
@dataclass(frozen=True, slots=True)
class SingleTurn:
    """Renders the task's prompt, samples one completion, and ends.

    A prompt that leaves no room in the context ends the trajectory before its first turn, out of budget.
    """

    async def rollout(self, task: Task, context: RolloutContext) -> Trajectory:
        """One attempt at `task`."""
        prompt = context.renderer.render(task.prompt)
        if len(prompt) >= context.engine.max_context:
            error = f"the prompt has {len(prompt)} tokens, the context {context.engine.max_context}"
            return _trajectory(task, context, (), StopReason.OUT_OF_BUDGET, error)
        request = GenerationRequest(prompt_token_ids=prompt, sampling=context.sampling, seed=context.seed)
        completion = await context.engine.complete(request)
        finished = completion.finish_reason == FinishReason.STOP
        stop_reason = StopReason.FINISHED if finished else StopReason.OUT_OF_BUDGET
        return _trajectory(task, context, (Turn(prompt_token_ids=prompt, completion=completion),), stop_reason)


def _trajectory(
    task: Task, context: RolloutContext, turns: tuple[Turn, ...], stop_reason: StopReason, error: str = ""
) -> Trajectory:
    return Trajectory(
        task_id=task.id,
        group_id=context.group_id,
        index=context.index,
        turns=turns,
        stop_reason=stop_reason,
        error=error,
    )
