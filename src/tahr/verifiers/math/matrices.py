"""Matrices and vectors in all the ways they are written."""

from __future__ import annotations

from collections.abc import Sequence

from tahr.verifiers.math import equality, tree
from tahr.verifiers.math.shapes import Group, Scalar, Shape
from tahr.verifiers.math.tree import Apply, Expression, Number


def is_matrix(expression: Expression) -> bool:
    """Whether a matrix is part of it."""
    return "matrix" in tree.heads(expression)


def rows(expression: Expression) -> list[tuple[Expression, ...]] | None:
    """The cells of a matrix, a factor in front of it multiplied in; None where it is none."""
    if isinstance(expression, Apply) and expression.head == "matrix":
        return [row.args for row in expression.args if isinstance(row, Apply)]
    if isinstance(expression, Apply) and expression.head == "*" and sum(map(is_matrix, expression.args)) == 1:
        factors = tuple(argument for argument in expression.args if not is_matrix(argument))
        inside = next((rows(argument) for argument in expression.args if is_matrix(argument)), None)
        return inside and [tuple(_scaled(factors, cell) for cell in row) for row in inside]
    return None


def _scaled(factors: Sequence[Expression], cell: Expression) -> Expression:
    value = equality.rational_value(Apply("*", (*factors, cell)))
    return Apply("*", (*factors, cell)) if value is None else Number(value)


def as_matrix(side: Shape) -> Shape:
    """Rows in brackets as a matrix; any other shape as it is."""
    if not isinstance(side, Group) or not all(isinstance(row, Group) and row.kind == "tuple" for row in side.items):
        return side
    items = [row.items for row in side.items if isinstance(row, Group)]
    cells = [tuple(cell.value for cell in row if isinstance(cell, Scalar)) for row in items]
    if [len(row) for row in cells] != [len(row) for row in items] or len({len(row) for row in cells}) != 1:
        return side
    return Scalar(Apply("matrix", tuple(Apply("row", row) for row in cells)))


def vector(side: Shape) -> tuple[Shape, ...] | None:
    """The parts of a tuple, a list, or a matrix of one row or one column; None where it is none of them."""
    if isinstance(side, Group):
        return side.items if side.kind in {"tuple", "list"} else None
    cells = rows(side.value) if isinstance(side, Scalar) else None
    if cells is None or not (len(cells) == 1 or all(len(row) == 1 for row in cells)):
        return None
    return tuple(Scalar(cell) for row in cells for cell in row)
