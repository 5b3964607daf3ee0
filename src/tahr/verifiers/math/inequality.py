"""Inequalities as sets of reals, and the algebra of such sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tahr.verifiers.math import equality, tree
from tahr.verifiers.math.approximate import evaluate
from tahr.verifiers.math.normal import BeyondBoundsError, as_rational
from tahr.verifiers.math.shapes import Group, Piece, Reals, Scalar, Shape, Statement
from tahr.verifiers.math.simplify import normal_form
from tahr.verifiers.math.tree import INFINITY, Apply, Expression, NotMathError, Number, Symbol, negative

BELOW = negative(INFINITY)
EVERYTHING = Piece(BELOW, INFINITY, (False, False))
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def solved(sides: Sequence[Expression], signs: Sequence[str]) -> Shape:
    """The set that a chain such as ``1 < x <= 2`` describes, each link linear in one name; else as it stands."""
    names = {name for side in sides for name in tree.symbols(side)}
    candidates = {side.name for side in sides if isinstance(side, Symbol)} & names or (
        names if len(names) == 1 else set()
    )
    for name in sorted(candidates):
        if sum(name in tree.symbols(side) for side in sides) != 1:
            continue
        try:
            return Reals(_links(sides, signs, name), name)
        except NotMathError:
            continue
    return Statement(tuple(sides), tuple(signs))


def _links(sides: Sequence[Expression], signs: Sequence[str], name: str) -> tuple[Piece, ...]:
    pieces = (EVERYTHING,)
    for left, sign, right in zip(sides, signs, sides[1:], strict=False):
        if name in tree.symbols(left) | tree.symbols(right):
            pieces = intersection([pieces, _link(left, sign, right, name)])
        elif not _holds(left, sign, right):
            return ()
    return pieces


def _holds(left: Expression, sign: str, right: Expression) -> bool:
    raise NotMathError("a link without the name")


def _link(left: Expression, sign: str, right: Expression, name: str) -> tuple[Piece, ...]:
    if name in tree.symbols(right):
        left, right, sign = right, left, _FLIPPED.get(sign, sign)
    if isinstance(left, Apply) and left.head == "abs" and sign in _FLIPPED:
        inside = left.args[0]
        sides = [_link(inside, sign, right, name), _link(inside, _FLIPPED[sign], negative(right), name)]
        return intersection(sides) if sign[0] == "<" else (*sides[0], *sides[1])
    bound, flips = _bound(left, right, name)
    sign = _FLIPPED.get(sign, sign) if flips else sign
    if sign == "=":
        return (Piece(bound, bound, (True, True)),)
    if sign == "!=":
        return without((EVERYTHING,), [Piece(bound, bound, (True, True))])
    if sign in {"<", "<="}:
        return (Piece(BELOW, bound, (False, sign == "<=")),)
    return (Piece(bound, INFINITY, (sign == ">=", False)),)


def _bound(left: Expression, right: Expression, name: str) -> tuple[Expression, bool]:
    """What `name` is compared with, and whether the sign turns round. Raises NotMathError where it isn't linear."""
    if left == Symbol(name):
        return right, False
    try:
        form, other = normal_form(left), normal_form(right)
    except BeyondBoundsError as error:
        raise NotMathError(str(error)) from error
    slope = form.get(frozenset([(name, tree.ONE.value)]))
    start = {monomial: value for monomial, value in form.items() if monomial != frozenset([(name, tree.ONE.value)])}
    constant, target = as_rational(start), as_rational(other)
    if slope is None or constant is None or target is None:
        raise NotMathError("an inequality that is not linear")
    return Number((target - constant) / slope), slope < 0


def order(value: Expression) -> float:
    """Where an endpoint lies on the line. Raises NotMathError where that isn't known."""
    if value == INFINITY:
        return math.inf
    if value == BELOW:
        return -math.inf
    try:
        point, error = evaluate(value, {})
    except (ArithmeticError, ValueError) as failure:
        raise NotMathError("an endpoint without a known value") from failure
    if abs(point.imag) > error:
        raise NotMathError("an endpoint that is not real")
    return point.real


def intersection(sets: Sequence[Sequence[Piece]]) -> tuple[Piece, ...]:
    """What all the sets share."""
    shared: tuple[Piece, ...] = tuple(sets[0])
    for other in sets[1:]:
        shared = tuple(piece for one in shared for two in other if (piece := _overlap(one, two)) is not None)
    return shared


def _overlap(one: Piece, two: Piece) -> Piece | None:
    low, low_closed = _inner(one.low, one.closed[0], two.low, two.closed[0], 1)
    high, high_closed = _inner(one.high, one.closed[1], two.high, two.closed[1], -1)
    piece = Piece(low, high, (low_closed, high_closed))
    return None if _is_empty(piece) else piece


