"""Applications of named functions as trees: roots and exponentials are powers, every logarithm has its base."""

from __future__ import annotations

from fractions import Fraction

from tahr.verifiers.math import tree
from tahr.verifiers.math.tree import Apply, Expression, Number, Symbol, quotient
from tahr.verifiers.math.vocabulary import NUMBER_WORDS


def applied(name: str, argument: Expression, index: Expression | None) -> Expression:
    """The function `name` of `argument`; `index` is the degree of a root or the base of a logarithm."""
    if name in {"sqrt", "cbrt"}:
        return Apply("^", (argument, quotient(tree.ONE, index or Number(Fraction(2 if name == "sqrt" else 3)))))
    if name == "exp":
        return Apply("^", (Symbol("e"), argument))
    if name in {"log", "lg"}:
        return Apply("log", (argument, index or Number(Fraction(10))))
    return Apply(name, (argument,))


def spelled_index(index: Expression) -> str:
    """An index as part of a name: ``x_1``, ``a_(+ n 1)``."""
    if isinstance(index, Number):
        return str(index.value)
    if isinstance(index, Symbol):
        return index.name
    return "(" + " ".join([index.head, *map(spelled_index, index.args)]) + ")"


def index_word(text: str) -> Expression:
    """An index that is a word; the name of a number is that number."""
    word = text.strip().lower()
    return Number(Fraction(NUMBER_WORDS.index(word))) if word in NUMBER_WORDS else Symbol(text.strip())
