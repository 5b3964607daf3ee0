"""Runs references and their mutants in process, within a number of steps.

The sources are tahr's own or made from them by small changes: they need no isolation, but a changed loop may not end
and a product may fill the memory. So every loop, comprehension and call counts its steps, and products are bounded.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

MAX_STEPS = 20_000
MAX_BITS = 4096
MAX_ITEMS = 100_000


class StepLimitError(Exception):
    """A run took too many steps, or made too large a value."""


class Stepped:
    """A function made from `tree` (a module), called within `MAX_STEPS` steps."""

    def __init__(self, tree: ast.Module, name: str) -> None:
        self._left = 0
        bounded = ast.fix_missing_locations(_Bounded().visit(copy.deepcopy(tree)))
        space: dict[str, Any] = {"__tick__": self._tick, "__each__": self._each, "__times__": _times}
        exec(compile(bounded, f"<{name}>", "exec"), space)
        self._function: Callable[..., Any] = space[name]

    def __call__(self, *args: Any) -> Any:
        """What the function returns. Raises StepLimitError, or whatever the function raises."""
        self._left = MAX_STEPS
        return self._function(*copy.deepcopy(args))

    def _tick(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise StepLimitError("too many steps")

    def _each(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self._tick()
            yield item


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


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


class _Bounded(ast.NodeTransformer):
    """Adds the counting to a program."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_call("__tick__")))
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_call("__tick__")))
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call("__each__", node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call("__each__", node.iter)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call("__times__", node.left, node.right) if isinstance(node.op, ast.Mult) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mult) or not isinstance(node.target, ast.Name):
            return node
        return ast.Assign([node.target], _call("__times__", ast.Name(node.target.id, ast.Load()), node.value))
