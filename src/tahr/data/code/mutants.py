"""Mutants of a program: copies with one small mistake each, which good tests must tell from the original.

The operators are the usual ones of mutation testing (DeMillo, Lipton and Sayward 1978; Offutt et al. 1996): arithmetic
and comparison operators, constants, off by one, negated conditions, dropped branches and statements, swapped arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

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
_DROPPED = (ast.AugAssign, ast.Continue, ast.Break, ast.Expr, ast.Assign)
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One small mistake: `new` in the place of `old`, an expression for an expression or a statement for a statement.

    Example: ``Change(operator="arithmetic", old=ast.parse("x + 1", mode="eval").body, new=ast.parse("x - 1",
    mode="eval").body)``
    """

    operator: str
    old: ast.expr | ast.stmt
    new: ast.expr | ast.stmt


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A changed program, and which operator changed it at which line. It shares what is unchanged with other mutants.

    Example: ``Mutant(tree=ast.parse("def f(x): return x - 1"), operator="arithmetic", line=1)``
    """

    tree: ast.Module
    operator: str
    line: int


def mutants(source: str) -> list[Mutant]:
    """Every program that one operator makes of `source` at one place, in the order of `changes_of`."""
    tree = ast.parse(source)
    return [Mutant(tree=applied(tree, one), operator=one.operator, line=one.old.lineno) for one in changes_of(tree)]


def applied(tree: ast.Module, change: Change) -> ast.Module:
    """The program with one of its changes made."""
    return _replaced(tree, change.old, change.new)


def changes_of(tree: ast.Module) -> list[Change]:
    """What the operators do to a program, outer places first. `tree` stays as it is; changes share its nodes."""
    outermost = {id(statement) for statement in tree.body}
    found: list[Change] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt):
            made = list(_changes(node))
            if isinstance(node, _DROPPED) and id(node) not in outermost and not _is_docstring(node):
                made.append(("dropped statement", ast.Pass()))
            found += [Change(operator=operator, old=node, new=ast.copy_location(new, node)) for operator, new in made]
    return found


def _replaced(node: Node, old: ast.AST, new: Any) -> Node:
    """`node` with `new` for `old` somewhere below it; what lies beside the way there is shared."""
    if node is old:
        return new
    changed: dict[str, Any] = {}
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            other: Any = _replaced(value, old, new)
            if other is not value:
                changed[field] = other
        elif isinstance(value, list):
            items = [_replaced(item, old, new) if isinstance(item, ast.AST) else item for item in value]
            if any(one is not item for one, item in zip(items, value, strict=True)):
                changed[field] = items
    return with_fields(node, **changed) if changed else node


def with_fields(node: Node, **fields: Any) -> Node:
    """A copy of a node that shares its children, with other values of some fields."""
    return type(node)(**{**vars(node), **fields})


Made = Iterator[tuple[str, ast.expr | ast.stmt]]


def _changes(node: ast.expr | ast.stmt) -> Made:
    """The names of the operators that apply at `node`, and what each makes of it."""
    if isinstance(node, ast.BinOp | ast.AugAssign):
        if (other := _ARITHMETIC.get(type(node.op))) is not None:
            yield "arithmetic", with_fields(node, op=other())
    elif isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            for kind in _COMPARISONS[type(operator)]:
                yield "comparison", with_fields(node, ops=[*node.ops[:index], kind(), *node.ops[index + 1 :]])
    elif isinstance(node, ast.BoolOp):
        yield "logic", with_fields(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.If | ast.IfExp):
        yield "negated condition", with_fields(node, test=_at(node, ast.UnaryOp(ast.Not(), node.test)))
        yield "dropped branch", with_fields(node, test=_at(node, ast.Constant(False)))
        yield "dropped branch", with_fields(node, test=_at(node, ast.Constant(True)))


def _at(node: ast.AST, new: ast.expr) -> ast.expr:
    return ast.copy_location(new, node)


def _constants(node: ast.Constant) -> Made:
    value = node.value
    if type(value) is bool:
        yield "constant", with_fields(node, value=not value)
    elif type(value) is int or type(value) is float:
        yield "off by one", with_fields(node, value=value + 1)
        yield "off by one", with_fields(node, value=value - 1)
    elif type(value) is str:
        yield "constant", with_fields(node, value=value[1:] if value else "x")


def _calls(node: ast.Call) -> Made:
    if len(node.args) >= 2 and not any(isinstance(arg, ast.Starred) for arg in node.args):
        first, second = node.args[:2]
        if ast.dump(first) != ast.dump(second):
            yield "swapped arguments", with_fields(node, args=[second, first, *node.args[2:]])
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in _SWAPPED_NAMES:
        yield "call", with_fields(node, func=_at(node, ast.Name(_SWAPPED_NAMES[name], ast.Load())))
    if name == "range" and len(node.args) == 1:
        yield "off by one", with_fields(node, args=[_at(node, ast.BinOp(node.args[0], ast.Sub(), _one(node)))])
    if name in {"sorted", "set", "abs"} and not node.keywords:
        plain = "list" if name != "abs" else "int"
        yield "dropped call", with_fields(node, func=_at(node, ast.Name(plain, ast.Load())))


def _one(node: ast.AST) -> ast.expr:
    return _at(node, ast.Constant(1))


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
