"""From trees to normal forms: arithmetic, powers, logarithms, and the functions whose values are known exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from math import comb, factorial, gcd, lcm

from tahr.verifiers.math import normal
from tahr.verifiers.math.normal import BeyondBoundsError, Form, as_rational, key, multiply, rational, single
from tahr.verifiers.math.tree import Apply, Expression, Number, Symbol

MAX_FACTORIAL = 3000

_I_PI = frozenset([("i", Fraction(1)), ("pi", Fraction(1))])
_PI = frozenset([("pi", Fraction(1))])


def normal_form(expression: Expression) -> Form:
    """The normal form. Raises BeyondBoundsError where it would be too large or there is no value."""
    if isinstance(expression, Number):
        return rational(expression.value)
    if isinstance(expression, Symbol):
        if expression.name == "oo":
            raise BeyondBoundsError("infinity is no number")
        return single(expression.name)
    if expression.head == "^":
        return _power(*map(normal_form, expression.args))
    args = [normal_form(argument) for argument in expression.args] if expression.head != "base" else []
    if expression.head == "+":
        return normal.add(*args)
    if expression.head == "*":
        return reduce(multiply, args)
    if expression.head == "base":
        return _in_base(expression)
    exact = _EXACT.get(expression.head)
    found = exact(*args) if exact else None
    return single(("f", expression.head, *map(key, args))) if found is None else found


def _power(base: Form, exponent: Form) -> Form:
    number = as_rational(exponent)
    if number is not None:
        return normal.power(base, number) if number or base else _zero_to_zero()
    total = rational(1)
    for monomial, coefficient in exponent.items():
        total = multiply(total, _raised(base, monomial, coefficient))
    return total


def _zero_to_zero() -> Form:
    raise BeyondBoundsError("zero to the power of zero")


def _raised(base: Form, monomial: normal.Monomial, coefficient: Fraction) -> Form:
    """`base` to the power of one term of an exponent."""
    if not monomial:
        return normal.power(base, coefficient)
    if base == single("e"):
        if monomial == _I_PI and (2 * coefficient).denominator == 1:
            return normal.power(single("i"), Fraction((2 * coefficient) % 4)) if (2 * coefficient) % 4 else rational(1)
        if (inside := _inside_ln(monomial)) is not None:
            return normal.power(inside, coefficient)
    number = as_rational(base)
    if number is not None and number > 0 and (factors := normal.factorised(number)) is not None:
        powers: dict[normal.Base, Fraction] = {("p", prime, monomial): e * coefficient for prime, e in factors.items()}
        factor, reduced = normal.reduced(powers)
        return {reduced: factor}
    if len(base) == 1 and len(name := next(iter(base))) == 1 and base[name] == 1:
        ((only, exponent),) = name
        if only in {"e", "pi"} or exponent == 1:
            return single(("p", only, monomial), coefficient * exponent)
    return single(("p", ("s", key(base)), monomial), coefficient)


def _inside_ln(monomial: normal.Monomial) -> Form | None:
    """What a logarithm that stands alone is taken of."""
    for base, exponent in monomial:
        if len(monomial) == 1 and exponent == 1 and isinstance(base, tuple) and base[:2] == ("f", "ln"):
            return dict(base[2])
    return None


def _ln(value: Form) -> Form | None:
    if not value:
        raise BeyondBoundsError("the logarithm of zero")
    if len(value) != 1:
        return None
    ((monomial, coefficient),) = value.items()
    if coefficient < 0 or not all(isinstance(base, int) or base in {"e", "pi"} for base, _ in monomial):
        return None
    factors = normal.factorised(coefficient)
    if factors is None:
        return None
    total: Form = {}
    for base, exponent in [*factors.items(), *monomial]:
        one = (
            rational(1)
            if base == "e"
            else single(("f", "ln", key(rational(base) if isinstance(base, int) else single(base))))
        )
        total = normal.add(total, normal.scale(one, exponent))
    return total


def _log(value: Form, base: Form) -> Form:
    above, below = (_ln(form) for form in (value, base))
    above = single(("f", "ln", key(value))) if above is None else above
    below = single(("f", "ln", key(base))) if below is None else below
    return multiply(above, normal.power(below, Fraction(-1)))


def _factorial(value: Form) -> Form | None:
    number = as_rational(value)
    if number is None:
        return None
    if number.denominator != 1 or not 0 <= number <= MAX_FACTORIAL:
        if number.denominator == 1 and number < 0:
            raise BeyondBoundsError("the factorial of a negative number")
        return None
    return rational(factorial(int(number)))


def _double_factorial(value: Form) -> Form | None:
    number = as_rational(value)
    if number is None or number.denominator != 1 or not 0 <= number <= MAX_FACTORIAL:
        return None
    return rational(reduce(int.__mul__, range(int(number), 1, -2), 1))


def _binom(above: Form, below: Form) -> Form | None:
    top, bottom = as_rational(above), as_rational(below)
    if bottom is None or bottom.denominator != 1 or not 0 <= bottom <= MAX_FACTORIAL:
        return None
    count = int(bottom)
    if top is not None and top.denominator == 1 and 0 <= top <= MAX_FACTORIAL:
        return rational(comb(int(top), count))
    if count > 10:
        return None
    factors = [normal.add(above, rational(-step)) for step in range(count)]
    return normal.scale(reduce(multiply, factors, rational(1)), Fraction(1, factorial(count)))


def _of_rationals(function: Callable[..., Fraction | int]) -> Callable[..., Form | None]:
    def exact(*args: Form) -> Form | None:
        numbers = [as_rational(argument) for argument in args]
        known = [number for number in numbers if number is not None]
        return rational(function(*known)) if len(known) == len(numbers) else None

    return exact


def _whole(function: Callable[..., int]) -> Callable[..., Form | None]:
    def exact(*args: Form) -> Form | None:
        numbers = [as_rational(argument) for argument in args]
        known = [int(number) for number in numbers if number is not None and number.denominator == 1]
        return rational(function(*known)) if len(known) == len(numbers) else None

    return exact


def _abs(value: Form) -> Form | None:
    if len(value) == 1 and all(isinstance(base, int) or base in {"pi", "e"} for base, _ in next(iter(value))):
        return {monomial: abs(coefficient) for monomial, coefficient in value.items()}
    return value if not value else None


def _turns(value: Form) -> Fraction | None:
    """The angle as a share of pi, where it is a rational one."""
    if not value:
        return Fraction(0)
    return value.get(_PI) if len(value) == 1 else None


_ROOT_2, _ROOT_3 = normal.power(rational(2), Fraction(1, 2)), normal.power(rational(3), Fraction(1, 2))
_SINES: dict[Fraction, Form] = {
    Fraction(0): {},
    Fraction(1, 6): rational(Fraction(1, 2)),
    Fraction(1, 4): normal.scale(_ROOT_2, Fraction(1, 2)),
    Fraction(1, 3): normal.scale(_ROOT_3, Fraction(1, 2)),
    Fraction(1, 2): rational(1),
}


def _sine_of(turns: Fraction) -> Form | None:
    turns %= 2
    sign = 1
    if turns >= 1:
        sign, turns = -1, turns - 1
    value = _SINES.get(min(turns, 1 - turns))
    return None if value is None else normal.scale(value, sign)


def _sin(value: Form) -> Form | None:
    turns = _turns(value)
    return None if turns is None else _sine_of(turns)


def _cos(value: Form) -> Form | None:
    turns = _turns(value)
    return None if turns is None else _sine_of(turns + Fraction(1, 2))


def _tan(value: Form) -> Form | None:
    above, below = _sin(value), _cos(value)
    return None if above is None or below is None else multiply(above, normal.power(below, Fraction(-1)))


def _in_base(expression: Apply) -> Form:
    digits, base = expression.args
    number = base.value if isinstance(base, Number) else Fraction(0)
    try:
        return rational(int(digits.name, int(number))) if isinstance(digits, Symbol) else {}
    except ValueError:
        raise BeyondBoundsError("digits that the base doesn't have") from None


_EXACT: dict[str, Callable[..., Form | None]] = {
    "ln": _ln, "log": _log, "factorial": _factorial, "double factorial": _double_factorial, "binom": _binom,
    "abs": _abs, "sin": _sin, "cos": _cos, "tan": _tan,
    "floor": _of_rationals(Fraction.__floor__), "ceil": _of_rationals(Fraction.__ceil__),
    "max": _of_rationals(max), "min": _of_rationals(min), "gcd": _whole(gcd), "lcm": _whole(lcm),
}  # fmt: skip
