"""Sequential revision by a model that is spoken to in messages, such as one behind a server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tahr.core.errors import EngineError
from tahr.core.judging import ChatModel, Reply
from tahr.core.protocols import Sampling
from tahr.core.seeding import derive_seed
from tahr.core.types import FinishReason, Message, Scored, StopReason, Task, Trajectory
from tahr.evaluation.runner import evaluation_row
from tahr.evaluation.scaling.ask import Answered, lost_row
from tahr.evaluation.scaling.config import ScalingConfig
from tahr.evaluation.scaling.revision import Done, by_round
from tahr.rollout.judge import Judge, Judges
from tahr.store.records import EvaluationRow


@dataclass(slots=True, kw_only=True)
class ChatReviser:
    """Has a chat model look at its answers again, under one setting, as `tahr.evaluation.scaling.revision` does.

    Example: ``ChatReviser(chat=chat, verifiers=verifiers, sampling=sampling, seed=0)``
    """

    chat: ChatModel
    verifiers: Judges
    sampling: Sampling
    seed: int
    _judge: Judge = field(init=False)

    def __post_init__(self) -> None:
        self._judge = Judge(verifiers=self.verifiers)

    async def revise(
        self, answers: Sequence[Answered], config: ScalingConfig, on_done: Done
    ) -> dict[int, list[EvaluationRow]]:
        """Rows by round: 0 is the first answer. A round's tokens are those of all rounds up to it.

        Of a round's prompt what is new counts as read: the server's count less all that stood before. Unknown counts
        stay unknown (None). A request that the server refuses, for want of room as for any other reason, loses the
        rest of its chain. `on_done` is called once a chain.
        """
        chains = [self._chain(one, config, on_done) for one in answers if one.row.score is not None]
        return by_round(await asyncio.gather(*chains), config)

    async def _chain(self, answer: Answered, config: ScalingConfig, on_done: Done) -> list[EvaluationRow]:
        task, index = answer.task, answer.row.index
        order = Message(role="user", content=config.revise_text)
        history = [*task.prompt, Message(role="assistant", content=answer.scored.text)]
        rows, before = [answer.row], _sum(answer.row.num_prompt_tokens, answer.row.num_tokens)
        for number in range(1, config.rounds + 1):
            seed = derive_seed(self.seed, f"revise:{task.id}", number, index)
            try:
                reply = await self.chat.chat([*history, order], self.sampling, seed)
            except EngineError as error:
                rows += [lost_row(task, index, str(error))] * (config.rounds + 1 - number)
                break
            history += [order, Message(role="assistant", content=reply.text)]
            new = None if before is None or reply.num_prompt_tokens is None else reply.num_prompt_tokens - before
            row = await self._row(task, index, reply)
            last = rows[-1]
            rows.append(
                replace(
                    row,
                    num_tokens=_sum(last.num_tokens, reply.num_tokens),
                    num_prompt_tokens=_sum(last.num_prompt_tokens, None if new is None else max(0, new)),
                )
            )
            before = _sum(reply.num_prompt_tokens, reply.num_tokens)
        on_done()
        return rows

    async def _row(self, task: Task, index: int, reply: Reply) -> EvaluationRow:
        stopped = reply.finish_reason == FinishReason.STOP
        trajectory = Trajectory(
            task_id=task.id,
            group_id=task.id,
            index=index,
            turns=(),
            stop_reason=StopReason.FINISHED if stopped else StopReason.OUT_OF_BUDGET,
        )
        verdict = await self._judge.verdict(task, reply.text)
        row = evaluation_row(task, Scored(trajectory=trajectory, text=reply.text, verdict=verdict))
        return replace(row, finish_reason=str(reply.finish_reason))


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second