def _inner(one: Expression, one_closed: bool, two: Expression, two_closed: bool, sign: int) -> tuple[Expression, bool]:
    """The end that lies further inside: the larger lower one (`sign` 1), the smaller upper one (-1)."""
    unbounded = BELOW if sign > 0 else INFINITY
    if one == unbounded:
        return two, two_closed
    if two == unbounded:
        return one, one_closed
    left, right = sign * order(one), sign * order(two)
    if _close(left, right):
        return one, one_closed and two_closed
    return (one, one_closed) if left > right else (two, two_closed)


def _is_empty(piece: Piece) -> bool:
    if piece.low == piece.high:
        return not all(piece.closed)
    try:
        low, high = order(piece.low), order(piece.high)
    except NotMathError:
        return False
    return low > high and not _close(low, high)


def without(pieces: Sequence[Piece], taken: Sequence[Piece]) -> tuple[Piece, ...]:
    """`pieces` without all of `taken`."""
    for hole in taken:
        left = Piece(BELOW, hole.low, (False, not hole.closed[0]))
        right = Piece(hole.high, INFINITY, (not hole.closed[1], False))
        pieces = [piece for one in pieces for side in (left, right) if (piece := _overlap(one, side)) is not None]
    return tuple(pieces)


def merged(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """The same set in the fewest pieces, from left to right; as they are where an endpoint is not a known number."""
    pieces = [piece for piece in pieces if not _is_empty(piece)]
    try:
        pieces = sorted(pieces, key=lambda piece: (order(piece.low), not piece.closed[0]))
        found: list[Piece] = []
        for piece in pieces:
            if found and _touch(found[-1], piece):
                found[-1] = _joined(found[-1], piece)
            else:
                found.append(piece)
    except NotMathError:
        return tuple(pieces)
    return tuple(found)


def _touch(left: Piece, right: Piece) -> bool:
    end, start = order(left.high), order(right.low)
    if _close(end, start):
        return left.closed[1] or right.closed[0]
    return start < end


def _joined(left: Piece, right: Piece) -> Piece:
    one, two = order(left.high), order(right.high)
    if _close(one, two):
        return Piece(left.low, left.high, (left.closed[0], left.closed[1] or right.closed[1]))
    outer = left if one > two else right
    return Piece(left.low, outer.high, (left.closed[0], outer.closed[1]))


def _close(one: float, two: float) -> bool:
    return one == two or abs(one - two) <= 1e-13 * max(abs(one), abs(two))


def all_equal(values: Sequence[Expression]) -> bool:
    """Whether every value of a chain of equations is the last one, as far as normal forms tell."""
    return all(equality.surely_equal(value, values[-1]) for value in values[:-1])


def quantity_name(left: Expression) -> str | None:
    """The name of a compound quantity: ``f(x)``, ``AB``, ``|z|``, ``sin t``, ``x + y``; None for what is solved for."""
    if not isinstance(left, Apply):
        return None
    if left.head == "*" and (isinstance(left.args[0], Symbol) or _is_inverse(left.args[0])):
        return spelled(left)
    if left.head == "+" and all(isinstance(argument, Symbol) for argument in left.args) and len(tree.symbols(left)) > 1:
        return spelled(left)
    if left.head not in {"*", "+", "^"} and tree.symbols(left):
        return spelled(left)
    return None


def _is_inverse(function: Expression) -> bool:
    return isinstance(function, Apply) and function.head == "^" and function.args[1] == tree.MINUS_ONE


def spelled(expression: Expression) -> str:
    """An expression in one line, as a name."""
    if isinstance(expression, Number):
        return str(expression.value)
    if isinstance(expression, Symbol):
        return expression.name
    return f"{expression.head}({','.join(map(spelled, expression.args))})"


def as_reals(one: Shape) -> Reals | None:
    """A shape as a set of reals, where it can be one."""
    if isinstance(one, Reals):
        return one
    if isinstance(one, Group) and one.kind == "set":
        points = [item.value for item in one.items if isinstance(item, Scalar)]
        return (
            Reals(tuple(Piece(point, point, (True, True)) for point in points))
            if len(points) == len(one.items)
            else None
        )
    return interval_of(one)


def interval_of(one: Shape) -> Reals | None:
    """A pair in brackets as an interval, or None."""
    if not isinstance(one, Group) or len(one.items) != 2 or len(one.brackets) != 2:
        return None
    low, high = one.items
    if not isinstance(low, Scalar) or not isinstance(high, Scalar):
        return None
    return Reals((Piece(low.value, high.value, (one.brackets[0] == "[", one.brackets[1] == "]")),))
