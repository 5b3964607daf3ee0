"""The length of an answer: within bounds or not, or worth less the further it lies outside."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import RewardRange
from tahr.core.types import Outcome, Reward, Task, Verdict
from tahr.verifiers.example import shown_text
from tahr.verifiers.rewards.measure import Of, Unit, check_unit, chosen_part, pieces
from tahr.verifiers.structured.per_task import check_wanted, wanted


@verifiers.register("length")
@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """As many words, characters or tokens as asked for: the best of `worth` within the bounds, else less.

    Outside, the reward is the worst of `worth` at once (shape "step"), or falls to it over `margin` units, in a
    straight line or along half a cosine. A text of nothing is always worth the worst. Without arguments, each task's
    `answer` is a table of them.
    """

    min: Annotated[int, Field(ge=1, description="fewest units")] = 1
    max: Annotated[int | None, Field(ge=1, description="most units; no bound by default")] = None
    unit: Annotated[Unit, Field(description="what is counted")] = "words"
    tokenizer: Annotated[str | None, Field(description="a tokenizer.json, or its folder, to count tokens by")] = None
    of: Annotated[Of, Field(description="the answer, the thinking part, or the whole text")] = "answer"
    shape: Annotated[Literal["step", "linear", "cosine"], Field(description="how the reward falls outside")] = "step"
    margin: Annotated[int, Field(ge=1, description="units over which it falls (linear, cosine)")] = 100
    worth: Annotated[tuple[float, float], Field(description="the reward at worst and at best")] = (0.0, 1.0)

    def __post_init__(self) -> None:
        check_unit(self.unit, self.tokenizer)
        if self.max is not None and self.max < self.min:
            raise InputError("max is below min", received=f"{self.max} < {self.min}")
        if not (all(map(math.isfinite, self.worth)) and self.worth[0] < self.worth[1]):
            raise InputError("worth is the reward at worst, then at best", received=self.worth, instead="[0.0, 1.0]")

    @property
    def passes_unfinished(self) -> bool:
        """Whether it has nothing against an answer that never ends."""
        return self.max is None and self != Length()

    @property
    def reward_range(self) -> RewardRange:
        """From worst to best; a step has nothing in between. Without arguments, each task may have its own shape."""
        worst, best = self.worth
        between = self.shape != "step" or self == Length()
        return RewardRange(passing=(best, best), failing=(worst, best if between else worst))

    def check_task(self, task: Task) -> None:
        """Raise InputError where it isn't said what is wanted, or where a task sets its own worth."""
        check_wanted(self, task, "length")
        if wanted(self, task).worth != self.worth:
            raise InputError("what a length is worth is up to the recipe", instead="worth among the verifier's args")

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS within the bounds, else FAIL; the part ``length`` is the number of units."""
        form = wanted(self, task)
        length = len(pieces(chosen_part(text, form.of), form.unit, form.tokenizer))
        share = form._share(length)
        inside = share == 1.0
        note = f"{length} {form.unit}, {'within' if inside else 'outside'} {form.min} to {form.max or 'any number'}"
        value = form.worth[0] + (form.worth[1] - form.worth[0]) * share
        reward = Reward(value=value, parts={"correct": float(inside), "length": float(length)}, note=note)
        return Verdict(outcome=Outcome.PASS if inside else Outcome.FAIL, reward=reward, note=note)

    def gold(self, task: Task) -> str | None:
        """The task's example, or its answer where that is text; None without either."""
        return shown_text(task)

    def _share(self, length: int) -> float:
        """1 within the bounds, 0 where the reward is at its worst."""
        beyond = max(self.min - length, length - (length if self.max is None else self.max))
        if beyond <= 0:
            return 1.0
        if length == 0 or self.shape == "step" or beyond >= self.margin:
            return 0.0
        fallen = beyond / self.margin
        return 1 - fallen if self.shape == "linear" else (1 + math.cos(math.pi * fallen)) / 2
