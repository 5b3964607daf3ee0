"""Compare two shapes. Every finding has a reason that a person understands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tahr.verifiers.math import equality, tree
from tahr.verifiers.math.approximate import evaluate
from tahr.verifiers.math.equality import TooHardError, equal
from tahr.verifiers.math.inequality import interval_of, merged
from tahr.verifiers.math.matrices import as_matrix, is_matrix, rows, vector
from tahr.verifiers.math.shapes import Group, Named, Ratio, Reals, Scalar, Shape, Statement, Words
from tahr.verifiers.math.tree import DEGREE, Apply, Expression, Number, negative, quotient

MAX_ITEMS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a task states about the comparison; None leaves it to the way the answer is written.

    Example: ``Terms(ordered=True, tolerance=Fraction(1, 100))``
    """

    ordered: bool | None = None
    tolerance: Fraction | None = None
    units_needed: bool = False


def same(gold: Shape, answer: Shape, terms: Terms) -> str:
    """ "" where `answer` is what `gold` says, else the reason why not ("" would name it, so None never comes back).

    Raises TooHardError, TimeoutError or WorkerError where that can't be told.
    """
    if isinstance(gold, Words) or isinstance(answer, Words):
        return "" if gold == answer else "not the same text"
    if isinstance(gold, Named) or isinstance(answer, Named):
        return _named(gold, answer, terms)
    if isinstance(gold, Group) and isinstance(answer, Group):
        return _groups(gold, answer, terms)
    if isinstance(gold, Reals) or isinstance(answer, Reals):
        return _reals(gold, answer)
    if isinstance(gold, Statement) or isinstance(answer, Statement):
        return _statements(gold, answer)
    if isinstance(gold, Ratio) or isinstance(answer, Ratio):
        return _ratios(gold, answer, terms)
    if isinstance(gold, Scalar) and isinstance(answer, Scalar):
        return _scalars(gold, answer, terms)
    return _mixed(gold, answer, terms)


def _named(gold: Shape, answer: Shape, terms: Terms) -> str:
    if isinstance(gold, Named) and isinstance(answer, Named):
        if gold.name != answer.name and len(gold.name) == len(answer.name) == 1:
            if isinstance(gold.shape, Scalar) and isinstance(answer.shape, Scalar) and tree.symbols(gold.shape.value):
                sides = [(side.left, side.shape.value) for side in (gold, answer) if isinstance(side.shape, Scalar)]
                return _statements(*(Statement(both, ("=",)) for both in sides))
            return f"a value of {answer.name}, not of {gold.name}"
        return same(gold.shape, answer.shape, terms)
    if isinstance(gold, Named):
        if isinstance(answer, Statement) and isinstance(gold.shape, Scalar):
            return _statements(Statement((gold.left, gold.shape.value), ("=",)), answer)
        return same(gold.shape, answer, terms)
    assert isinstance(answer, Named)
    if isinstance(gold, Statement) and isinstance(answer.shape, Scalar):
        return _statements(gold, Statement((answer.left, answer.shape.value), ("=",)))
    return same(gold, answer.shape, terms)


def _scalars(gold: Scalar, answer: Scalar, terms: Terms) -> str:
    if gold.unit and answer.unit and gold.unit != answer.unit and {gold.unit, answer.unit} != {"deg", "rad"}:
        return f"the unit is {answer.unit!r}, not {gold.unit!r}"
    if terms.units_needed and gold.unit and not answer.unit:
        return f"the unit {gold.unit!r} is missing"
    if (based := _bases(gold.value, answer.value)) is not None:
        return based
    if isinstance(gold.value, Number) and equality.leaves_work(answer.value):
        return "an expression that is not worked out"
    if terms.tolerance:
        return _within(gold.value, answer.value, terms.tolerance)
    if is_matrix(gold.value) or is_matrix(answer.value):
        return _matrices(gold.value, answer.value, terms)
    if equal(gold.value, answer.value) or _same_angle(gold, answer):
        return ""
    return "not equal"


def _same_angle(gold: Scalar, answer: Scalar) -> bool:
    """Whether one side in degrees is the other in radians."""
    if {gold.unit, answer.unit} not in ({"deg", ""}, {"deg", "rad"}):
        return False
    one, two = (tree.product([side.value, DEGREE]) if side.unit == "deg" else side.value for side in (gold, answer))
    return equal(one, two)


