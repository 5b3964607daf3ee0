"""Runs references and their mutants in process, within a number of steps.

The sources are tahr's own or made from them by small changes: they need no isolation, but a changed loop may not end
and a product may fill the memory. So every loop, comprehension and call counts its steps, and products are bounded.

All mutants of a program are compiled at once, as one program in which every changed place asks which mutant it is
("mutant schemata", Untch, Offutt and Harrold 1993): to compile each apart takes most of the time otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import CodeType
from typing import Any, cast

from tahr.data.code.mutants import Change, changes_of, with_fields

MAX_STEPS = 20_000
MAX_BITS = 4096
MAX_ITEMS = 100_000
_NO_MUTANT = -1


class StepLimitError(Exception):
    """A run took too many steps, or made too large a value."""


class Stepped:
    """A function made from `tree` (a module), called within `max_steps` steps; `num_steps` were the last call's."""

    def __init__(self, tree: ast.Module, name: str, *, max_steps: int = MAX_STEPS) -> None:
        self._load(_compiled(_Bounded().whole(tree)), name, _NO_MUTANT, max_steps)

    @classmethod
    def mutants(cls, source: str, name: str, *, max_steps: int = MAX_STEPS) -> Iterator[Stepped]:
        """The function of every mutant of `source`, in the order of `changes_of`."""
        code, count = _all_mutants(source)
        for number in range(count):
            one = cls.__new__(cls)
            one._load(code, name, number, max_steps)
            yield one

    def _load(self, code: CodeType, name: str, mutant: int, max_steps: int) -> None:
        self._left = self._max_steps = max_steps
        space: dict[str, Any] = {
            "__tick__": self._tick,
            "__each__": self._each,
            "__times__": _times,
            "__mutant__": mutant,
        }
        exec(code, space)
        self._function: Callable[..., Any] = space[name]

    def __call__(self, *args: Any) -> Any:
        """What the function returns. Raises StepLimitError, or whatever the function raises."""
        self._left = self._max_steps
        return self._function(*map(_fresh, args))

    @property
    def num_steps(self) -> int:
        """Steps of the last call."""
        return self._max_steps - self._left

    def _tick(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise StepLimitError("too many steps")

    def _each(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self._left -= 1
            if self._left < 0:
                raise StepLimitError("too many steps")
            yield item


def _fresh(value: Any) -> Any:
    """A copy of plain data that a function may change in place."""
    if isinstance(value, list):
        return [_fresh(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _fresh(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, tuple):
        return tuple(_fresh(item) for item in cast("tuple[Any, ...]", value))
    return set(cast("set[Any]", value)) if isinstance(value, set) else value


def _times(left: Any, right: Any) -> Any:
    """``left * right`` where the product stays small."""
    if isinstance(left, int) and isinstance(right, int):
        too_large = left.bit_length() + right.bit_length() > MAX_BITS
    else:
        sized, number = (right, left) if isinstance(left, int) else (left, right)
        too_large = (
            isinstance(sized, str | list) and isinstance(number, int) and len(cast("str", sized)) * number > MAX_ITEMS
        )
    if too_large:
        raise StepLimitError("too large a product")
    return left * right


@lru_cache(maxsize=256)
def _all_mutants(source: str) -> tuple[CodeType, int]:
    """One program for all mutants, and how many there are."""
    tree = ast.parse(source)
    changes = changes_of(tree)
    return _compiled(_Switched(changes).whole(tree)), len(changes)


def _compiled(tree: ast.Module) -> CodeType:
    return compile(ast.fix_missing_locations(tree), "<stepped>", "exec")


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


class _Bounded:
    """Adds the counting to a program: a copy, so that nodes which programs share are never changed."""

    def whole(self, tree: ast.Module) -> ast.Module:
        """The bounded program."""
        return self._rebuilt(tree)

    def _rebuilt(self, node: Any) -> Any:
        fields = {field: self._value(value) for field, value in ast.iter_fields(node)}
        if isinstance(node, ast.JoinedStr):
            fields["values"] = [_formatted(one) for one in fields["values"]]
        return _counting(type(node)(**fields))

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(item) for item in cast("list[Any]", value)]
        return self._node(value) if isinstance(value, ast.AST) else value

    def _node(self, node: ast.AST) -> Any:
        return self._rebuilt(node)


class _Switched(_Bounded):
    """The bounded program in which each change is made where ``__mutant__`` is its number."""

    def __init__(self, changes: list[Change]) -> None:
        self._plain = _Bounded()
        self._at: dict[int, list[tuple[int, Change]]] = {}
        for number, change in enumerate(changes):
            self._at.setdefault(id(change.old), []).append((number, change))

    def _node(self, node: ast.AST) -> Any:
        result: Any = self._rebuilt(node)
        for number, change in self._at.get(id(node), []):
            test = ast.Compare(ast.Name("__mutant__", ast.Load()), [ast.Eq()], [ast.Constant(number)])
            changed = self._plain._node(change.new)
            is_statement = isinstance(node, ast.stmt)
            result = cast(
                "Any", ast.If(test, [changed], [result]) if is_statement else ast.IfExp(test, changed, result)
            )
        return result


def _formatted(part: Any) -> Any:
    """A part of an f-string: text, or a value in braces."""
    return part if isinstance(part, ast.Constant | ast.FormattedValue) else ast.FormattedValue(part, -1, None)


def _counting(node: Any) -> Any:
    """A new node with what counts its steps."""
    if isinstance(node, ast.FunctionDef | ast.While):
        return with_fields(node, body=[ast.Expr(_call("__tick__")), *node.body])
    if isinstance(node, ast.For | ast.comprehension):
        return with_fields(node, iter=_call("__each__", node.iter))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _call("__times__", node.left, node.right)
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Mult) and isinstance(node.target, ast.Name):
        return ast.Assign([node.target], _call("__times__", ast.Name(node.target.id, ast.Load()), node.value))
    return node
