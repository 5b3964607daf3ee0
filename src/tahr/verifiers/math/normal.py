r"""Normal forms: sums of monomials with exact rational coefficients.

A monomial is a product of bases with rational exponents. Bases are symbols, the constants pi, e and i, primes under
roots, and whatever is not taken apart further (``sin(x)``, a sum in a denominator), each by its own normal form. Equal
forms are equal values. Different forms of `pure` bases are different values, because such monomials are linearly
independent over the rationals; otherwise nothing follows, and numbers decide (`tahr.verifiers.math.algebra`).
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import gcd, lcm

from tahr.verifiers.math.tree import NotMathError

Base = Hashable
Monomial = frozenset[tuple[Base, Fraction]]
Form = dict[Monomial, Fraction]

MAX_TERMS = 300
"""Monomials of one form; larger ones are left unexpanded."""

MAX_BITS = 30_000
"""Size of one coefficient."""

UNIT: Monomial = frozenset()


class BeyondBoundsError(NotMathError):
    """The form would be larger than `MAX_TERMS` or `MAX_BITS`, or has no value (a division by zero)."""


def rational(value: Fraction | int) -> Form:
    """The form of a rational number."""
    _bounded(Fraction(value))
    return {UNIT: Fraction(value)} if value else {}


def single(base: Base, exponent: Fraction | int = 1) -> Form:
    """The form of one base with an exponent."""
    return {frozenset([(base, Fraction(exponent))]): Fraction(1)}


def as_rational(form: Form) -> Fraction | None:
    """The rational number that a form is, or None."""
    if not form:
        return Fraction(0)
    return form.get(UNIT) if len(form) == 1 else None


def key(form: Form) -> Hashable:
    """A form as part of a base."""
    return frozenset(form.items())


def add(*forms: Form) -> Form:
    """The sum."""
    total: Form = {}
    for form in forms:
        for monomial, coefficient in form.items():
            value = total.get(monomial, Fraction(0)) + coefficient
            if value:
                total[monomial] = value
            else:
                total.pop(monomial, None)
    if len(total) > MAX_TERMS:
        raise BeyondBoundsError("too many terms")
    return total


def scale(form: Form, factor: Fraction | int) -> Form:
    """Every coefficient times a rational."""
    return {monomial: _bounded(coefficient * factor) for monomial, coefficient in form.items()} if factor else {}


def multiply(first: Form, second: Form) -> Form:
    """The product, expanded. Raises BeyondBoundsError where it would be too large."""
    if len(first) * len(second) > 4 * MAX_TERMS:
        raise BeyondBoundsError("too many terms")
    total: Form = {}
    for one, left in first.items():
        for two, right in second.items():
            factor, monomial = _joined(one, two)
            value = total.get(monomial, Fraction(0)) + _bounded(left * right * factor)
            if value:
                total[monomial] = value
            else:
                total.pop(monomial, None)
    return total


def _joined(one: Monomial, two: Monomial) -> tuple[Fraction, Monomial]:
    """The product of two monomials: a rational factor and a monomial with every base reduced."""
    if not one or not two:
        return Fraction(1), one or two
    exponents: dict[Base, Fraction] = dict(one)
    for base, exponent in two:
        exponents[base] = exponents.get(base, Fraction(0)) + exponent
    return reduced(exponents)


def reduced(exponents: dict[Base, Fraction]) -> tuple[Fraction, Monomial]:
    """Whole powers of primes and of i taken out into a rational factor."""
    factor = Fraction(1)
    kept: list[tuple[Base, Fraction]] = []
    for base, exponent in exponents.items():
        rest = exponent
        if isinstance(base, int):
            whole = exponent.numerator // exponent.denominator
            if whole and abs(whole) * base.bit_length() <= MAX_BITS:
                factor *= Fraction(base) ** whole
                rest = exponent - whole
        elif base == "i":
            rest = exponent % 4
            factor, rest = (-factor, rest - 2) if rest >= 2 else (factor, rest)
        if rest:
            kept.append((base, rest))
    return _bounded(factor), frozenset(kept)


def power(form: Form, exponent: Fraction) -> Form:
    """`form` to a rational power, on the principal branch; odd roots of negative numbers are real."""
    if exponent == 1:
        return form
    if not form:
        if exponent <= 0:
            raise BeyondBoundsError("a division by zero")
        return {}
    if exponent.denominator == 1:
        return _whole_power(form, exponent.numerator)
    return _root(form, exponent)


def _whole_power(form: Form, exponent: int) -> Form:
    if len(form) == 1:
        ((monomial, coefficient),) = form.items()
        powers: dict[Base, Fraction] = {base: power * exponent for base, power in monomial}
        if abs(exponent) * max(_bits(coefficient), 1) > MAX_BITS:
            return _large_power(coefficient, powers, exponent)
        factor, reduced_monomial = reduced(powers)
        return {reduced_monomial: _bounded(coefficient**exponent * factor)}
    if exponent >= 0 and len(form) ** exponent <= MAX_TERMS:
        total = rational(1)
        for _ in range(exponent):
            total = multiply(total, form)
        return total
    content, primitive = _content(form)
    leading = primitive[max(primitive, key=hash)]
    if leading < 0:
        content, primitive = -content, scale(primitive, -1)
    return scale(single(("s", key(primitive)), exponent), _whole_rational(content, exponent))


def _whole_rational(value: Fraction, exponent: int) -> Fraction:
    if abs(exponent) * _bits(value) > MAX_BITS:
        raise BeyondBoundsError("a number that is too large")
    return value**exponent


def _large_power(coefficient: Fraction, powers: dict[Base, Fraction], exponent: int) -> Form:
    """A power of a number that would be too long, as powers of its primes."""
    factors = factorised(abs(coefficient))
    if factors is None:
        raise BeyondBoundsError("a number that is too large")
    for prime, multiplicity in factors.items():
        powers[prime] = powers.get(prime, Fraction(0)) + multiplicity * exponent
    sign = -1 if coefficient < 0 and exponent % 2 else 1
    factor, monomial = reduced(powers)
    return {monomial: sign * factor}


def _root(form: Form, exponent: Fraction) -> Form:
    """A power with a broken exponent: primes are taken out, what may be negative stays under the root."""
    content, primitive = _content(form)
    factors = factorised(content)
    if factors is None:
        return single(("s", key(form)), exponent)
    powers: dict[Base, Fraction] = {prime: multiplicity * exponent for prime, multiplicity in factors.items()}
    sign = Fraction(1)
    if len(primitive) == 1:
        ((monomial, leading),) = primitive.items()
        if leading < 0 and exponent.denominator % 2:
            sign = Fraction(-1) ** exponent.numerator
        elif leading < 0 and exponent.denominator == 2 and all(map(_is_positive, monomial)):
            powers["i"] = Fraction(exponent.numerator)
        elif leading < 0:
            return single(("s", key(form)), exponent)
        positive = all(map(_is_positive, monomial)) or (len(monomial) == 1 and next(iter(monomial))[1] == 1)
        rooted = monomial if positive else [(("s", key({monomial: Fraction(1)})), Fraction(1))]
        for base, multiplicity in rooted:
            powers[base] = powers.get(base, Fraction(0)) + multiplicity * exponent
    else:
        powers[("s", key(primitive))] = exponent
    factor, reduced_monomial = reduced(powers)
    return {reduced_monomial: sign * factor}


def _is_positive(part: tuple[Base, Fraction]) -> bool:
    return isinstance(part[0], int) or part[0] in {"pi", "e"}


def _content(form: Form) -> tuple[Fraction, Form]:
    """The positive rational that all coefficients share, and the form without it."""
    above = gcd(*(abs(value.numerator) for value in form.values()))
    below = lcm(*(value.denominator for value in form.values()))
    content = Fraction(above, below)
    return content, scale(form, 1 / content)


def factorised(value: Fraction) -> dict[int, Fraction] | None:
    """Primes of a positive rational with their exponents; None where a factor is too large to be found."""
    factors: dict[int, Fraction] = {}
    for number, sign in ((value.numerator, 1), (value.denominator, -1)):
        if number.bit_length() > 4096:
            return None
        divisor = 2
        while divisor * divisor <= number and divisor < 20_000:
            while number % divisor == 0:
                factors[divisor] = factors.get(divisor, Fraction(0)) + sign
                number //= divisor
            divisor += 1 if divisor == 2 else 2
        if number > 1:
            if divisor * divisor <= number:
                return None
            factors[number] = factors.get(number, Fraction(0)) + sign
    return {prime: exponent for prime, exponent in factors.items() if exponent}


def is_zero(form: Form) -> bool | None:
    """Whether the value is zero everywhere: True and False are proven, None is not known."""
    if not form:
        return True
    bases = [part for monomial in form for part in monomial]
    if all(_independent(base, exponent) for base, exponent in bases):
        return False
    return False if len(form) == 1 and all(_never_zero(base) for base, _ in bases) else None


def _independent(base: Base, exponent: Fraction) -> bool:
    if isinstance(base, int):
        return 0 < exponent < 1
    if isinstance(base, str):
        return True
    return isinstance(base, tuple) and base[0] == "p" and all(isinstance(part, str) for part, _ in base[2])


def _never_zero(base: Base) -> bool:
    if isinstance(base, tuple):
        return base[0] == "p" and _never_zero(base[1])
    return isinstance(base, int | str)


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length()) - 1


def _bounded(value: Fraction) -> Fraction:
    if _bits(value) > MAX_BITS:
        raise BeyondBoundsError("a number that is too large")
    return value
