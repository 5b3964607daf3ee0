"""The tests of a row in each of the forms that data sets write them in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from tahr.core.errors import InputError
from tahr.core.plain_values import to_json
from tahr.data.code_rows.assertions import compiles, function_under_test
from tahr.data.code_rows.cells import cell, text, text_or_texts, texts
from tahr.data.code_rows.layout import CodeColumns, Form
from tahr.data.code_rows.packed import read_json, read_packed
from tahr.data.columns import RowError
from tahr.data.rows import Row

MAX_TESTS = 1000
IMPORTS = "from typing import *\nfrom collections import *\nimport bisect, functools, heapq, itertools, math, string\n"
"""What stands before programs with a class Solution, which their site provides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTests:
    """A row's tests as the "code" verifier takes them; `public` ones stand in the statement already.

    Example: ``RowTests(kind="stdio", hidden=[{"stdin": "1 2\\n", "stdout": "3\\n"}])``
    """

    kind: str
    entry_point: str = ""
    public: list[Any] = field(default_factory=list[Any])
    hidden: list[Any] = field(default_factory=list[Any])
    setup: str = ""


def read_tests(row: Row, columns: CodeColumns) -> RowTests:
    """The tests of one row. Raises RowError that names the column."""
    if columns.form is None:
        raise InputError("the mapping of columns says nothing about 'form'")
    found = _READERS[columns.form](row, columns)
    number = len(found.public) + len(found.hidden)
    if not 0 < number <= MAX_TESTS:
        raise RowError(f"column {columns.tests!r} must give 1 to {MAX_TESTS} tests, not {number}")
    return found


def _assertions(row: Row, columns: CodeColumns) -> RowTests:
    tests = [*texts(row, columns.tests), *texts(row, columns.hidden)]
    setup = "\n".join(text_or_texts(row, columns.setup))
    for column, sources in ((columns.tests, tests), (columns.setup, [setup])):
        if wrong := next((source for source in sources if not compiles(source)), None):
            raise RowError(f"column {column!r} is not Python: {wrong[:80]!r}")
    solution = next(iter(text_or_texts(row, columns.solution)), "")
    name = text(row, columns.entry_point) or function_under_test(tests, setup, solution)
    if not name.isidentifier():
        raise RowError(f"column {columns.tests!r} calls no function that could be the one asked for")
    return RowTests(kind="assert", entry_point=name, hidden=list(dict.fromkeys(tests)), setup=setup)


def _inputs_outputs(row: Row, columns: CodeColumns) -> RowTests:
    table = _table(read_json(cell(row, columns.tests) or None, str(columns.tests)), columns.tests)
    inputs, outputs = table.get("inputs"), table.get("outputs")
    if not isinstance(inputs, list) or not isinstance(outputs, list):
        raise RowError(f"column {columns.tests!r} needs the lists inputs and outputs")
    ins, outs = cast("list[Any]", inputs), cast("list[Any]", outputs)
    if len(ins) != len(outs):
        raise RowError(f"column {columns.tests!r} has {len(ins)} inputs and {len(outs)} outputs")
    name = text(row, columns.entry_point) or table.get("fn_name")
    if not name:
        pairs = zip(ins, outs, strict=True)
        return RowTests(kind="stdio", hidden=[_exchange(given, wanted, columns.tests) for given, wanted in pairs])
    if all(isinstance(one, list) and len(cast("list[Any]", one)) == 1 for one in outs):
        outs = [one[0] for one in outs]  # the data set wraps what is returned into a list
    calls: list[Any] = []
    for args, expected in zip(ins, outs, strict=True):
        if not isinstance(args, list):
            raise RowError(f"column {columns.tests!r}: the input of a call must be a list of arguments")
        calls.append(_call(cast("list[Any]", args), expected))
    return _of_calls(row, columns, str(name), [], calls)


def _cases(row: Row, columns: CodeColumns) -> RowTests:
    public = _listed(row, columns.tests)
    hidden = _listed(row, columns.hidden)
    kinds = {case.get("testtype", "stdin") for case in (*public, *hidden)}
    if len(kinds) > 1 or not kinds <= {"stdin", "functional"}:
        raise RowError(f"column {columns.tests!r}: testtype must be stdin or functional, not {sorted(map(str, kinds))}")
    sides = ((public, columns.tests), (hidden, columns.hidden))
    if kinds <= {"stdin"}:
        shown, kept = ([_exchange(one.get("input"), one.get("output"), name) for one in side] for side, name in sides)
        return RowTests(kind="stdio", public=shown, hidden=kept)
    name = text(row, columns.entry_point)
    shown, kept = ([_lines_as_call(one, column) for one in side] for side, column in sides)
    return _of_calls(row, columns, name, shown, kept)


def _of_calls(row: Row, columns: CodeColumns, name: str, public: list[Any], hidden: list[Any]) -> RowTests:
    """Calls of a function, or of a method where the code to begin with or the solution has a class Solution."""
    if not name.isidentifier():
        where = columns.entry_point or columns.tests
        raise RowError(f"column {where!r} names no function to call: {name[:80]!r}")
    given = text(row, columns.starter) or next(iter(text_or_texts(row, columns.solution)), "")
    of_class = any(line.startswith("class Solution") for line in given.splitlines())
    target, setup = (f"Solution().{name}", IMPORTS) if of_class else (name, "")
    return RowTests(kind="call", entry_point=target, public=public, hidden=hidden, setup=setup)


def _listed(row: Row, column: str | None) -> list[dict[str, Any]]:
    found = read_packed(cell(row, column) or [], str(column))
    if not isinstance(found, list):
        raise RowError(f"column {column!r} must be a list of tests")
    return [_table(one, column) for one in cast("list[Any]", found)]


def _table(value: Any, column: str | None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RowError(f"column {column!r} must hold a table of tests, not {repr(value)[:80]}")
    return cast("dict[str, Any]", value)


def _exchange(given: Any, wanted: Any, column: str | None) -> dict[str, str]:
    """Standard input and output; a list of lines is joined."""
    stdin, stdout = (
        "\n".join(map(str, cast("list[Any]", one))) if isinstance(one, list) else one for one in (given, wanted)
    )
    if not isinstance(stdin, str) or not isinstance(stdout, str):
        raise RowError(f"column {column!r}: a test needs its input and output as text")
    return {"stdin": stdin, "stdout": stdout}


def _lines_as_call(case: dict[str, Any], column: str | None) -> dict[str, Any]:
    """A call whose arguments stand as JSON on a line each."""
    given, wanted = case.get("input"), case.get("output")
    if not isinstance(given, str) or not isinstance(wanted, str):
        raise RowError(f"column {column!r}: a test needs its input and output as text")
    return _call(
        [read_json(line, str(column)) for line in given.splitlines() if line.strip()], read_json(wanted, str(column))
    )


def _call(args: list[Any], expected: Any) -> dict[str, Any]:
    return {"args": [to_json(one) for one in args], "expected": to_json(expected)}


_READERS: dict[Form, Callable[[Row, CodeColumns], RowTests]] = {
    "assertions": _assertions,
    "inputs_outputs": _inputs_outputs,
    "cases": _cases,
}
