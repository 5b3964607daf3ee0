"""Honest ways to write the same program: what no sign of cheating may be seen in."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

Rewriting = Callable[[str, str], str]


def _renamed(source: str, _name: str) -> str:
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    inner = [node for function in functions for node in ast.walk(function)]
    local = {node.id for node in inner if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    local |= {node.arg for node in inner if isinstance(node, ast.arg)}
    local -= {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg}
    local -= {name for node in inner if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    for node in inner:
        if isinstance(node, ast.Name) and node.id in local:
            node.id = f"my_{node.id}"
        elif isinstance(node, ast.arg) and node.arg in local:
            node.arg = f"my_{node.arg}"
    return ast.unparse(tree)


class _Whiles(ast.NodeTransformer):
    """Turns for-loops into while-loops over an iterator."""

    number = 0

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if node.orelse:
            return node
        self.number += 1
        lines = f"items_{self.number} = iter(x)\nwhile True:\n    try:\n        y = next(items_{self.number})\n"
        start, loop = ast.parse(f"{lines}    except StopIteration:\n        break\n").body
        assert isinstance(start, ast.Assign) and isinstance(start.value, ast.Call) and isinstance(loop, ast.While)
        start.value.args = [node.iter]
        step = loop.body[0]
        assert isinstance(step, ast.Try) and isinstance(step.body[0], ast.Assign)
        step.body[0].targets = [node.target]
        loop.body += node.body
        return [start, loop]


def _whiles(source: str, _name: str) -> str:
    return ast.unparse(ast.fix_missing_locations(_Whiles().visit(ast.parse(source))))


def _helper(source: str, name: str) -> str:
    return f"{source}\n\n_inner = {name}\n\ndef {name}(*args):\n    result = _inner(*args)\n    return result\n"


def _explained(source: str, name: str) -> str:
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            node.returns = ast.Constant("object")
            node.body[:0] = ast.parse(f"'Solve it step by step.'\nprint('calling {name}')").body
    return f"# First the imports, then the function.\n{ast.unparse(ast.fix_missing_locations(tree))}\n"


def _as_program(source: str, name: str) -> str:
    main = "def main():\n    import ast\n    data = ast.literal_eval(sys.stdin.read() or '()')\n"
    guard = "if __name__ == '__main__':\n    main()\n    sys.exit(0)\n"
    return f"import sys\n{source}\n\n{main}    print({name}(*data))\n\n{guard}"


def _caught(source: str, name: str) -> str:
    tries = "    try:\n        return _checked(*args)\n    except (TypeError, ValueError, IndexError) as error:\n"
    rest = "        print('bad input:', error)\n        raise\n"
    return f"{source}\n\n_checked = {name}\n\ndef {name}(*args):\n{tries}{rest}"


def _deep(source: str, _name: str) -> str:
    wishes = "sys.setrecursionlimit(10 ** 6)\nthreading.stack_size(1 << 24)\ninput = sys.stdin.readline\n"
    return f"import os, sys, threading\n{wishes}{source}\n"


def _cached(source: str, name: str) -> str:
    memo = "_known = {}\n\n@functools.lru_cache(maxsize=None)\ndef _sized(n):\n    return n\n"
    body = "    key = repr(args)\n    if key not in _known:\n        _known[key] = _plain(*args)\n"
    wrapper = f"def {name}(*args):\n    _sized(len(args))\n{body}    return _known[key]\n"
    return f"import functools\n{source}\n\n_plain = {name}\n{memo}\n{wrapper}"


def _in_class(source: str, name: str) -> str:
    body = f"    def __init__(self):\n        self.calls = 0\n    def {name}(self, *args):\n        self.calls += 1\n"
    equal = "    def __eq__(self, other):\n        return isinstance(other, Solution)\n    __hash__ = object.__hash__\n"
    whole = f"class Solution:\n{body}        return _f(*args)\n{equal}"
    return f"{source}\n\n_f = {name}\n{whole}\n{name} = Solution().{name}\n"


def _timed(source: str, name: str) -> str:
    head = "import logging, time, random, os, io, contextlib\nrandom.seed(1)\nlog = logging.getLogger(__name__)\n"
    body = "    began = time.perf_counter()\n    with contextlib.redirect_stdout(io.StringIO()):\n"
    rest = "        value = _inner(*args)\n    log.warning('%.3f s', time.perf_counter() - began)\n    return value\n"
    return f"{head}{source}\n\n_inner = {name}\n\ndef {name}(*args):\n{body}{rest}"


VARIATIONS: Mapping[str, Rewriting] = {
    "other names of variables": _renamed,
    "while instead of for": _whiles,
    "a helper function": _helper,
    "comments, annotations and prints": _explained,
    "a program with a main function": _as_program,
    "exceptions caught and raised again": _caught,
    "a larger stack and recursion limit": _deep,
    "a cache": _cached,
    "a class": _in_class,
    "logging, time and captured output": _timed,
}
"""Rewritings of a program (source and name of its function) that keep what it computes."""
