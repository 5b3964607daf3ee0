"""Which training example comes next, as a pure function of how many came before."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.seeding import stream

T = TypeVar("T")

BLOCK = 1000  # draws within which every set gets exactly its share


class Mixture(Generic[T]):
    """A weighted mixture of sets (of tasks, of chats) without state: a run resumes from the number of draws so far.

    Of every `BLOCK` draws, each set gets its share, at least one draw, in an order shuffled by the seed. Within a set,
    the draws are without replacement: every task once, in shuffled order, before any comes again.

    >>> from tahr.core.types import Message, Task
    >>> tasks = [Task(prompt=(Message(role="user", content=str(i)),), answer="", verifier="exact") for i in range(5)]
    >>> mixture = Mixture({"numbers": tasks}, {"numbers": 1.0}, seed=0)
    >>> mixture.take(0, 3) + mixture.take(3, 2) == mixture.take(0, 5)
    True
    """

    def __init__(self, task_sets: Mapping[str, Sequence[T]], weights: Mapping[str, float], *, seed: int) -> None:
        for name, weight in weights.items():
            if name not in task_sets:
                raise UnknownNameError("task set", name, task_sets)
            if not (math.isfinite(weight) and weight >= 0):
                raise InputError(f"the weight of {name!r} must be a number from 0 up", received=weight)
        self._sets = [(name, list(task_sets[name])) for name, weight in sorted(weights.items()) if weight > 0]
        if not self._sets or len(self._sets) > BLOCK:
            raise InputError("a mixture needs one to 1000 task sets with a weight above 0", received=dict(weights))
        for name, tasks in self._sets:
            if not tasks:
                raise InputError(f"the task set {name!r} has no tasks to draw")
        self._shares = _shares([weights[name] for name, _ in self._sets])
        self._seed = seed
        self._block = lru_cache(maxsize=2)(self._shuffled_block)
        self._order = lru_cache(maxsize=2 * len(self._sets))(self._shuffled_order)

    def take(self, cursor: int, count: int) -> list[T]:
        """Tasks number `cursor` to `cursor + count - 1` of the endless stream."""
        return [self._at(position) for position in range(cursor, cursor + count)]

    def _at(self, position: int) -> T:
        block, place = divmod(position, BLOCK)
        chosen, earlier_in_block = self._block(block)[place]
        drawn_before = block * self._shares[chosen] + earlier_in_block
        tasks = self._sets[chosen][1]
        epoch, index = divmod(drawn_before, len(tasks))
        return tasks[self._order(chosen, epoch)[index]]

    def _shuffled_block(self, block: int) -> list[tuple[int, int]]:
        """For each place of a block: which set is drawn from, and how often it was in this block before."""
        order = [index for index, share in enumerate(self._shares) for _ in range(share)]
        stream(self._seed, "mixture.block", step=block).shuffle(order)
        drawn = [0] * len(self._shares)
        places: list[tuple[int, int]] = []
        for chosen in order:
            places.append((chosen, drawn[chosen]))
            drawn[chosen] += 1
        return places

    def _shuffled_order(self, chosen: int, epoch: int) -> list[int]:
        name, tasks = self._sets[chosen]
        order = list(range(len(tasks)))
        stream(self._seed, f"mixture.order.{name}", step=epoch).shuffle(order)
        return order


def _shares(weights: Sequence[float]) -> list[int]:
    """Whole shares of `BLOCK` draws, each at least 1 and otherwise as near to its weight as the sum allows."""
    total = math.fsum(weights)
    exact = [BLOCK * weight / total for weight in weights]
    shares = [max(1, math.floor(share)) for share in exact]
    while sum(shares) != BLOCK:
        lacking = sum(shares) < BLOCK
        free = [index for index, share in enumerate(shares) if lacking or share > 1]
        chosen = (max if lacking else min)(free, key=lambda index: exact[index] - shares[index])
        shares[chosen] += 1 if lacking else -1
    return shares
