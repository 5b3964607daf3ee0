"""A family of coding problems: a statement and a reference with gaps, and a way to draw inputs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from string import Template
from textwrap import dedent, indent
from typing import Any

Values = Mapping[str, Any]


def _nothing(_: Random) -> Values:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One member of a family: the gaps are filled.

    `source` defines the function `name`; `wrong` are sources of plausible mistakes that every set of tests must catch.

    Example: ``Problem(family=family, asks="the sum of the elements of `numbers` that are even", source="def f(...)...",
    wrong=(), values={"k": 3})``
    """

    family: Family
    asks: str
    source: str
    wrong: tuple[str, ...]
    values: Values

    def draw_input(self, random: Random) -> tuple[Any, ...]:
        """Arguments of one call."""
        return self.family.inputs(random, self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Problems that differ in what `draw` fills into the gaps (``$k``) of `asks` and `body`.

    `arguments` is the function's signature with annotations, `asks` a phrase behind "returns", `wordings` other phrases
    that mean the same, and `body` its lines. `traps` are replacements in the body that make plausible mistakes of it.
    `level` goes from 0 (one expression) over 1 (one loop) to 5 (a known algorithm with a twist).

    Example: ``Family(name="scaled", level=1, arguments="x: int", returns="int", asks="$k times `x`",
    body="return $k * x", draw=lambda r: {"k": r.randint(2, 9)}, inputs=lambda r, v: (r.randint(-9, 9),))``
    """

    name: str
    level: int
    arguments: str
    returns: str
    asks: str
    body: str
    inputs: Callable[[Random, Values], tuple[Any, ...]]
    wordings: tuple[str, ...] = ()
    draw: Callable[[Random], Values] = _nothing
    traps: tuple[tuple[str, str], ...] = ()
    tolerance: float = 0.0

    @property
    def signature(self) -> str:
        """``name(arguments) -> returns``."""
        return f"{self.name}({self.arguments}) -> {self.returns}"

    @property
    def argument_types(self) -> dict[str, str]:
        """Annotations by the arguments' names."""
        function = ast.parse(f"def f({self.arguments}): ...").body[0]
        assert isinstance(function, ast.FunctionDef)
        return {one.arg: ast.unparse(one.annotation) for one in function.args.args if one.annotation}

    def problem(self, random: Random) -> Problem:
        """A problem whose gaps are filled at random. Raises ValueError for a trap that changes nothing."""
        values = self.draw(random)
        asks = random.choice((self.asks, *self.wordings))
        body = dedent(self.body).strip()
        wrong: list[str] = []
        for old, new in self.traps:
            if old not in body:
                raise ValueError(f"{self.name}: the trap {old!r} is not in the body")
            wrong.append(self._source(body.replace(old, new, 1), values))
        return Problem(
            family=self,
            asks=" ".join(Template(asks).substitute(values).split()),
            source=self._source(body, values),
            wrong=tuple(wrong),
            values=values,
        )

    def _source(self, body: str, values: Values) -> str:
        filled = Template(body).substitute(values)
        return f"def {self.signature}:\n{indent(filled, '    ')}\n"
