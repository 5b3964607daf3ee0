"""A task's tests, read once: function calls, assertions, or programs with standard input and output."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

from tahr.core.errors import InputError
from tahr.core.json_text import parse_json
from tahr.core.plain_values import from_json
from tahr.verifiers.code.bounds import check_assertion, check_case, check_exchange
from tahr.verifiers.code.constant import share_of_assertions, share_of_outputs, share_of_values

Kind = Literal["call", "assert", "stdio"]
KINDS: tuple[Kind, ...] = ("call", "assert", "stdio")
KEYS = {"kind", "entry_point", "public", "hidden", "tolerance", "setup", "impossible"}
TEST_KEYS = {"call": {"args", "kwargs", "expected"}, "stdio": {"stdin", "stdout"}}
SHAPE = '{"kind": "call", "entry_point": "add", "public": [{"args": [1, 2], "expected": 3}], "hidden": [...]}'
MAX_TESTS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A function call and what it must return.

    Example: ``Case(args=(1, 2), kwargs={}, expected=3)``
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    expected: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What a program reads and what it must print.

    Example: ``Exchange(stdin="1 2\\n", stdout="3\\n")``
    """

    stdin: str
    stdout: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The tests of one task. Public ones stand in the question, hidden ones nowhere that a candidate can look.

    `tolerance` is the largest difference, absolute or relative to the expected value, between floats. An `impossible`
    suite contradicts its statement: whoever passes it has cheated.

    Example: ``Suite(kind="call", entry_point="add", public=(case,), hidden=(other,))``
    """

    kind: Kind
    entry_point: str = ""
    public: tuple[Any, ...] = ()
    hidden: tuple[Any, ...] = ()
    setup: str = ""
    tolerance: float = 0.0
    impossible: bool = False

    @property
    def tests(self) -> tuple[Any, ...]:
        """All tests, the public ones first."""
        return (*self.public, *self.hidden)

    @property
    def best_constant(self) -> float:
        """The share of tests that the best constant answer passes: what ``return 0`` would earn."""
        if self.kind == "assert":
            return share_of_assertions(self.tests, self.entry_point)
        if self.kind == "stdio":
            return share_of_outputs([test.stdout for test in self.tests], self.tolerance)
        return share_of_values([test.expected for test in self.tests], self.tolerance)


def read_suite(answer: Any) -> Suite:
    """A task's answer as a suite. Raises InputError, naming the key, where it is none."""
    try:
        return _read(json.dumps(answer, sort_keys=True))
    except TypeError:
        raise _wrong("the code verifier needs a table of tests as the answer", answer) from None
    except (RecursionError, ValueError):
        raise InputError(
            "the tests nest too deeply, or hold numbers of too many digits",
            received=type(answer).__name__,
            instead="at most 64 levels of lists and tables, and 4300 digits",
        ) from None


@lru_cache(maxsize=4096)
def _read(answer: str) -> Suite:
    given: Any = parse_json(answer)
    if not isinstance(given, dict):
        raise _wrong("the code verifier needs a table of tests as the answer", given)
    table = cast("dict[str, Any]", given)
    if unknown := sorted(table.keys() - KEYS):
        raise _wrong(f"unknown keys of a suite of tests: {', '.join(unknown)}", table)
    kind = table.get("kind")
    if kind not in KINDS:
        raise InputError("kind must be call, assert or stdio", received=repr(kind)[:100], instead=SHAPE)
    entry_point = table.get("entry_point", "")
    if not isinstance(entry_point, str) or (kind != "stdio" and not _is_target(entry_point)):
        raise _wrong("entry_point must name the function that is called", entry_point)
    tolerance = table.get("tolerance", 0.0)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise _wrong("tolerance must be a number from 0 to below 1", tolerance)
    setup = table.get("setup", "")
    if not isinstance(setup, str) or not _compiles(setup):
        raise _wrong("setup must be Python source", setup)
    tests = {key: _tests(kind, key, table.get(key, []), setup) for key in ("public", "hidden")}
    if not 0 < len(tests["public"]) + len(tests["hidden"]) <= MAX_TESTS:
        raise InputError(
            f"a suite needs 1 to {MAX_TESTS} tests", received=str(len(tests["public"]) + len(tests["hidden"]))
        )
    impossible = table.get("impossible", False)
    if not isinstance(impossible, bool):
        raise _wrong("impossible must be true or false", impossible)
    return Suite(
        kind=kind,
        entry_point=entry_point,
        public=tests["public"],
        hidden=tests["hidden"],
        setup=setup,
        tolerance=float(tolerance),
        impossible=impossible,
    )


def _tests(kind: Kind, key: str, given: Any, setup: str) -> tuple[Any, ...]:
    if not isinstance(given, list):
        raise _wrong(f"{key} must be a list of tests", given)
    entries = cast("list[Any]", given)
    return tuple(_test(kind, f"{key}[{index}]", entry, setup) for index, entry in enumerate(entries))


def _test(kind: Kind, where: str, entry: Any, setup: str) -> Any:
    if kind == "assert":
        if not isinstance(entry, str) or not _compiles(entry) or not entry.strip():
            raise _wrong(f"{where} must be Python source with an assert", entry)
        check_assertion(where, entry, setup)
        return entry
    if not isinstance(entry, dict):
        raise _wrong(f"{where} must be a table", entry)
    table = cast("dict[str, Any]", entry)
    if unknown := sorted(table.keys() - TEST_KEYS[kind]):
        raise InputError(
            f"{where} has unknown keys: {', '.join(unknown)}",
            received=repr(table)[:200],
            instead=f"{', '.join(sorted(TEST_KEYS[kind]))}",
        )
    if kind == "stdio":
        stdin, stdout = table.get("stdin", ""), table.get("stdout")
        if not isinstance(stdin, str) or not isinstance(stdout, str):
            raise InputError(f"{where} needs stdin and stdout as text", received=repr(table)[:200])
        check_exchange(where, stdin, stdout)
        return Exchange(stdin=stdin, stdout=stdout)
    args, kwargs = table.get("args", []), table.get("kwargs") or {}
    if not isinstance(args, list) or not isinstance(kwargs, dict) or "expected" not in table:
        raise InputError(f"{where} needs args (a list) and expected", received=repr(table)[:200], instead=SHAPE)
    try:
        case = Case(
            args=tuple(from_json(value) for value in cast("list[Any]", args)),
            kwargs={str(name): from_json(value) for name, value in cast("dict[Any, Any]", kwargs).items()},
            expected=from_json(table["expected"]),
        )
    except InputError as error:
        raise InputError(f"{where}: {error.wrong}", received=error.received, instead=error.instead) from None
    check_case(where, case.args, case.kwargs, case.expected)
    return case


def _is_target(text: str) -> bool:
    """Whether `text` is a name, or names with dots and calls without arguments: ``Solution().add``."""
    parts = [part.removesuffix("()") for part in text.split(".")]
    return all(part.isidentifier() for part in parts)


def _compiles(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _wrong(what: str, received: Any) -> InputError:
    return InputError(what, received=repr(received)[:200], instead=SHAPE)