def _bases(gold: Expression, answer: Expression) -> str | None:
    """Numbers written in a base are equal to numbers written in the same base only."""
    bases = [node.args[1] if isinstance(node, Apply) and node.head == "base" else None for node in (gold, answer)]
    if bases == [None, None] or bases[0] == bases[1]:
        return None
    ten = Number(Fraction(10))
    if {bases[0] or ten, bases[1] or ten} == {ten}:
        return None
    return "a number in another base"


def _within(gold: Expression, answer: Expression, tolerance: Fraction) -> str:
    one, two = equality.rational_value(gold), equality.rational_value(answer)
    if one is not None and two is not None:
        return "" if abs(one - two) <= tolerance else f"further than {float(tolerance):g} away"
    try:
        distance = abs(evaluate(gold, {})[0] - evaluate(answer, {})[0])
    except (ArithmeticError, ValueError) as error:
        raise TooHardError("a tolerance needs numbers") from error
    return "" if distance <= tolerance else f"further than {float(tolerance):g} away"


def _groups(gold: Group, answer: Group, terms: Terms) -> str:
    if len(gold.items) > MAX_ITEMS or len(answer.items) > MAX_ITEMS:
        raise TooHardError(f"more than {MAX_ITEMS} values")
    if gold.kind == "tuple" and answer.kind == "set" and terms.ordered is not False:
        return "a set, not an ordered tuple"
    if gold.kind == "set" and answer.kind == "tuple":
        return "an ordered tuple, not a set"
    written = {gold.brackets, answer.brackets}
    if len(gold.items) == 2 and written in ({"()", "[]"}, {"(]", "[)"}, {"", "[]"}):
        return "other brackets: an end belongs to it or doesn't"
    if _is_ordered(gold, answer, terms):
        return _in_order(gold.items, answer.items, terms)
    if gold.kind == "set":
        gold, answer = (
            replace(gold, items=_distinct(gold.items, terms)),
            replace(answer, items=_distinct(answer.items, terms)),
        )
    return _in_any_order(gold.items, answer.items, terms)


def _is_ordered(gold: Group, answer: Group, terms: Terms) -> bool:
    if terms.ordered is not None:
        return terms.ordered
    return (
        gold.kind == "tuple"
        or answer.kind == "tuple"
        or any(item == Words("...") for item in (*gold.items, *answer.items))
    )


def _in_order(gold: Sequence[Shape], answer: Sequence[Shape], terms: Terms) -> str:
    if len(gold) != len(answer):
        return f"{len(answer)} values, not {len(gold)}"
    for place, (one, two) in enumerate(zip(gold, answer, strict=True), 1):
        if reason := same(one, two, terms):
            return f"value {place}: {reason}"
    return ""


def _in_any_order(gold: Sequence[Shape], answer: Sequence[Shape], terms: Terms) -> str:
    if len(gold) != len(answer):
        return f"{len(answer)} values, not {len(gold)}"
    left = list(answer)
    for one in gold:
        match = next((place for place, two in enumerate(left) if not _tried(one, two, terms)), None)
        if match is None:
            return "one of the values is missing"
        left.pop(match)
    return ""


def _tried(gold: Shape, answer: Shape, terms: Terms) -> str:
    if gold == answer and not isinstance(gold, Words):
        return "" if not isinstance(gold, Scalar) else same(gold, answer, terms)
    return same(gold, answer, terms)


def _distinct(items: Sequence[Shape], terms: Terms) -> tuple[Shape, ...]:
    kept: list[Shape] = []
    for item in items:
        if all(same(other, item, terms) for other in kept):
            kept.append(item)
    return tuple(kept)


def _reals(gold: Shape, answer: Shape) -> str:
    one, two = (side if isinstance(side, Reals) else interval_of(side) for side in (gold, answer))
    if one is None or two is None:
        return "not a set of numbers of the same kind"
    if one.name and two.name and one.name != two.name:
        return f"a condition on {two.name}, not on {one.name}"
    left, right = merged(one.pieces), merged(two.pieces)
    if len(left) != len(right):
        return "another set"
    for first, second in zip(left, right, strict=True):
        if not (equal(first.low, second.low) and equal(first.high, second.high)):
            return "another end"
        if first.closed != second.closed:
            return "an end belongs to it or doesn't"
    return ""


