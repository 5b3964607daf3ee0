"""Evaluate a model that is spoken to in messages, such as one behind a server: its tokens stay with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tahr.core.errors import EngineError, InputError
from tahr.core.judging import ChatModel, Reply
from tahr.core.protocols import Sampling
from tahr.core.seeding import derive_seed
from tahr.core.types import FinishReason, Group, Scored, StopReason, Task, Trajectory, broken
from tahr.engines.config import ChatModelConfig
from tahr.evaluation.runner import evaluation_row
from tahr.rollout.judge import Judge, Judges
from tahr.store.records import EvaluationRow

AT = "@http"
"""What stands between the name of a model and the address of its server: ``qwen3@http://localhost:8000/v1``."""


def is_served(model: str) -> bool:
    """Whether a name is that of a model behind a server.

    >>> is_served("Qwen/Qwen3-0.6B@http://localhost:8000/v1"), is_served("smollm2-135m")
    (True, False)
    """
    return AT in model


def served_config(model: str, thinking: bool | None = None) -> ChatModelConfig:
    """The config of ``NAME@URL``. `thinking` is the switch of the chat template, which vLLM and SGLang pass on to it.

    Raises InputError where the name or the address is none.
    """
    name, _, rest = model.partition(AT)
    switch = {} if thinking is None else {"chat_template_kwargs": {"enable_thinking": thinking}}
    return ChatModelConfig.read({"url": f"http{rest}", "model": name, "request": switch}, where="model")


@dataclass(slots=True, kw_only=True)
class ChatCollector:
    """Collects attempts of a chat model as `tahr.rollout.collect.Collector` does of an engine, with the same seeds.

    Attempts have no turns: neither ids nor log-probabilities are known. `row` adds to an attempt's row what the server
    tells of its tokens. Only tasks of a single turn can be asked.

    Example: ``ChatCollector(chat=HttpChat(label="qwen3", config=config), verifiers=verifiers, run_seed=0)``
    """

    chat: ChatModel
    verifiers: Judges
    run_seed: int
    _replies: dict[tuple[str, int], Reply] = field(default_factory=dict[tuple[str, int], Reply])
    _judge_of: tuple[asyncio.AbstractEventLoop, Judge] | None = None

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
        """`group_size` scored attempts at each task, in the order of `tasks`.

        One that the server did not answer has stop reason INFRASTRUCTURE and an absent reward. Raises InputError for a
        task of several turns.
        """
        loop = asyncio.get_running_loop()
        if self._judge_of is None or self._judge_of[0] is not loop:
            self._judge_of = loop, Judge(verifiers=self.verifiers)
        judge = self._judge_of[1]

        async def attempt(task: Task, index: int) -> Scored:
            scored = await self._attempt(task, f"{purpose}/{step}:{task.id}", index, step, sampling, judge)
            if on_scored:
                on_scored(scored)
            return scored

        for task in tasks:
            if task.environment != "single_turn":
                raise InputError(
                    "a model behind a server is asked single questions",
                    received=f"the environment {task.environment!r}",
                    instead="another setting, or a model held here",
                )
        return [
            Group(task=task, scored=tuple(await asyncio.gather(*(attempt(task, index) for index in range(group_size)))))
            for task in tasks
        ]

    def row(self, task: Task, scored: Scored) -> EvaluationRow:
        """The attempt's row; its reply is let go. Tokens that the server does not count are None, as likelihoods."""
        row = evaluation_row(task, scored)
        reply = self._replies.pop((scored.trajectory.group_id, scored.trajectory.index), None)
        if reply is None:
            return row
        return replace(
            row,
            num_tokens=reply.num_tokens,
            num_prompt_tokens=reply.num_prompt_tokens,
            finish_reason=str(reply.finish_reason),
        )

    async def _attempt(
        self, task: Task, group_id: str, index: int, step: int, sampling: Sampling, judge: Judge
    ) -> Scored:
        def trajectory(stop_reason: StopReason, error: str = "") -> Trajectory:
            return Trajectory(
                task_id=task.id, group_id=group_id, index=index, turns=(), stop_reason=stop_reason, error=error
            )

        try:
            reply = await self.chat.chat(task.prompt, sampling, derive_seed(self.run_seed, group_id, step, index))
        except EngineError as error:
            lost = trajectory(StopReason.INFRASTRUCTURE, str(error))
            return Scored(trajectory=lost, text="", verdict=broken(str(error)))
        self._replies[group_id, index] = reply
        stopped = reply.finish_reason == FinishReason.STOP
        return Scored(
            trajectory=trajectory(StopReason.FINISHED if stopped else StopReason.OUT_OF_BUDGET),
            text=reply.text,
            verdict=await judge.verdict(task, reply.text),
        )
