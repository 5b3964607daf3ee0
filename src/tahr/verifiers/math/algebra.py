"""Equality of expressions by values to hundreds of digits; run in a worker process, which is killed when it hangs.

Both sides are evaluated at test points, twice: to `p` digits, then to `2 p`. Equal expressions agree to nearly all
digits both times. `p` grows with the numbers that are written in the expressions, so that a difference as small as
those numbers can make it is still seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any

from tahr.verifiers.math.approximate import magnitude
from tahr.verifiers.math.tree import Expression, Number, Symbol, from_json, symbols

MIN_DIGITS = 40
MAX_DIGITS = 6000
NUM_POINTS = 5
NUM_REAL_POINTS = 2
"""So many points where both sides are real are enough; where there are fewer, complex values are compared."""


def prepare_worker() -> None:
    """Load mpmath before processes are forked."""
    _functions()


def compare(gold: Any, answer: Any) -> str:
    """``equal``, ``different`` or ``unknown`` for two expressions in JSON form."""
    return _compared(from_json(gold), from_json(answer))


def _compared(gold: Expression, answer: Expression) -> str:
    from mpmath.libmp import NoConvergence

    digits = MIN_DIGITS + 2 * (weight(gold) + weight(answer))
    if digits > MAX_DIGITS:
        return "unknown"
    names = sorted(symbols(gold) | symbols(answer))
    found: list[tuple[bool, bool]] = []
    for point in range(NUM_POINTS if names else 1):
        try:
            found.append(_agree_at(gold, answer, names, point, int(digits)))
        except (ArithmeticError, ValueError, NotImplementedError, NoConvergence):
            continue
    real = [agree for agree, is_real in found if is_real]
    used = real if names and len(real) >= NUM_REAL_POINTS else [agree for agree, _ in found]
    if not used:
        return "unknown"
    return "equal" if all(used) else "different"


def _agree_at(gold: Expression, answer: Expression, names: list[str], point: int, digits: int) -> tuple[bool, bool]:
    """Whether both sides agree to `digits` and to twice as many at a test point, and whether both are real there."""
    from mpmath import mp

    agree, is_real = True, True
    for wanted in (digits, 2 * digits):
        with mp.workdps(wanted + 15):
            places = {name: _place(name, point) for name in names}
            one, two = value(gold, places), value(answer, places)
            size = max(abs(one), abs(two), mp.mpf(10) ** (-wanted))
            if not (mp.isfinite(one) and mp.isfinite(two)):
                raise ValueError("no finite value")
            agree = agree and bool(abs(one - two) <= size * mp.mpf(10) ** (-0.8 * wanted))
            is_real = is_real and all(abs(mp.im(side)) <= size * mp.mpf(10) ** (-wanted // 2) for side in (one, two))
    return agree, is_real


def weight(expression: Expression) -> float:
    """About how many digits the numbers of an expression can move its value by."""
    if isinstance(expression, Number):
        number = expression.value
        return (number.numerator.bit_length() + number.denominator.bit_length()) * 0.302
    if isinstance(expression, Symbol):
        return 0.5
    inside = [weight(argument) for argument in expression.args]
    if expression.head == "^" and not symbols(expression.args[1]):
        return inside[0] * max(1.0, size(expression.args[1])) + inside[1]
    if expression.head in _GROWING and not symbols(expression):
        return sum(inside) + max(size(argument) for argument in expression.args)
    return sum(inside)


def size(expression: Expression) -> float:
    """About how large a value without symbols is; at least 1, and 1 where that isn't known."""
    digits = magnitude(expression)
    if digits is None:
        return 1.0
    return 10.0 ** max(0.0, digits) if digits < 300 else math.inf


_GROWING = frozenset({"factorial", "double factorial", "binom", "Gamma", "zeta", "erf"})
"""Functions whose values take longer the larger the argument is."""


def _place(name: str, point: int) -> Any:
    """Where a symbol stands at a test point: a root of a number, of size 0.3 to 3, of either sign."""
    from mpmath import mp

    seed = sum(ord(letter) * 31**index for index, letter in enumerate(name)) % 997
    size = mp.mpf(3) / 10 + mp.sqrt(2 + seed + 101 * point) % (mp.mpf(27) / 10)
    return -size if (seed + point) % 3 == 2 else size


def value(expression: Expression, places: dict[str, Any]) -> Any:
    """The value at the working precision of mpmath. Raises ArithmeticError or ValueError where there is none."""
    from mpmath import mp

    if isinstance(expression, Number):
        return mp.mpf(expression.value.numerator) / expression.value.denominator
    if isinstance(expression, Symbol):
        if expression.name in places:
            return places[expression.name]
        constant = {"pi": mp.pi, "e": mp.e, "i": mp.j}.get(expression.name)
        if constant is None:
            raise ValueError(f"{expression.name} has no value")
        return +constant
    function = _functions().get(expression.head)
    if function is None:
        raise ValueError(f"{expression.head} is not evaluated")
    return function(*(value(argument, places) for argument in expression.args))


@lru_cache(maxsize=1)
def _functions() -> dict[str, Callable[..., Any]]:
    from mpmath import mp

    names = "sin cos tan cot sec csc sinh cosh tanh coth sech csch ln floor ceil erf zeta arg factorial"
    functions: dict[str, Callable[..., Any]] = {name: getattr(mp, name) for name in names.split()}
    for short in ("sin", "cos", "tan", "cot", "sec", "csc"):
        functions["arc" + short] = getattr(mp, "a" + short)
    for short in ("sinh", "cosh", "tanh"):
        functions["ar" + short] = getattr(mp, "a" + short)
    functions |= {
        "+": lambda *args: mp.fsum(args),
        "*": lambda *args: reduce(mp.fmul, args),
        "^": _power,
        "log": _log,
        "abs": abs,
        "Re": mp.re,
        "Im": mp.im,
        "sgn": mp.sign,
        "Gamma": mp.gamma,
        "binom": mp.binomial,
        "double factorial": mp.fac2,
        "max": max,
        "min": min,
    }
    return functions


def _log(argument: Any, base: Any) -> Any:
    from mpmath import mp

    return mp.ln(argument) / mp.ln(base)


def _power(base: Any, exponent: Any) -> Any:
    """A power; odd roots of negative numbers are real, as they are in the normal form."""
    from mpmath import mp

    if mp.im(base) == 0 and mp.re(base) < 0 and mp.im(exponent) == 0 and not mp.isint(exponent):
        for odd in (3, 5, 7, 9):
            above = mp.re(exponent) * odd
            if mp.almosteq(above, mp.nint(above)):
                size = mp.power(-mp.re(base), exponent)
                return -size if int(mp.nint(above)) % 2 else size
    return mp.power(base, exponent)
