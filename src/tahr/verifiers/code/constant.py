"""What the best constant answer passes: the floor that partial credit is counted from."""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, TypeVar

from tahr.verifiers.code.compare import form, output_form, same, same_output

T = TypeVar("T")
Check = Callable[[Any], bool]

_OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
}
_NUMBERS = {"abs", "isclose", "approx"}


def share_of_values(expected: Sequence[Any], tolerance: float) -> float:
    """The largest share of calls that must return one and the same value."""
    return _share(expected, form, lambda one, other: same(one, other, tolerance), exact=not tolerance)


def share_of_outputs(expected: Sequence[str], tolerance: float) -> float:
    """The largest share of programs' runs that must print one and the same text."""
    return _share(expected, output_form, lambda one, other: same_output(one, other, tolerance), exact=not tolerance)


def _share(expected: Sequence[T], spelled: Callable[[T], Any], alike: Callable[[T, T], bool], *, exact: bool) -> float:
    counts = Counter(map(spelled, expected))
    if exact:
        return max(counts.values(), default=0) / len(expected)
    kinds = {spelled(one): one for one in expected}
    passed = (sum(counts[key] for key, other in kinds.items() if alike(one, other)) for one in kinds.values())
    return max(passed, default=0) / len(expected)


def share_of_assertions(tests: Sequence[str], entry_point: str) -> float:
    """The largest share of tests whose assertions all hold where the function returns one constant.

    They are read, not run: an assertion that is none of a truth, a comparison with a literal or a small difference
    from one counts as one that no constant fulfils.
    """
    read = [_Test(source, entry_point) for source in tests]
    constants = {form(one): one for one in [True, False, *(one for test in read for one in test.constants)]}
    return max(sum(test.passes(one) for test in read) for one in constants.values()) / len(tests)


class _Test:
    """A test's assertions as conditions on what the function returns, and the constants that they name."""

    def __init__(self, source: str, entry_point: str) -> None:
        self.constants: list[Any] = []
        self._names, self._checks = {"candidate", entry_point}, list[Check]()
        try:
            self._read_all(ast.parse(source))
        except RecursionError:
            self._checks = [_never]

    def _read_all(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                self._names.update(one.arg for one in node.args.args)
            elif isinstance(node, ast.Assign) and self._asks(node.value):
                self._names.update(one.id for one in node.targets if isinstance(one, ast.Name))
        asserted = (node.test for node in ast.walk(tree) if isinstance(node, ast.Assert))
        self._checks = list(chain.from_iterable(map(self._read, asserted)))

    def passes(self, constant: Any) -> bool:
        """Whether all assertions hold."""
        try:
            return bool(self._checks) and all(check(constant) for check in self._checks)
        except (TypeError, ValueError, OverflowError):
            return False

    def _read(self, node: ast.expr) -> Iterable[Check]:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return chain.from_iterable(map(self._read, node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and self._is_asked(node.operand):
            return [operator.not_]
        if self._is_asked(node):
            return [bool]
        if isinstance(node, ast.Call) and _name(node.func) in _NUMBERS and len(node.args) >= 2:
            return self._compared(node.args[0], operator.eq, node.args[1])
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compared(node.left, _OPERATORS[type(node.ops[0])], node.comparators[0])
        return [_never]

    def _compared(self, left: ast.expr, compare: Callable[[Any, Any], Any], right: ast.expr) -> Iterable[Check]:
        near = left.args[0] if isinstance(left, ast.Call) and _name(left.func) == "abs" and left.args else None
        if isinstance(near, ast.BinOp) and isinstance(near.op, ast.Sub) and compare in {operator.lt, operator.le}:
            return self._compared(near.left, operator.eq, near.right)
        if self._asks(left) and self._asks(right):
            return [] if compare in {operator.eq, operator.le, operator.ge} else [_never]
        asked, other = (left, right) if self._asks(left) else (right, left)
        if not self._asks(asked) or not (self._is_asked(asked) or compare is operator.eq):
            return [_never]
        if isinstance(other, ast.Call) and _name(other.func) == "approx" and other.args:
            other = other.args[0]
        value = _literal(other)
        many = isinstance(value, list | tuple | set | frozenset | dict) and asked is left
        self.constants += [*value] if many and compare in {_OPERATORS[ast.In]} else [value]  # pyright: ignore[reportUnknownArgumentType]
        if compare in {operator.is_, operator.is_not}:
            return [lambda one: compare is operator.is_ and type(one) is type(value) and one == value]
        return [(lambda one: bool(compare(one, value))) if asked is left else (lambda one: bool(compare(value, one)))]

    def _asks(self, node: ast.AST) -> bool:
        return any(self._is_asked(one) for one in ast.walk(node))

    def _is_asked(self, node: ast.AST) -> bool:
        """Whether the node is a call of the function, or a name for what it returned."""
        called = node.func if isinstance(node, ast.Call) else node
        return isinstance(node, ast.Call | ast.Name) and ast.unparse(called) in self._names


def _never(_constant: Any) -> bool:
    return False


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _literal(node: ast.expr) -> Any:
    """The value that is written there, else its text, which equals the same text alone."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _Text(ast.unparse(node))


class _Text(str):
    """An expression that is no literal."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Text) and str.__eq__(self, other)
