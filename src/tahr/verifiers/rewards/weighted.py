"""A reward made of several verifiers' rewards."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import Field

from tahr.core.errors import InputError, raise_all
from tahr.core.protocols import Verifier, verifiers
from tahr.core.ranges import RewardRange
from tahr.core.types import Outcome, Reward, Task, Verdict
from tahr.verifiers.example import example_of
from tahr.verifiers.limit import given_to
from tahr.verifiers.rewards.combine import Mode, Part, combine, combined_range, counted, is_correct

MAX_PARTS = 10


@verifiers.register("weighted")
@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """Several verifiers' rewards as one: their weighted sum, product, minimum, or a sum that is cut short.

    With mode "gate" the first part must be correct, or the reward is 0; with "first_failing" the sum ends with the
    first part that is not correct. A part whose reward is absent makes the whole absent, unless it is not needed: then
    it is left out. Every part is logged under its own name.
    """

    parts: Annotated[
        tuple[Part, ...],
        Field(min_length=1, max_length=MAX_PARTS, description="tables: verifier, weight, args, name, ..."),
    ]
    mode: Annotated[Mode, Field(description="how the rewards become one")] = "sum"
    verifiers: tuple[Verifier, ...] = field(default=(), init=False)
    reward_range: RewardRange | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        labels = [part.label for part in self.parts]
        repeated = sorted({label for label in labels if labels.count(label) > 1 or label == "correct"})
        if repeated:
            raise InputError(
                "every part needs a name of its own, other than 'correct'",
                received=", ".join(repeated),
                instead='{ verifier = "regex", name = "format", ... }',
            )
        self._check_weights()
        self._check_roles()

    def _check_weights(self) -> None:
        weights = [part.weight for part in self.parts]
        if not any(weights) or not all(map(math.isfinite, weights)):
            raise InputError("weights must be finite and not all 0", received=weights)
        if self.mode in {"product", "min"} and min(weights) <= 0:
            raise InputError(f"mode {self.mode!r} needs weights above 0", received=weights)

    def _check_roles(self) -> None:
        if not any(part.decides for part in self.parts):
            raise InputError("no part decides what is correct", instead="decides = true for at least one part")
        if self.mode == "gate" and not (self.parts[0].needed and self.parts[0].when == "always"):
            raise InputError(
                f"the first part, {self.parts[0].label!r}, is the gate: its reward can't be left out",
                instead='needed = true and when = "always" for it',
            )
        for part in self.parts:
            if part.decides and part.when != "always":
                raise InputError(
                    f"the part {part.label!r} decides what is correct, so it can't count only when that is known",
                    received=f'when = "{part.when}"',
                    instead='decides = false, or when = "always"',
                )

    def with_verifiers(self, resolve: Callable[[str, Mapping[str, Any]], Verifier]) -> Verifier:
        """A copy that holds its parts' verifiers, and knows its range where they all know theirs."""
        built = replace(self)
        parts = self._built(resolve)
        object.__setattr__(built, "verifiers", parts)
        ranges = [getattr(part, "reward_range", None) for part in parts]
        known = [one for one in ranges if isinstance(one, RewardRange)]
        if len(known) == len(parts):
            object.__setattr__(built, "reward_range", combined_range(self.parts, known, self.mode))
        return built

    @property
    def passes_unfinished(self) -> bool:
        """Whether every part that decides says so, and no other part says the contrary."""
        said = [getattr(one, "passes_unfinished", None) for one in self.verifiers]
        decides = [one is True for one, part in zip(said, self.parts, strict=True) if part.decides]
        return bool(said) and all(decides) and False not in said

    def _built(self, resolve: Callable[[str, Mapping[str, Any]], Verifier]) -> tuple[Verifier, ...]:
        """Every part's verifier. Raises InputError with the faults of all parts."""
        built: list[Verifier] = []
        faults: list[InputError] = []
        for part in self.parts:
            try:
                built.append(resolve(part.verifier, part.args))
            except InputError as error:
                faults.append(error)
        raise_all(faults)
        return tuple(built)

    def check_task(self, task: Task) -> None:
        """Raise InputError where a part can't judge the task.

        A part needs no example of its own where the whole has a text that passes, or where it decides nothing.
        """
        for part in self.parts:
            if part.answer is not None and (not isinstance(task.answer, dict) or part.answer not in task.answer):
                raise InputError(
                    f"the part {part.label!r} judges the key {part.answer!r} of the answer, which is missing",
                    received=repr(task.answer)[:200],
                )
        example = example_of(task)
        for part, verifier in zip(self.parts, self.verifiers, strict=True):
            given = self._task_for(part, task)
            if example is None and not part.decides:
                given = replace(given, meta={**task.meta, "example": "not asked for"})
            verifier.check_task(given)

    def verify(self, task: Task, text: str) -> Verdict:
        """The combined verdict; PASS where every part that decides passes, CHEAT where any part found cheating."""
        verdicts = [
            verifier.verify(given_to(verifier, self._task_for(part, task)), text)
            for part, verifier in zip(self.parts, self.verifiers, strict=True)
        ]
        for part, verdict in zip(self.parts, verdicts, strict=True):
            if verdict.reward is None and part.needed:
                return Verdict(outcome=verdict.outcome, reward=None, note=f"{part.label}: {verdict.note}")
        outcomes = [verdict.outcome for verdict in verdicts]
        chosen = counted(self.parts, outcomes, self.mode)
        note = "; ".join(
            f"{part.label}: {verdict.note}" for part, verdict in zip(self.parts, verdicts, strict=True) if verdict.note
        )
        if chosen is None:
            return Verdict(outcome=_first_absent(outcomes), reward=None, note=f"no part has a reward ({note})")
        value = combine([_worth(self.parts[i], verdicts[i]) for i in chosen], self.mode)
        correct, cheated = is_correct(self.parts, outcomes), Outcome.CHEAT in outcomes
        reward = Reward(
            value=min(value, 0.0) if cheated else value,
            parts={"correct": float(correct), **_logged(self.parts, verdicts)},
            note=note,
        )
        outcome = Outcome.CHEAT if cheated else Outcome.PASS if correct else Outcome.FAIL
        extracted = next((verdict.extracted for verdict in verdicts if verdict.extracted is not None), None)
        return Verdict(outcome=outcome, reward=reward, extracted=extracted, note=note)

    def gold(self, task: Task) -> str | None:
        """The task's example, else the first part's own answer that every deciding part passes; None without any."""
        example = example_of(task)
        if example is not None:
            return example
        golds = [
            gold
            for part, verifier in zip(self.parts, self.verifiers, strict=True)
            if part.decides and (gold := verifier.gold(self._task_for(part, task))) is not None
        ]
        for text in golds:
            if self.verify(task, text).outcome is Outcome.PASS:
                return text
        return golds[0] if golds else None

    @staticmethod
    def _task_for(part: Part, task: Task) -> Task:
        return task if part.answer is None else replace(task, answer=task.answer[part.answer])


def _worth(part: Part, verdict: Verdict) -> float:
    assert verdict.reward is not None
    return part.worth(verdict.outcome, verdict.reward)


def _first_absent(outcomes: list[Outcome]) -> Outcome:
    """What the whole is called where no part that applies has a reward: some part that decides has none."""
    return next(outcome for outcome in outcomes if outcome in {Outcome.TIMEOUT, Outcome.ERROR})


def _logged(parts: tuple[Part, ...], verdicts: list[Verdict]) -> dict[str, float]:
    """Each part's value under its name, its own components as ``name.component``, and whether it is absent.

    ``name.absent`` is there for parts that may be: its mean over a step is the share of attempts without that part.
    """
    logged: dict[str, float] = {}
    for part, verdict in zip(parts, verdicts, strict=True):
        if verdict.reward is not None:
            logged[part.label] = verdict.reward.value
            logged |= {f"{part.label}.{name}": value for name, value in verdict.reward.parts.items()}
        if not part.needed:
            logged[f"{part.label}.absent"] = float(verdict.reward is None)
    return logged
