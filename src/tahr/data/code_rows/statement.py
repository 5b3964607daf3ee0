"""The question that a row asks, with the tests that it shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tahr.core.plain_values import from_json
from tahr.core.types import Message
from tahr.data.code_rows.tests import RowTests

MAX_SHOWN = 1000
"""Characters of the longest test that is shown."""
_PROGRAM = "Write a Python program that reads from standard input and prints to standard output."
_ANSWER = "Answer with the whole program in a ```python block."


def with_shown(tests: RowTests, number: int) -> tuple[RowTests, list[str]]:
    """The tests with the first short ones made public, and how they are written in the question.

    Where the data set's own statement shows some already, nothing is changed.
    """
    if tests.public:
        return tests, []
    written = {place: _written(tests, test) for place, test in enumerate(tests.hidden)}
    chosen = [place for place, shown in written.items() if len(shown) <= MAX_SHOWN][:number]
    public = [tests.hidden[place] for place in chosen]
    hidden = [test for place, test in enumerate(tests.hidden) if place not in chosen]
    return replace(tests, public=public, hidden=hidden), [written[place] for place in chosen]


def question_of(statement: str, tests: RowTests, shown: list[str], starter: str) -> tuple[Message, ...]:
    """The whole prompt."""
    parts = [statement]
    if shown and tests.kind == "assert":
        parts.append("It must pass tests such as:\n```python\n" + "\n".join(shown) + "\n```")
    elif shown:
        parts.append("Examples:\n" + "\n".join(shown))
    if starter.strip():
        parts.append(f"Begin with this code:\n```python\n{starter.rstrip()}\n```")
    elif tests.kind == "call":
        parts.append(f"Write a Python function `{tests.entry_point}`.")
    parts.append(f"{_PROGRAM} {_ANSWER}" if tests.kind == "stdio" else _ANSWER)
    return (Message(role="user", content="\n\n".join(parts)),)


def _written(tests: RowTests, test: Any) -> str:
    if tests.kind == "assert":
        return test
    if tests.kind == "stdio":
        return f"Input:\n{test['stdin'].rstrip()}\nOutput:\n{test['stdout'].rstrip()}"
    args = ", ".join(repr(from_json(one)) for one in test["args"])
    return f">>> {tests.entry_point}({args})\n{from_json(test['expected'])!r}"
