"""Whole-number arithmetic of graded levels."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Annotated, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.sources.stream import distinct, question


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What the expressions of one level are made of. Division is always without remainder.

    Example: ``Level(operations="+-", num_terms=2, digits=2, parentheses=False)`` gives ``47 - 12``
    """

    operations: str
    num_terms: int
    digits: int
    parentheses: bool = False


LEVELS = {
    1: Level(operations="+", num_terms=2, digits=1),
    2: Level(operations="+-", num_terms=2, digits=2),
    3: Level(operations="+-", num_terms=2, digits=3),
    4: Level(operations="+-", num_terms=3, digits=2),
    5: Level(operations="*", num_terms=2, digits=1),
    6: Level(operations="+-*", num_terms=3, digits=1),
    7: Level(operations="+-*", num_terms=3, digits=2, parentheses=True),
    8: Level(operations="+-*/", num_terms=3, digits=2, parentheses=True),
    9: Level(operations="+-*/", num_terms=4, digits=2, parentheses=True),
    10: Level(operations="+-*/", num_terms=5, digits=3, parentheses=True),
}


@task_sources.register("arithmetic")
@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """Work out an expression in whole numbers; levels 1 (one-digit sums) to 10 (five terms, all operations)."""

    levels: Annotated[
        tuple[Annotated[int, Field(ge=1, le=len(LEVELS))], ...],
        Field(min_length=1, description="levels that tasks are drawn from, each as often"),
    ] = (1, 2, 3)
    template: Annotated[str, Field(description="prompt; {expression} stands for what is worked out")] = (
        "What is {expression}?"
    )
    spaces: Annotated[bool, Field(description="spaces around the operators")] = True
    operations: Annotated[
        Literal["+", "-", "*", "+-", "+-*"] | None, Field(description="instead of the level's own operations")
    ] = None
    digits: Annotated[int | None, Field(ge=1, le=30, description="digits of a number, instead of the level's own")] = (
        None
    )

    def __post_init__(self) -> None:
        if "{expression}" not in self.template:
            raise InputError("the template has no {expression}", received=self.template, instead="'{expression}='")

    def generate(self, count: int, seed: int) -> list[Task]:
        """The first `count` distinct tasks of stream `seed`."""
        return distinct(self._draw, count, seed, "arithmetic")

    def _draw(self, random: Random) -> Task:
        number = random.choice(self.levels)
        level = LEVELS[number]
        operations, digits = self.operations or level.operations, self.digits or level.digits
        text, value, _ = _expression(random, operations, level.num_terms, digits, level.parentheses)
        expression = text if self.spaces else text.replace(" ", "")
        return Task(
            prompt=question(self.template.replace("{expression}", expression)),
            answer=str(value),
            verifier="numeric",
            meta={"level": number, "expression": expression},
        )


_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}


def _expression(random: Random, operations: str, terms: int, digits: int, parentheses: bool) -> tuple[str, int, int]:
    """An expression of `terms` numbers, its value, and the strength of its outermost operation (3 for a number).

    Without parentheses the tree leans left and strengthens nowhere, so that it reads from left to right as it is built.
    """
    if terms == 1:
        value = random.randint(0 if digits == 1 else 10 ** (digits - 1), 10**digits - 1)
        return str(value), value, 3
    split = random.randint(1, terms - 1) if parentheses else terms - 1
    left = _expression(random, operations, split, digits, parentheses)
    right = _expression(random, operations, terms - split, digits, parentheses)
    operation = random.choice(operations)
    if operation == "/" and left[2] == 3 and right[1] > 0:
        value = right[1] * random.randint(2, 12)
        left = (str(value), value, 3)
    elif operation == "/" and (right[1] == 0 or left[1] % right[1]):
        operation = random.choice(operations.replace("/", ""))
    if not parentheses and _STRENGTH[operation] > left[2]:
        operation = random.choice([sign for sign in operations if _STRENGTH[sign] <= left[2]] or "+")
    return _joined(left, operation, right)


def _joined(left: tuple[str, int, int], operation: str, right: tuple[str, int, int]) -> tuple[str, int, int]:
    """Two expressions under an operation, with the parentheses that it needs."""
    strength = _STRENGTH[operation]
    left_text = f"({left[0]})" if left[2] < strength else left[0]
    right_text = f"({right[0]})" if right[2] <= strength else right[0]
    a, b = left[1], right[1]
    value = {"+": a + b, "-": a - b, "*": a * b}[operation] if operation != "/" else a // b
    return f"{left_text} {operation} {right_text}", value, strength