def _statements(gold: Shape, answer: Shape) -> str:
    if not isinstance(gold, Statement) or not isinstance(answer, Statement):
        return "an equation is no value" if isinstance(answer, Statement) else "a value is no equation"
    if len(gold.signs) != 1 or len(answer.signs) != 1:
        return "" if gold == answer else "another chain of relations"
    sign, other = gold.signs[0], answer.signs[0]
    one, two = _difference(gold), _difference(answer)
    if sign == other == "=" or sign == other == "!=":
        return "" if _proportional(one, two, None) else "another equation"
    if _FLIPPED.get(sign) == other:
        two, other = negative(two), sign
    return "" if sign == other and _proportional(one, two, 1) else "another relation"


_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _difference(statement: Statement) -> Expression:
    return Apply("+", (statement.sides[0], negative(statement.sides[1])))


def _proportional(one: Expression, two: Expression, sign: int | None) -> bool:
    """Whether one expression is a constant times the other; a positive one where `sign` is 1."""
    try:
        places = {
            name: complex(0.7 + 0.31 * index)
            for index, name in enumerate(sorted(tree.symbols(one) | tree.symbols(two)))
        }
        ratio = evaluate(one, places)[0] / evaluate(two, places)[0]
    except (ArithmeticError, ValueError):
        return False
    if abs(ratio.imag) > 1e-9 or (sign and ratio.real < 0):
        return False
    factor = Fraction(ratio.real).limit_denominator(10_000)
    return bool(factor) and equal(one, Apply("*", (Number(factor), two)))


def _ratios(gold: Shape, answer: Shape, terms: Terms) -> str:
    if isinstance(gold, Ratio) and isinstance(answer, Ratio):
        if gold.written == answer.written:
            return ""
        if _is_time(gold) and _is_time(answer):
            return "another time"
        if len(gold.parts) != len(answer.parts):
            return f"{len(answer.parts)} parts, not {len(gold.parts)}"
        first, *rest = zip(gold.parts, answer.parts, strict=True)
        products = [((first[0], two), (one, first[1])) for one, two in rest]
        return "" if all(equal(Apply("*", left), Apply("*", right)) for left, right in products) else "another ratio"
    one, two = (side if isinstance(side, Ratio) else None for side in (gold, answer))
    ratio, other = one or two, answer if one else gold
    if ratio is None or len(ratio.parts) != 2 or not isinstance(other, Scalar) or other.unit:
        return "not a ratio"
    return "" if equal(quotient(*ratio.parts), other.value) else "another ratio"


def _is_time(ratio: Ratio) -> bool:
    hours, _, minutes = ratio.written.partition(":")
    return hours.isdigit() and minutes[:2].isdigit() and len(minutes) >= 2


def _matrices(gold: Expression, answer: Expression, terms: Terms) -> str:
    one, two = rows(gold), rows(answer)
    if one is None or two is None:
        return "not a matrix" if two is None else "a matrix"
    if [len(row) for row in one] != [len(row) for row in two]:
        return "a matrix of another size"
    for first, second in zip([cell for row in one for cell in row], [cell for row in two for cell in row], strict=True):
        if reason := _scalars(Scalar(first), Scalar(second), terms):
            return f"an entry is {reason}"
    return ""


def _mixed(gold: Shape, answer: Shape, terms: Terms) -> str:
    """A group on one side only: a list of one, or a matrix or vector written with brackets."""
    if isinstance(gold, Scalar) and is_matrix(gold.value) and (matrix := as_matrix(answer)) is not answer:
        return same(gold, matrix, terms)
    vectors = [vector(side) for side in (gold, answer)]
    if vectors[0] is not None and vectors[1] is not None:
        return _in_order(vectors[0], vectors[1], terms)
    if isinstance(answer, Group):
        if len(answer.items) == 1 and answer.kind != "tuple":
            return same(gold, answer.items[0], terms)
        return f"several values ({len(answer.items)}) for one"
    if isinstance(gold, Group) and len(gold.items) == 1 and gold.kind != "tuple":
        return same(gold.items[0], answer, terms)
    return f"one value, not {len(gold.items)}" if isinstance(gold, Group) else "something of another kind"
