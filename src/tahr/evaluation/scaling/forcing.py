"""Budget forcing: thinking is cut off at a number of tokens, or told to go on until then, and an answer is forced.

Source: Muennighoff et al., "s1: Simple test-time scaling" (arXiv 2501.19393), section 3.1. The budgets of one chain
cut the same thinking at different places: they differ by the budget alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tahr.core.errors import EngineError
from tahr.core.seeding import derive_seed
from tahr.core.types import FinishReason, Task, Turn
from tahr.evaluation.scaling.ask import Asker, lost_row
from tahr.evaluation.scaling.config import ScalingConfig
from tahr.store.records import EvaluationRow

_OPEN, _CLOSE = "<think>", "</think>"


@dataclass(slots=True)
class _Thought:
    """Thinking as it grows: ids, and for each how many tokens were sampled and read for it, (T,) each."""

    ids: list[int] = field(default_factory=list[int])
    sampled: list[int] = field(default_factory=list[int])
    read: list[int] = field(default_factory=list[int])

    def think(self, ids: Sequence[int]) -> None:
        self.ids += ids
        self.sampled += [1] * len(ids)
        self.read += [0] * len(ids)

    def go_on(self, ids: Sequence[int]) -> None:
        """`ids` in place of the sampled end of the turn, which was paid for too."""
        self.ids += ids
        self.sampled += [1, *[0] * (len(ids) - 1)]
        self.read += [1] * len(ids)


async def force(
    asker: Asker, tasks: Sequence[Task], budgets: Sequence[int], config: ScalingConfig, on_done: Callable[[], None]
) -> dict[int, list[EvaluationRow]]:
    """Rows by budget, of ``config.chains`` chains at each task. What is judged is the answer after ``answer_text``.

    Where thinking has ended ``max_waits`` times, it stays shorter than the budget. `on_done` is called once a chain.
    """
    chains = [
        _chain(asker, task, index, sorted(budgets), config, on_done) for task in tasks for index in range(config.chains)
    ]
    found = await asyncio.gather(*chains)
    return {budget: [chain[budget] for chain in found] for budget in budgets}


async def _chain(
    asker: Asker, task: Task, index: int, budgets: Sequence[int], config: ScalingConfig, on_done: Callable[[], None]
) -> dict[int, EvaluationRow]:
    prompt = asker.renderer.render(task.prompt)
    answers: dict[int, EvaluationRow] = {}
    try:
        thought = await _think(asker, task, index, prompt, budgets[-1], config)
        for budget in budgets:
            answers[budget] = await _answer(asker, task, index, prompt, thought, budget, config)
    except EngineError as error:
        answers |= {budget: lost_row(task, index, str(error)) for budget in budgets if budget not in answers}
    on_done()
    return answers


async def _think(
    asker: Asker, task: Task, index: int, prompt: Sequence[int], most: int, config: ScalingConfig
) -> _Thought:
    """Thinking of up to `most` tokens, less where the context ends or it was told to go on often enough."""
    thought, waits = _Thought(), asker.renderer.encode(config.wait_text)
    room = (
        asker.engine.max_context - len(prompt) - config.answer_tokens - len(asker.renderer.encode(_cue(config, True)))
    )
    most = max(0, min(most, room))
    for number in range(config.max_waits + 1):
        if len(thought.ids) >= most:
            break
        seed = derive_seed(asker.seed, f"think:{task.id}", number, index)
        completion = await asker.complete((*prompt, *thought.ids), most - len(thought.ids), seed)
        ended = completion.finish_reason is FinishReason.STOP
        thought.think(completion.token_ids[:-1] if ended else completion.token_ids)
        if not ended or number == config.max_waits:
            break
        thought.go_on(waits)
    return thought


async def _answer(
    asker: Asker,
    task: Task,
    index: int,
    prompt: Sequence[int],
    thought: _Thought,
    budget: int,
    config: ScalingConfig,
) -> EvaluationRow:
    ids = thought.ids[:budget]
    text = asker.renderer.decode((*prompt, *ids))
    cue = asker.renderer.encode(_cue(config, text.count(_OPEN) > text.count(_CLOSE)))
    whole = (*prompt, *ids, *cue)
    if not asker.has_room(whole):
        return lost_row(task, index, f"no room for an answer after {len(whole)} tokens")
    seed = derive_seed(asker.seed, f"answer:{task.id}", budget, index)
    completion = await asker.complete(whole, config.answer_tokens, seed)
    return await asker.row(
        task,
        index,
        [Turn(prompt_token_ids=whole, completion=completion)],
        num_sampled=sum(thought.sampled[:budget]) + len(completion.token_ids),
        num_read=len(prompt) + sum(thought.read[:budget]) + len(cue),
    )


def _cue(config: ScalingConfig, in_thought: bool) -> str:
    """What forces the answer; an open thought is closed first."""
    return f"\n{_CLOSE}\n{config.answer_text}" if in_thought else config.answer_text
