r"""Exact comparison of numbers.

Where the answer is looked for, in order, outside the thinking part: the last ``\boxed{}``; what follows the last
"answer is", "final answer" or "####"; the last number of the text. An answer of several values, a hedge, a negation
or an unevaluated sum is not a number and fails.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.verifiers.example import example_of
from tahr.verifiers.extract import Found, find_answer
from tahr.verifiers.math.units import canonical
from tahr.verifiers.numbers import Quantity, parse_quantity
from tahr.verifiers.text import plain

Place = Literal["any", "marked", "boxed", "whole"]
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


@verifiers.register("numeric")
@dataclass(frozen=True, slots=True, kw_only=True)
class Numeric:
    """A number equal to the task's answer, in exact rational arithmetic: 1/2, 0.5, 50% and 5e-1 are equal.

    A task may state its own tolerance in `meta["tolerance"]`, which goes before the verifier's. A unit that only one
    side states is ignored; different units fail.
    """

    place: Annotated[
        Place,
        Field(description="where the answer must stand: boxed; marked (or boxed); any of the three; the whole text"),
    ] = "any"
    tolerance: Annotated[float, Field(ge=0, description="largest absolute difference that passes; 0 is exact")] = 0.0
    percent: Annotated[
        Literal["hundredth", "unit"],
        Field(description="25% is 0.25, or is 25 with a unit that may be left out"),
    ] = "hundredth"

    reward_range: ClassVar[RewardRange] = BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError unless the answer is one number within the bounds, and the tolerance is a number."""
        if self._quantity(task.answer) is None:
            raise InputError(
                "the numeric verifier needs one number as the answer",
                received=repr(task.answer)[:200],
                instead='a number, or a string such as "-3", "1,234.5", "3/4", "2 1/2", "15%", "6.02e23"',
            )
        tolerance = task.meta.get("tolerance", 0)
        if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < float("inf"):
            raise InputError("meta.tolerance must be a number from 0 up", received=repr(tolerance)[:200])

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where the text's one answer equals the task's."""
        gold = self._quantity(task.answer)
        assert gold is not None, "check_task refuses such a task"
        found = self._found(task, text)
        if found.text is None:
            return failed(found.reason)
        answer = self._quantity(found.text)
        if answer is None:
            return failed(f"{found.text[:80]!r} is not one number", extracted=found.text[:200])
        return self._compare(answer, gold, Fraction(task.meta.get("tolerance", self.tolerance)), found.text)

    def gold(self, task: Task) -> str:
        """The task's example where there is one, else the answer."""
        return example_of(task) or str(task.answer)

    def _found(self, task: Task, text: str) -> Found:
        if _INTEGER.fullmatch(bare := text.strip()) and self.place in {"any", "whole"}:
            return Found(text=bare)
        return find_answer(text, place=self.place, question=task.prompt[-1].content if task.prompt else "")

    def _quantity(self, value: Any) -> Quantity | None:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        text = plain(str(value)).strip()
        if self.percent == "unit":
            text = text.replace("\\%", "%").removesuffix("%")
        return parse_quantity(text)

    @staticmethod
    def _compare(answer: Quantity, gold: Quantity, tolerance: Fraction, text: str) -> Verdict:
        if answer.unit and gold.unit and canonical(answer.unit) != canonical(gold.unit):
            return failed(f"the unit is {answer.unit!r}, not {gold.unit!r}", extracted=text)
        if abs(answer.value - gold.value) <= tolerance:
            return passed(f"{text[:80]} equals {_show(gold)}", extracted=text)
        return failed(f"{text[:80]} is not {_show(gold)}", extracted=text)


def _show(quantity: Quantity) -> str:
    digits = str(quantity.value)
    return digits if len(digits) <= 60 else digits[:57] + "..."
