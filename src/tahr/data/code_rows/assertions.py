"""Which function a list of assertions is about."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Sequence


def compiles(source: str) -> bool:
    """Whether `source` is Python."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def function_under_test(tests: Sequence[str], setup: str, solution: str) -> str:
    """The name that most tests call, of those that the solution defines where there are any; "" where there is none.

    Builtins and what `setup` defines or imports are no candidates.

    >>> function_under_test(["assert set(pick([1, 2])) == {1}"], "", "")
    'pick'
    """
    known = {*vars(builtins), *_bound(setup)}
    counts: Counter[str] = Counter()
    for test in tests:
        counts.update(dict.fromkeys(_called(test), 1))
    names = [name for name, _ in counts.most_common() if name not in known]
    defined = _bound(solution)
    return next((name for name in names if name in defined), next(iter(names), ""))


def _called(source: str) -> list[str]:
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [call.func.id for call in calls if isinstance(call.func, ast.Name)]


def _bound(source: str) -> set[str]:
    """Names that the top level of a program gives something to; none where it is no Python."""
    if not compiles(source):
        return set()
    names: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names
