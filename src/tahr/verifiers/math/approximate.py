"""Values in floating point with bounds on their error: quick proof that two expressions differ.

Each value carries a bound on its absolute error, so that cancellation can't make equal expressions look different. A
difference that is not far outside the bounds proves nothing.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from functools import reduce

from tahr.verifiers.math.tree import Apply, Expression, Number, Symbol

EPSILON = 2.0**-50
SAFETY = 1e4

Value = tuple[complex, float]


class UnknownValueError(ArithmeticError):
    """No value within floating point, or a function that is not evaluated here."""


def differ(first: Expression, second: Expression, names: set[str], point: int) -> bool | None:
    """Whether the values at a test point are surely different; None where one of them isn't known or real."""
    places = {name: complex(place(name, point)) for name in names}
    try:
        (one, one_error), (two, two_error) = evaluate(first, places), evaluate(second, places)
    except (ArithmeticError, ValueError):
        return None
    error = one_error + two_error
    if names and (abs(one.imag) > error or abs(two.imag) > error):
        return None
    distance = abs(one - two)
    return distance > SAFETY * error if math.isfinite(distance) and math.isfinite(error) else None


def place(name: str, point: int) -> float:
    """Where a symbol stands at a test point: irrational, of either sign, of size 0.3 to 3, unlike any other's."""
    seed = sum(ord(letter) * 31**index for index, letter in enumerate(name)) % 997
    size = 0.3 + math.sqrt(2 + seed + 101 * point) % 2.7
    return -size if (seed + point) % 3 == 2 else size


def evaluate(expression: Expression, places: Mapping[str, complex]) -> Value:
    """The value and a bound on its absolute error. Raises ArithmeticError or ValueError where there is none."""
    if isinstance(expression, Number):
        value = complex(expression.value.numerator / expression.value.denominator)
        return value, abs(value) * EPSILON
    if isinstance(expression, Symbol):
        value = _CONSTANTS.get(expression.name, places.get(expression.name))
        if value is None:
            raise UnknownValueError(expression.name)
        return value, abs(value) * EPSILON
    args = [evaluate(argument, places) for argument in expression.args]
    return _apply(expression, args)


def _apply(expression: Apply, args: list[Value]) -> Value:
    if expression.head == "+":
        total = sum(value for value, _ in args)
        largest = max(abs(value) for value, _ in args)
        return total, sum(error for _, error in args) + len(args) * largest * EPSILON
    if expression.head == "*":
        return reduce(_product, args)
    if expression.head == "^":
        return _power(*args)
    function = _FUNCTIONS.get(expression.head)
    if function is None or len(args) != 1:
        raise UnknownValueError(expression.head)
    (argument, error), value = args[0], function(args[0][0])
    shift = max(error, abs(argument) * EPSILON)
    moved = max(abs(function(argument + step) - value) for step in (shift, -shift))
    return value, 2 * moved + abs(value) * 4 * EPSILON


def _product(one: Value, two: Value) -> Value:
    value = one[0] * two[0]
    return value, abs(one[0]) * two[1] + abs(two[0]) * one[1] + one[1] * two[1] + abs(value) * EPSILON


def _power(base: Value, exponent: Value) -> Value:
    (b, b_error), (e, e_error) = base, exponent
    if b == 0 or abs(b) <= b_error:
        raise UnknownValueError("a power of what may be zero")
    if b.imag == 0 and b.real < 0 and e.imag == 0 and e.real % 1:
        return _real_root(b.real, b_error, e.real, e_error)
    value = b**e
    relative = abs(e) * b_error / (abs(b) - b_error) + abs(cmath.log(b)) * e_error
    return value, abs(value) * (2 * relative + 8 * EPSILON * (1 + abs(e) + abs(e * cmath.log(b))))


def _real_root(base: float, base_error: float, exponent: float, exponent_error: float) -> Value:
    """A root of a negative number: odd roots are real, others on the principal branch."""
    for odd in (3, 5, 7, 9):
        above = exponent * odd
        if abs(above - round(above)) < 1e-9:
            size, error = _power((complex(-base), base_error), (complex(exponent), exponent_error))
            return (-size if round(above) % 2 else size), error
    value = complex(base) ** exponent
    return value, abs(value) * 1e-6


def _cot(value: complex) -> complex:
    return 1 / cmath.tan(value)


_CONSTANTS = {"pi": complex(math.pi), "e": complex(math.e), "i": 1j}
_FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "cot": _cot, "sec": lambda value: 1 / cmath.cos(value),
    "csc": lambda value: 1 / cmath.sin(value), "arcsin": cmath.asin, "arccos": cmath.acos, "arctan": cmath.atan,
    "sinh": cmath.sinh, "cosh": cmath.cosh, "tanh": cmath.tanh, "arsinh": cmath.asinh, "arcosh": cmath.acosh,
    "artanh": cmath.atanh, "ln": cmath.log, "abs": lambda value: complex(abs(value)),
    "Re": lambda value: complex(value.real), "Im": lambda value: complex(value.imag),
}  # fmt: skip


def magnitude(expression: Expression) -> float | None:
    """The decimal logarithm of the size of a product or power of numbers, for those too large for floating point."""
    if isinstance(expression, Number):
        size = abs(expression.value)
        return math.log10(size.numerator) - math.log10(size.denominator) if size else None
    if isinstance(expression, Symbol):
        return {"pi": math.log10(math.pi), "e": math.log10(math.e)}.get(expression.name)
    args = [magnitude(argument) for argument in expression.args]
    known = [argument for argument in args if argument is not None]
    if len(known) != len(args):
        return None
    if expression.head == "*":
        return sum(known)
    if expression.head == "^":
        exponent = 10 ** known[1] if known[1] < 300 else math.inf
        return known[0] * exponent * (-1 if _is_negative(expression.args[1]) else 1) if known[0] else 0.0
    if expression.head == "factorial":
        return math.lgamma(10 ** known[0] + 1) / math.log(10) if known[0] < 300 else math.inf
    return None


def _is_negative(expression: Expression) -> bool:
    if isinstance(expression, Number):
        return expression.value < 0
    return isinstance(expression, Apply) and expression.head == "*" and sum(map(_is_negative, expression.args)) % 2 == 1
