"""Run inside the judge's sandbox, as source: the standard library only."""

from __future__ import annotations

import ast
import builtins
import copy
import marshal
import random
import sys
import types
from functools import partial
from typing import Any

_RAISED_BY_PROGRAMS = frozenset({
    "json.decoder", "decimal", "binascii", "struct", "re", "re._constants", "zlib", "_csv", "csv", "statistics",
    "ipaddress", "dataclasses", "configparser", "zoneinfo._common", "queue", "_queue", "graphlib", "calendar",
    "xml.etree.ElementTree",
})  # fmt: skip
"""Modules whose exceptions a test may expect by their own names; none of them means anything to whoever runs tests."""
_ENDS_A_LOOP = StopIteration, StopAsyncIteration
_MAX_PARTS = 100_000  # parts of the arguments that are asked for at once: what crosses the pipe is bounded


class Pending(BaseException):
    """The test needs what the candidate returns for a call that was not made yet."""


class _Unknown:
    """What a call will return: nothing can be decided by it."""

    def _pending(self, *_args: Any, **_kwargs: Any) -> Any:
        raise Pending

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __len__ = __iter__ = __contains__ = _pending
    __getitem__ = __call__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _pending
    __abs__ = __neg__ = __round__ = __float__ = __int__ = __index__ = __mod__ = __floordiv__ = __pow__ = _pending
    __str__ = __repr__ = __format__ = __getattr__ = __hash__ = _pending  # pyright: ignore[reportAssignmentType]


class _StandIn:
    """Answers calls from the table of (key, state, content); notes those that aren't in it.

    Contents are read anew for each call, since tests may change what they were given.
    """

    def __init__(self, answers: list[tuple[str, str, bytes]]) -> None:
        self._answers = {key: (state, content) for key, state, content in answers}
        self.needed: dict[str, tuple[Any, Any]] = {}
        self.is_waiting = False  # a test was given an unknown value: nothing that it found since counts
        self.unanswered = ""  # how a call ended that gave neither a value nor an exception: the test can't pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        key = repr((args, sorted(kwargs.items())))
        if key not in self._answers:
            self.needed[key] = copy.deepcopy((args, kwargs))  # a test may change what it passed
            self.is_waiting = True
            return _Unknown()
        state, content = self._answers[key]
        value = marshal.loads(content)
        if state == "returned":
            return value
        if state == "raised":
            raise _exception(*value)
        self.unanswered = self.unanswered or f"the candidate {state}"
        raise RuntimeError(self.unanswered)


def _exception(lineage: list[str], args: list[Any]) -> Exception:
    """The nearest exception that the tests can know, of those that the candidate's one is a kind of.

    One that ends a loop would end the test's own, as if all were well: it is a RuntimeError, as in a generator.
    """
    kinds = [kind for name in lineage if (kind := _known(name)) is not None]
    if any(issubclass(kind, _ENDS_A_LOOP) for kind in kinds):
        return RuntimeError(f"the candidate raised {lineage[0]}")
    for kind in kinds:
        for make in (kind, partial(kind.__new__, kind)):
            try:
                return make(*args)
            except Exception:  # noqa: BLE001, S112 - it wants other arguments than it keeps
                continue
    return RuntimeError(f"the candidate raised {lineage[:1]}")


def _known(name: str) -> type[Exception] | None:
    module, _, name = name.rpartition(".")
    if module != "builtins" and module not in _RAISED_BY_PROGRAMS:
        return None
    kind = vars(builtins if module == "builtins" else sys.modules.get(module, builtins)).get(name)
    return kind if isinstance(kind, type) and issubclass(kind, Exception) else None


class _Guarded(ast.NodeTransformer):
    """Every assertion that waits for a call is passed over, so that one run finds the calls of all."""

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        handler = ast.ExceptHandler(ast.Name("__Pending__", ast.Load()), None, [ast.Pass()])
        return ast.copy_location(ast.Try([node], [handler], [], []), node)


def judge(
    setup: str, tests: list[str], entry_point: str, answers: list[tuple[str, str, bytes]]
) -> tuple[list[tuple[str, str]], list[tuple[str, Any, Any]]]:
    """The state of each test ("pass", "fail" or "open") with a note, and the calls that are still to be made."""
    stand_in = _StandIn(answers)
    states = [_run(setup, test, entry_point, stand_in) for test in tests]
    calls: list[tuple[str, Any, Any]] = []
    room = _MAX_PARTS
    for key, (args, kwargs) in stand_in.needed.items():
        room -= _parts((args, kwargs))
        if calls and room < 0:
            break  # the rest is asked for in the next pass
        calls.append((key, args, kwargs))
    return states, calls


def _parts(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(_parts(key) + _parts(one) for key, one in value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple | set | frozenset):
        return 1 + sum(map(_parts, value))  # pyright: ignore[reportUnknownArgumentType]
    return 1


def _run(setup: str, test: str, entry_point: str, stand_in: _StandIn) -> tuple[str, str]:
    stand_in.is_waiting, stand_in.unanswered = False, ""
    space: dict[str, Any] = {"__name__": "tests", "__Pending__": Pending}
    random.seed(0)  # the same arguments in every pass
    state, note = "pass", ""
    try:
        exec(setup, space)
        space["candidate"] = stand_in
        _put(space, entry_point, stand_in)
        tree = _Guarded().visit(ast.parse(test))
        exec(compile(ast.fix_missing_locations(tree), "<test>", "exec"), space)
    except Pending:
        state = "open"
    except AssertionError as error:
        state, note = "fail", _told("an assertion fails", error)
    except Exception as error:  # noqa: BLE001 - what the tests raise on a wrong value is their finding
        state, note = "fail", _told(f"{type(error).__name__}:", error)
    if stand_in.is_waiting:
        return "open", ""
    return ("fail", stand_in.unanswered[:200]) if stand_in.unanswered else (state, note)


def _put(space: dict[str, Any], entry_point: str, stand_in: _StandIn) -> None:
    """Let `entry_point` mean the stand-in: for ``Solution().add`` what Solution makes has it as ``add``."""
    value: Any = stand_in
    first, *others = entry_point.split(".")
    for part in reversed(others):
        value = types.SimpleNamespace(**{part.removesuffix("()"): _made(part, value)})
    space[first.removesuffix("()")] = _made(first, value)


def _made(part: str, value: Any) -> Any:
    return (lambda: value) if part.endswith("()") else value


def _told(what: str, error: Exception) -> str:
    """What the error says, as text that can be written down whatever is in it."""
    return f"{what} {error}".strip()[:200].encode("utf-8", "backslashreplace").decode()
