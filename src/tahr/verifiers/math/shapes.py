"""What an answer as a whole can be: a value, several values, a set of reals, a statement, or words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tahr.verifiers.math.tree import Expression


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value with its unit ("" for none).

    Example: ``Scalar(Number(Fraction(5)), "cm")``
    """

    value: Expression
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Several values. `kind` says how they were written; "or" and "list" have no brackets, "tuple" has () or [].

    Example: ``Group("set", (Scalar(Number(Fraction(1))), Scalar(Number(Fraction(2)))))``
    """

    kind: Literal["list", "or", "set", "tuple"]
    items: tuple[Shape, ...]
    brackets: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """An interval of reals from `low` to `high`; ``closed[0]`` says whether `low` belongs to it.

    Example: ``Piece(Number(Fraction(1)), Symbol("oo"), (True, False))`` for [1, oo)
    """

    low: Expression
    high: Expression
    closed: tuple[bool, bool]


@dataclass(frozen=True, slots=True)
class Reals:
    """A set of reals as a union of intervals; `name` is the variable that it restricts, "" where none is named.

    Example: ``Reals((Piece(Number(Fraction(1)), Symbol("oo"), (True, False)),), "x")``
    """

    pieces: tuple[Piece, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A name and what it equals: ``x = 5``, ``f(x) = 2x``, ``AB = 3``.

    Example: ``Named("x", Scalar(Number(Fraction(5))), Symbol("x"))``
    """

    name: str
    shape: Shape
    left: Expression


@dataclass(frozen=True, slots=True)
class Statement:
    """A chain of relations that is neither a name's value nor an interval: ``2x + y = 7``, ``x^2 < y``.

    Example: ``Statement((left, right), ("=",))``
    """

    sides: tuple[Expression, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ratio:
    """Numbers with colons between them: ``3:2``, or a time of day.

    Example: ``Ratio((Number(Fraction(3)), Number(Fraction(2))), "3:2")``
    """

    parts: tuple[Expression, ...]
    written: str


@dataclass(frozen=True, slots=True)
class Words:
    """Text that is no mathematics, as it is compared: case, punctuation and articles left out.

    Example: ``Words("evelyn")``
    """

    text: str


Shape = Scalar | Group | Reals | Named | Statement | Ratio | Words
