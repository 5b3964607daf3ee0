"""How much a text repeats itself, by its runs of words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import RewardRange
from tahr.core.types import Outcome, Reward, Task, Verdict
from tahr.verifiers.example import needed_text
from tahr.verifiers.rewards.measure import Of, Unit, check_unit, chosen_part, pieces


@verifiers.register("repetition")
@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Worth the best where few runs of `n` words were there before, falling in a line to the worst where many were.

    The share is ``1 - different runs / all runs``. The task's answer plays no role: this is meant as a part of a
    combination. A text shorter than `min_length` is worth the worst, so that saying nothing is no way out.
    """

    n: Annotated[int, Field(ge=1, le=100, description="units in a run")] = 4
    allowed: Annotated[float, Field(ge=0, lt=1, description="share of repeated runs that costs nothing")] = 0.1
    worst_at: Annotated[float, Field(gt=0, le=1, description="share at which the reward is at its worst")] = 0.5
    min_length: Annotated[int, Field(ge=1, description="fewest units that are judged at all")] = 1
    unit: Annotated[Unit, Field(description="what a run is made of")] = "words"
    tokenizer: Annotated[str | None, Field(description="a tokenizer.json, or its folder, to count tokens by")] = None
    of: Annotated[Of, Field(description="the answer, the thinking part, or the whole text")] = "answer"
    worth: Annotated[tuple[float, float], Field(description="the reward at worst and at best")] = (0.0, 1.0)

    def __post_init__(self) -> None:
        check_unit(self.unit, self.tokenizer)
        if self.worst_at <= self.allowed:
            raise InputError("worst_at lies above allowed", received=f"{self.worst_at} and {self.allowed}")
        if not (all(map(math.isfinite, self.worth)) and self.worth[0] < self.worth[1]):
            raise InputError("worth is the reward at worst, then at best", received=self.worth, instead="[0.0, 1.0]")

    @property
    def reward_range(self) -> RewardRange:
        """From worst to best."""
        return RewardRange(passing=(self.worth[1], self.worth[1]), failing=self.worth)

    def check_task(self, task: Task) -> None:
        """Raise InputError where the task has neither an example nor a text as its answer."""
        needed_text(task, "repetition")

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS up to the allowed share, else FAIL; the part ``repeated`` is the share."""
        found = pieces(chosen_part(text, self.of), self.unit, self.tokenizer)
        repeated = repeated_share(found, self.n)
        fallen = (repeated - self.allowed) / (self.worst_at - self.allowed)
        short = len(found) < self.min_length
        share = 0.0 if short else 1 - min(max(fallen, 0.0), 1.0)
        passes = not short and repeated <= self.allowed
        note = f"{len(found)} {self.unit}" if short else f"{repeated:.0%} of the runs of {self.n} {self.unit} repeat"
        value = self.worth[0] + (self.worth[1] - self.worth[0]) * share
        reward = Reward(value=value, parts={"correct": float(passes), "repeated": repeated}, note=note)
        return Verdict(outcome=Outcome.PASS if passes else Outcome.FAIL, reward=reward, note=note)

    def gold(self, task: Task) -> str:
        """The task's example, else its answer."""
        return needed_text(task, "repetition")


def repeated_share(found: Sequence[Any], n: int) -> float:
    """The share of runs of `n` that stand earlier in `found` too; 0 where there are none.

    >>> repeated_share("a b a b a".split(), 2)
    0.5
    """
    total = len(found) - n + 1
    if total < 1:
        return 0.0
    return 1 - len({tuple(found[start : start + n]) for start in range(total)}) / total
