"""Mutants of a program: copies with one small mistake each, which good tests must tell from the original.

The operators are the usual ones of mutation testing (DeMillo, Lipton and Sayward 1978; Offutt et al. 1996): arithmetic
and comparison operators, constants, off by one, negated conditions, dropped branches and statements, swapped arguments.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_SWAPPED_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A changed program, and which operator changed it at which line.

    Example: ``Mutant(tree=ast.parse("def f(x): return x - 1"), operator="arithmetic", line=1)``
    """

    tree: ast.Module
    operator: str
    line: int


def mutants(source: str) -> list[Mutant]:
    """Every program that one operator makes of `source` at one place, without doubles, in the order of the source."""
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    made: list[Mutant] = []
    for place, node in enumerate(ast.walk(tree)):
        for operator, change in _changes(node):
            changed = copy.deepcopy(tree)
            target = _nth(changed, place)
            change(target)
            text = ast.unparse(ast.fix_missing_locations(changed))
            if text not in seen:
                seen.add(text)
                made.append(Mutant(tree=changed, operator=operator, line=getattr(node, "lineno", 0)))
    return made


def _nth(tree: ast.Module, place: int) -> Any:
    for number, node in enumerate(ast.walk(tree)):
        if number == place:
            return node
    raise IndexError(place)


Change = tuple[str, Callable[[Any], None]]


def _changes(node: ast.AST) -> Iterator[Change]:
    """The operators that apply at `node`, each as a change in place."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _ARITHMETIC:
        yield "arithmetic", _setting("op", _ARITHMETIC[type(node.op)]())
    elif isinstance(node, ast.Compare):
        yield from _comparisons(node)
    elif isinstance(node, ast.BoolOp):
        yield "logic", _setting("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.If | ast.IfExp):
        yield from _branches(node)
    yield from _statements(node)


def _setting(field: str, value: Any) -> Callable[[Any], None]:
    def change(node: Any) -> None:
        setattr(node, field, copy.deepcopy(value))

    return change


def _comparisons(node: ast.Compare) -> Iterator[Change]:
    for index, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            ops = [*node.ops[:index], other(), *node.ops[index + 1 :]]
            yield "comparison", _setting("ops", ops)


def _constants(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if type(value) is bool:
        yield "constant", _setting("value", not value)
    elif type(value) is int:
        yield "off by one", _setting("value", value + 1)
        yield "off by one", _setting("value", value - 1)
    elif type(value) is str:
        yield "constant", _setting("value", value[1:] if value else "x")


def _calls(node: ast.Call) -> Iterator[Change]:
    if len(node.args) >= 2 and not any(isinstance(arg, ast.Starred) for arg in node.args):
        yield "swapped arguments", _setting("args", [node.args[1], node.args[0], *node.args[2:]])
    if isinstance(node.func, ast.Name) and node.func.id in _SWAPPED_NAMES:
        yield "call", _setting("func", ast.Name(_SWAPPED_NAMES[node.func.id], ast.Load()))
    if isinstance(node.func, ast.Name) and node.func.id == "range" and len(node.args) == 1:
        yield "off by one", _setting("args", [ast.BinOp(node.args[0], ast.Sub(), ast.Constant(1))])
    if isinstance(node.func, ast.Name) and node.func.id in {"sorted", "set", "abs"} and not node.keywords:
        yield "dropped call", _setting("func", ast.Name("list" if node.func.id != "abs" else "int", ast.Load()))


def _branches(node: ast.If | ast.IfExp) -> Iterator[Change]:
    yield "negated condition", _setting("test", ast.UnaryOp(ast.Not(), node.test))
    yield "dropped branch", _setting("test", ast.Constant(False))
    yield "dropped branch", _setting("test", ast.Constant(True))


def _statements(node: ast.AST) -> Iterator[Change]:
    """Leave out one statement of a block, but for definitions and the docstring."""
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        if not isinstance(block, list) or isinstance(node, ast.Module):
            continue
        for index, statement in enumerate(block):
            if isinstance(statement, ast.AugAssign | ast.Continue | ast.Break | ast.Expr | ast.Assign):
                rest = [*block[:index], *block[index + 1 :]] or [ast.Pass()]
                yield "dropped statement", _setting(field, rest)
