"""The countdown game: numbers, a target, and always a way to reach it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Annotated

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.sources.letters import check_range
from tahr.data.sources.stream import distinct, question

MAX_TRIES = 5000
PROMPT = (
    "Use the numbers {numbers} to make {target}. Each number may be used at most once, with + - * / and parentheses. "
    "Answer with the expression."
)


@task_sources.register("countdown")
@dataclass(frozen=True, slots=True, kw_only=True)
class Countdown:
    """Reach a target with given numbers, each at most once. Every task comes with an expression that does."""

    min_numbers: Annotated[int, Field(ge=2, le=10, description="fewest numbers given")] = 3
    max_numbers: Annotated[int, Field(ge=2, le=10, description="most numbers given")] = 4
    max_number: Annotated[int, Field(ge=2, le=1000, description="numbers are drawn from 1 to this")] = 25
    max_target: Annotated[int, Field(ge=10, le=100_000, description="targets are from 1 to this")] = 100
    use_all: Annotated[bool, Field(description="every target is reached with all numbers")] = False
    template: Annotated[str, Field(description="prompt; {numbers} and {target} are filled in")] = PROMPT

    def __post_init__(self) -> None:
        check_range("min_numbers", self.min_numbers, "max_numbers", self.max_numbers)
        for slot in ("{numbers}", "{target}"):
            if slot not in self.template:
                raise InputError(f"the template has no {slot}", received=self.template, instead=PROMPT)

    def generate(self, count: int, seed: int) -> list[Task]:
        """The first `count` distinct tasks of stream `seed`."""
        return distinct(self._draw, count, seed, "countdown")

    def _draw(self, random: Random) -> Task:
        for _ in range(MAX_TRIES):
            amount = random.randint(self.min_numbers, self.max_numbers)
            numbers = [random.randint(1, self.max_number) for _ in range(amount)]
            num_used = amount if self.use_all else random.randint(2, amount)
            value, expression = _combine(random, random.sample(numbers, num_used))
            if value.denominator == 1 and 1 <= value <= self.max_target and value not in numbers:
                return self._task(numbers, int(value), expression)
        raise InputError(
            "hardly any draw of the numbers reaches a target in bounds",
            received=f"max_number = {self.max_number}, max_target = {self.max_target}",
            instead="a larger max_target, or fewer or smaller numbers",
        )

    def _task(self, numbers: list[int], target: int, expression: str) -> Task:
        listed = ", ".join(map(str, numbers))
        return Task(
            prompt=question(self.template.replace("{numbers}", listed).replace("{target}", str(target))),
            answer={"numbers": numbers, "target": target},
            verifier="countdown",
            meta={"example": expression, "num_numbers": len(numbers)},
        )


def _combine(random: Random, numbers: list[int]) -> tuple[Fraction, str]:
    """Join numbers two by two with random operations, whole and positive all the way as people play it."""
    parts = [(Fraction(number), str(number)) for number in numbers]
    while len(parts) > 1:
        first, second = (parts.pop(random.randrange(len(parts))) for _ in range(2))
        if first[0] < second[0]:
            first, second = second, first
        sign = random.choice([sign for sign in "+-*/" if _playable(sign, first[0], second[0])])
        value = _apply(sign, first[0], second[0])
        parts.append((value, f"({first[1]} {sign} {second[1]})"))
    value, expression = parts[0]
    return value, expression.removeprefix("(").removesuffix(")") if len(numbers) > 1 else expression


def _playable(sign: str, larger: Fraction, smaller: Fraction) -> bool:
    if sign == "-":
        return larger > smaller
    return sign != "/" or (larger / smaller).denominator == 1


def _apply(sign: str, first: Fraction, second: Fraction) -> Fraction:
    if sign == "/":
        return first / second
    return {"+": first + second, "-": first - second, "*": first * second}[sign]
