"""A reward made of several verifiers' rewards."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from tahr.core.config import Config
from tahr.core.errors import InputError
from tahr.core.protocols import Verifier, verifiers
from tahr.core.types import Outcome, Reward, Task, Verdict
from tahr.verifiers.example import example_of
from tahr.verifiers.limit import given_to

_ABSENT = {Outcome.TIMEOUT, Outcome.ERROR}


class Part(Config):
    """One verifier of a combination."""

    verifier: str = Field(description="a configured or registered verifier, or package.module:Name")
    args: dict[str, Any] = Field(default_factory=dict, description="its arguments, where it is not configured")
    name: str | None = Field(default=None, min_length=1, description="name in the logs; the verifier's by default")
    weight: float = Field(default=1.0, description="times the part's reward; below 0 is a penalty, 0 only logs")
    answer: str | None = Field(default=None, description="the key of the task's answer that this part judges")
    needed: bool = Field(default=True, description="without this part's reward there is none at all")
    decides: bool = Field(default=True, description="the whole is correct only where this part is")

    @property
    def label(self) -> str:
        """The name of the part in logs."""
        return self.name or self.verifier


@verifiers.register("weighted")
@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """Several verifiers' rewards as one: their weighted sum, product, minimum, or a sum behind a gate.

    With mode "gate" the first part must be correct, or the reward is 0. A part whose reward is absent makes the whole
    absent, unless it is not needed: then it is left out. Every part is logged under its own name.
    """

    parts: Annotated[tuple[Part, ...], Field(min_length=1, description="tables: verifier, weight, args, name, ...")]
    mode: Annotated[Literal["sum", "product", "min", "gate"], Field(description="how the rewards become one")] = "sum"
    verifiers: tuple[Verifier, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        labels = [part.label for part in self.parts]
        repeated = sorted({label for label in labels if labels.count(label) > 1 or label == "correct"})
        if repeated:
            raise InputError(
                "every part needs a name of its own, other than 'correct'",
                received=", ".join(repeated),
                instead='{ verifier = "regex", name = "format", ... }',
            )
        if not any(part.decides for part in self.parts):
            raise InputError("no part decides what is correct", instead="decides = true for at least one part")
        if all(part.weight == 0 for part in self.parts) or not all(math.isfinite(part.weight) for part in self.parts):
            raise InputError("weights must be finite and not all 0", received=[part.weight for part in self.parts])
        if self.mode in {"product", "min"} and any(part.weight <= 0 for part in self.parts):
            raise InputError(f"mode {self.mode!r} needs weights above 0", received=[part.weight for part in self.parts])

    def with_verifiers(self, resolve: Callable[[str, Mapping[str, Any]], Verifier]) -> Verifier:
        """A copy that holds its parts' verifiers."""
        built = replace(self)
        object.__setattr__(built, "verifiers", tuple(resolve(part.verifier, part.args) for part in self.parts))
        return built

    def reward_range(self) -> tuple[float, float]:
        """The lowest and the highest value that the combination can give."""
        ends = [_scaled_range(part.weight, verifier) for part, verifier in zip(self.parts, self.verifiers, strict=True)]
        lows, highs = [low for low, _ in ends], [high for _, high in ends]
        if self.mode == "min":
            return min(lows), min(highs)
        if self.mode == "product":
            return _product_range(ends)
        low, high = sum(lows), sum(highs)
        return (min(low, 0.0), max(high, 0.0)) if self.mode == "gate" else (low, high)

    def check_task(self, task: Task) -> None:
        """Raise InputError where a part can't judge the task."""
        for part, verifier in zip(self.parts, self.verifiers, strict=True):
            if part.answer is not None and (not isinstance(task.answer, dict) or part.answer not in task.answer):
                raise InputError(
                    f"the part {part.label!r} judges the key {part.answer!r} of the answer, which is missing",
                    received=repr(task.answer)[:200],
                )
            verifier.check_task(self._task_for(part, task))

    def verify(self, task: Task, text: str) -> Verdict:
        """The combined verdict; PASS where every part that decides passes, CHEAT where any part found cheating."""
        verdicts = [
            verifier.verify(given_to(verifier, self._task_for(part, task)), text)
            for part, verifier in zip(self.parts, self.verifiers, strict=True)
        ]
        judged = list(zip(self.parts, verdicts, strict=True))
        for part, verdict in judged:
            if verdict.reward is None and part.needed:
                return Verdict(outcome=verdict.outcome, reward=None, note=f"{part.label}: {verdict.note}")
        present = [(part, verdict, verdict.reward) for part, verdict in judged if verdict.reward is not None]
        if not present:
            return Verdict(outcome=verdicts[0].outcome, reward=None, note="no part has a reward")
        deciding = [verdict.outcome for part, verdict in judged if part.decides]
        cheated = any(verdict.outcome is Outcome.CHEAT for verdict in verdicts)
        correct = not cheated and all(outcome is Outcome.PASS for outcome in deciding)
        value = self._combine([(part, reward) for part, _, reward in present])
        outcome = Outcome.CHEAT if cheated else Outcome.PASS if correct else Outcome.FAIL
        note = "; ".join(f"{part.label}: {verdict.note}" for part, verdict in judged if verdict.note)
        reward = Reward(
            value=min(value, 0.0) if cheated else value,
            parts={"correct": float(correct), **_logged([(part, reward) for part, _, reward in present])},
            note=note,
        )
        extracted = next((verdict.extracted for _, verdict in judged if verdict.extracted is not None), None)
        return Verdict(outcome=outcome, reward=reward, extracted=extracted, note=note)

    def gold(self, task: Task) -> str | None:
        """The task's example, else the first part's own answer that every deciding part passes; None without any."""
        example = example_of(task)
        if example is not None:
            return example
        pairs = list(zip(self.parts, self.verifiers, strict=True))
        known = (verifier.gold(self._task_for(part, task)) for part, verifier in pairs)
        golds = [gold for gold in known if gold is not None]
        for text in golds:
            if self.verify(task, text).outcome is Outcome.PASS:
                return text
        return golds[0] if golds else None

    @staticmethod
    def _task_for(part: Part, task: Task) -> Task:
        return task if part.answer is None else replace(task, answer=task.answer[part.answer])

    def _combine(self, rewards: list[tuple[Part, Reward]]) -> float:
        values = [part.weight * reward.value for part, reward in rewards]
        if self.mode == "product":
            return math.prod(values)
        if self.mode == "min":
            return min(values)
        first, reward = rewards[0]
        closed = self.mode == "gate" and not (first is self.parts[0] and reward.parts.get("correct") == 1.0)
        return 0.0 if closed else sum(values)


def _logged(rewards: list[tuple[Part, Reward]]) -> dict[str, float]:
    """Each part's value under its name, and its own components as ``name.component``."""
    logged: dict[str, float] = {}
    for part, reward in rewards:
        logged[part.label] = reward.value
        logged |= {f"{part.label}.{name}": value for name, value in reward.parts.items()}
    return logged


def _scaled_range(weight: float, verifier: Verifier) -> tuple[float, float]:
    known = getattr(verifier, "reward_range", None)
    low, high = cast("tuple[float, float]", known()) if callable(known) else (0.0, 1.0)
    return min(weight * low, weight * high), max(weight * low, weight * high)


def _product_range(ends: list[tuple[float, float]]) -> tuple[float, float]:
    low, high = ends[0]
    for one, other in ends[1:]:
        corners = (low * one, low * other, high * one, high * other)
        low, high = min(corners), max(corners)
    return low, high
