"""Run inside the judge's sandbox, as source: the standard library only."""

from __future__ import annotations

import ast
import builtins
import copy
import random
from typing import Any


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
    """Answers calls from the table of (key, state, value); notes those that aren't in it."""

    def __init__(self, answers: list[tuple[str, str, Any]]) -> None:
        self._answers = {key: (state, value) for key, state, value in answers}
        self.needed: dict[str, tuple[Any, Any]] = {}
        self.is_waiting = False  # a test was given an unknown value: nothing that it found since counts

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        key = repr((args, sorted(kwargs.items())))
        if key not in self._answers:
            self.needed[key] = copy.deepcopy((args, kwargs))  # a test may change what it passed
            self.is_waiting = True
            return _Unknown()
        state, value = self._answers[key]
        if state == "returned":
            return value
        kind = getattr(builtins, value, RuntimeError)
        if not isinstance(kind, type) or not issubclass(kind, Exception):
            kind = RuntimeError
        raise kind(f"the candidate {state}")


class _Guarded(ast.NodeTransformer):
    """Every assertion that waits for a call is passed over, so that one run finds the calls of all."""

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        handler = ast.ExceptHandler(ast.Name("__Pending__", ast.Load()), None, [ast.Pass()])
        return ast.copy_location(ast.Try([node], [handler], [], []), node)


def judge(
    setup: str, tests: list[str], entry_point: str, answers: list[tuple[str, str, Any]]
) -> tuple[list[tuple[str, str]], list[tuple[str, Any, Any]]]:
    """The state of each test ("pass", "fail" or "open") with a note, and the calls that are still to be made."""
    stand_in = _StandIn(answers)
    states = [_run(setup, test, entry_point, stand_in) for test in tests]
    return states, [(key, args, kwargs) for key, (args, kwargs) in stand_in.needed.items()]


def _run(setup: str, test: str, entry_point: str, stand_in: _StandIn) -> tuple[str, str]:
    stand_in.is_waiting = False
    space: dict[str, Any] = {"__name__": "tests", "__Pending__": Pending}
    random.seed(0)  # the same arguments in every pass
    state, note = "pass", ""
    try:
        exec(setup, space)
        space[entry_point] = space["candidate"] = stand_in
        tree = ast.fix_missing_locations(_Guarded().visit(ast.parse(test)))
        exec(compile(tree, "<test>", "exec"), space)
    except Pending:
        state = "open"
    except AssertionError as error:
        state, note = "fail", f"an assertion fails {error}".strip()[:200]
    except Exception as error:  # noqa: BLE001 - what the tests raise on a wrong value is their finding
        state, note = "fail", f"{type(error).__name__}: {error}"[:200]
    return ("open", "") if stand_in.is_waiting else (state, note)
