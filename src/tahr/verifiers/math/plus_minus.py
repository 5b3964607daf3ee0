"""Values with a plus-minus sign are two values."""

from __future__ import annotations

from tahr.verifiers.math.shapes import Group, Scalar, Shape
from tahr.verifiers.math.tree import Expression, heads, negative, substitute

_PLUS_MINUS = frozenset({"pm", "mp"})


def both_signs(one: Shape) -> Shape:
    r"""Both values of a shape with ``\pm``; equal signs go together, ``\mp`` is the other one."""
    if not isinstance(one, Scalar) or not heads(one.value) & _PLUS_MINUS:
        return one
    values = [_signed(one.value, sign) for sign in (1, -1)]
    return Group("list", tuple(Scalar(value, one.unit) for value in values))


def _signed(value: Expression, sign: int) -> Expression:
    upper = substitute(value, "pm", _as_it_is if sign > 0 else negative)
    return substitute(upper, "mp", negative if sign > 0 else _as_it_is)


def _as_it_is(value: Expression) -> Expression:
    return value
