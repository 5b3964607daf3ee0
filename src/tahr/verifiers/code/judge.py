"""Assertions, judged where the candidate never runs.

`judge` is run in a sandbox of its own, which holds the tests and their expected values and no candidate. The function
that the tests call is a stand-in there: it answers from a table of what the candidate returned elsewhere, and notes the
calls that are not in the table yet. So the tests are run again and again, with a fuller table each time, until nothing
is open.
"""

from __future__ import annotations

import inspect
import marshal
from typing import Any, cast

from tahr.sandbox import CallResult, Claim
from tahr.verifiers.code import inside_judge

SOURCE = inspect.getsource(inside_judge)
"""The program that the judge's sandbox is given."""

MAX_PASSES = 300
"""Times that the tests are run; each answers at least one call, and one all that need no other first."""

ANSWER = "__answer__"
"""What the candidate is called through: a function behind its program, which tells what an exception is a kind of."""

_ANSWERING = """

def {answer}(*__args, **__kwargs):
    __function = {entry_point}
    try:
        return "returned", __function(*__args, **__kwargs)
    except Exception as __error:
        __names = [__kind.__module__ + "." + __kind.__qualname__ for __kind in type(__error).__mro__]
        if "builtins.MemoryError" in __names or "unittest.case.SkipTest" in __names:
            raise
        __plain = type(None), bool, int, float, str, bytes
        return "raised", __names, [__one if type(__one) in __plain else repr(__one) for __one in __error.args]
"""


def answering(source: str, entry_point: str) -> str:
    """The program with `ANSWER` behind it. What that says is a claim, as all that comes from there is."""
    return source + _ANSWERING.format(answer=ANSWER, entry_point=entry_point)


def answer_of(result: CallResult, ending: str) -> tuple[str, bytes]:
    """A call's entry in the judge's table: "returned" or "raised" with what belongs to it, else only how it ended."""
    claimed: Any = result.value if result.claim is Claim.RETURNED else None
    if type(claimed) is tuple:
        parts = cast("tuple[Any, ...]", claimed)
        if len(parts) == 2 and parts[0] == "returned":
            return "returned", marshal.dumps(parts[1])
        if len(parts) == 3 and parts[0] == "raised" and _is_lineage(parts[1]) and type(parts[2]) is list:
            return "raised", marshal.dumps(parts[1:])
    return ending, marshal.dumps(None)


def _is_lineage(names: Any) -> bool:
    return type(names) is list and all(type(name) is str for name in cast("list[Any]", names))
