"""Expressions as plain trees, and the bounds that every one of them keeps.

An expression is a number, a symbol or the application of a head to arguments. The bounds are checked while a tree is
built, before any arithmetic, so that no later stage meets more than it can handle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

MAX_CHARS = 4000
"""Longest text that is read as mathematics."""

MAX_NODES = 1500
"""Numbers, symbols and applications in one answer."""

MAX_DEPTH = 60
"""Nesting of one answer: braces, brackets, fractions, powers."""

MAX_DIGITS = 1000
"""Digits of one number as written."""

CALCULUS = frozenset({"integral", "sum", "product", "limit", "derivative"})
"""Heads that name a value without giving it."""


class NotMathError(ValueError):
    """The text can't be read as mathematics, or is out of bounds; the message says which."""


@dataclass(frozen=True, slots=True)
class Number:
    """An exact rational as written: an integer, a decimal, a fraction of two numbers, a mixed number.

    Example: ``Number(Fraction(7, 2))``
    """

    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    """A letter with its index, or a constant: "pi", "e", "i", "oo".

    Example: ``Symbol("x_1")``
    """

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """A head applied to arguments: "+", "*", "^" (two), "pm", "mp" (one), "sin", "log" (argument, base), "binom", ...

    Example: ``Apply("^", (Symbol("x"), Number(Fraction(2))))``
    """

    head: str
    args: tuple[Expression, ...]


Expression = Number | Symbol | Apply

ZERO, ONE, MINUS_ONE = Number(Fraction(0)), Number(Fraction(1)), Number(Fraction(-1))
HALF = Number(Fraction(1, 2))
INFINITY = Symbol("oo")
DEGREE = Apply("*", (Symbol("pi"), Number(Fraction(1, 180))))
CONSTANTS = frozenset({"pi", "e", "i", "oo"})


def negative(expression: Expression) -> Expression:
    """Minus an expression; a negative number stays one number."""
    if isinstance(expression, Number):
        return Number(-expression.value)
    return Apply("*", (MINUS_ONE, expression))


def quotient(above: Expression, below: Expression) -> Expression:
    """A fraction; one of two written numbers stays one number. Division by zero stays as it is."""
    if isinstance(above, Number) and isinstance(below, Number) and below.value:
        return Number(above.value / below.value)
    return Apply("*", (above, Apply("^", (below, MINUS_ONE))))


def product(factors: list[Expression]) -> Expression:
    """The product of one or more factors."""
    return factors[0] if len(factors) == 1 else Apply("*", tuple(factors))


def walk(expression: Expression) -> Iterator[Expression]:
    """Every node, parents first."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Apply):
            stack.extend(node.args)


def symbols(expression: Expression) -> set[str]:
    """Names of the symbols that are no constants."""
    return {node.name for node in walk(expression) if isinstance(node, Symbol)} - CONSTANTS


def heads(expression: Expression) -> set[str]:
    """Every head that is applied somewhere."""
    return {node.head for node in walk(expression) if isinstance(node, Apply)}


def substitute(expression: Expression, head: str, build: Any) -> Expression:
    """`expression` with every application of `head` replaced by `build(argument)`."""
    if not isinstance(expression, Apply):
        return expression
    args = tuple(substitute(argument, head, build) for argument in expression.args)
    return build(*args) if expression.head == head else Apply(expression.head, args)


def to_json(expression: Expression) -> Any:
    """Plain lists and strings, for another process: numbers in hexadecimal, which is linear in their length."""
    if isinstance(expression, Number):
        return {"n": [hex(expression.value.numerator), hex(expression.value.denominator)]}
    if isinstance(expression, Symbol):
        return expression.name
    return [expression.head, *map(to_json, expression.args)]


def from_json(value: Any) -> Expression:
    """The inverse of `to_json`."""
    if isinstance(value, dict):
        above, below = value["n"]
        return Number(Fraction(int(above, 16), int(below, 16)))
    if isinstance(value, str):
        return Symbol(value)
    return Apply(value[0], tuple(map(from_json, value[1:])))
