"""Sequential revision: the model looks at its answer and gives another, round after round.

Source: Madaan et al., "Self-Refine" (arXiv 2303.17651), without a separate critic; Snell et al. (arXiv 2408.03314),
section 6, measure the same knob with a model trained for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from tahr.core.errors import EngineError
from tahr.core.seeding import derive_seed
from tahr.core.types import Message, Scored, Task, Turn
from tahr.evaluation.scaling.ask import Answered, Asker, lost_row
from tahr.evaluation.scaling.config import ScalingConfig
from tahr.store.records import EvaluationRow

Done = Callable[[], None]


async def revise(
    asker: Asker, answers: Sequence[Answered], config: ScalingConfig, on_done: Done
) -> dict[int, list[EvaluationRow]]:
    """Rows by round: 0 is the first answer.

    A round's tokens are those of all rounds up to it; what was read once is not read again where the template appends.
    An answer that leaves no room for another round stands, and costs nothing more; rounds for which no answer leaves
    room are not there. `on_done` is called once a chain.
    """
    chains = [_chain(asker, one.task, one.scored, config, on_done) for one in answers if one.scored.trajectory.turns]
    return by_round(await asyncio.gather(*chains), config)


def by_round(chains: Sequence[Sequence[EvaluationRow]], config: ScalingConfig) -> dict[int, list[EvaluationRow]]:
    """Rows by round, of chains that may have ended early: their last answer stands."""
    played = max((len(chain) for chain in chains), default=0)
    return {
        number: [chain[min(number, len(chain) - 1)] for chain in chains]
        for number in range(min(played, 1 + config.rounds))
    }


async def _chain(asker: Asker, task: Task, scored: Scored, config: ScalingConfig, on_done: Done) -> list[EvaluationRow]:
    """One attempt and its revisions, fewer than asked for where the context is full."""
    index, turns = scored.trajectory.index, [scored.trajectory.turns[-1]]
    history = [*task.prompt, Message(role="assistant", content=scored.text)]
    num_read, num_sampled = len(turns[0].prompt_token_ids), len(turns[0].completion.token_ids)
    rows = [await asker.row(task, index, turns, num_sampled=num_sampled, num_read=num_read)]
    order = Message(role="user", content=config.revise_text)
    for number in range(1, config.rounds + 1):
        before = (*turns[-1].prompt_token_ids, *turns[-1].completion.token_ids)
        appended = asker.renderer.extend(before, [order], history=history)
        prompt = appended or asker.renderer.render([*history, order])
        if not asker.has_room(prompt):
            break
        seed = derive_seed(asker.seed, f"revise:{task.id}", number, index)
        try:
            completion = await asker.complete(prompt, asker.sampling.max_new_tokens, seed)
        except EngineError as error:
            rows += [lost_row(task, index, str(error))] * (config.rounds + 1 - number)
            break
        turns.append(Turn(prompt_token_ids=tuple(prompt), completion=completion))
        history += [order, Message(role="assistant", content=asker.renderer.decode(completion.token_ids))]
        num_read += len(prompt) - (len(before) if appended else 0)
        num_sampled += len(completion.token_ids)
        rows.append(await asker.row(task, index, turns, num_sampled=num_sampled, num_read=num_read))
    on_done()
    return rows
