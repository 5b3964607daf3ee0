"""Tasks on strings of letters: short enough for a character-level model made from scratch."""

from __future__ import annotations

import string
from dataclasses import dataclass
from random import Random
from typing import Annotated, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.sources.stream import distinct, question

Length = Annotated[int, Field(ge=1, le=1000)]


@task_sources.register("reverse_text")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReverseText:
    """Write lower-case letters backwards: ``reverse: abc`` -> ``cba``."""

    min_length: Annotated[Length, Field(description="fewest letters")] = 3
    max_length: Annotated[Length, Field(description="most letters")] = 8

    def __post_init__(self) -> None:
        check_range("min_length", self.min_length, "max_length", self.max_length)

    def generate(self, count: int, seed: int) -> list[Task]:
        """The first `count` distinct tasks of stream `seed`."""
        return distinct(self._draw, count, seed, "reverse_text")

    def _draw(self, random: Random) -> Task:
        length = random.randint(self.min_length, self.max_length)
        letters = "".join(random.choices(string.ascii_lowercase, k=length))
        return Task(
            prompt=question(f"reverse: {letters}"),
            answer=letters[::-1],
            verifier="exact",
            meta={"length": length},
        )


@task_sources.register("sort")
@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """Put letters or numbers in ascending order: ``sort: d a c`` -> ``a c d``."""

    items: Annotated[Literal["letters", "numbers"], Field(description="what is sorted")] = "letters"
    min_length: Annotated[Length, Field(description="fewest items")] = 3
    max_length: Annotated[Length, Field(description="most items")] = 8
    max_number: Annotated[int, Field(ge=1, le=10**9, description="numbers are drawn from 0 to this")] = 99

    def __post_init__(self) -> None:
        check_range("min_length", self.min_length, "max_length", self.max_length)

    def generate(self, count: int, seed: int) -> list[Task]:
        """The first `count` distinct tasks of stream `seed`."""
        return distinct(self._draw, count, seed, f"sort.{self.items}")

    def _draw(self, random: Random) -> Task:
        length = random.randint(self.min_length, self.max_length)
        if self.items == "letters":
            items = random.choices(string.ascii_lowercase, k=length)
            ordered = sorted(items)
        else:
            numbers = [random.randint(0, self.max_number) for _ in range(length)]
            items, ordered = [str(number) for number in numbers], [str(number) for number in sorted(numbers)]
        return Task(
            prompt=question(f"sort: {' '.join(items)}"),
            answer=" ".join(ordered),
            verifier="exact",
            meta={"length": length},
        )


def check_range(low_name: str, low: int, high_name: str, high: int) -> None:
    """Raise InputError where `low` is above `high`."""
    if low > high:
        raise InputError(
            f"{low_name} must not be above {high_name}", received=f"{low_name} = {low}, {high_name} = {high}"
        )
