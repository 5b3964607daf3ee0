"""Small coding tasks and verdicts on programs for them."""

from __future__ import annotations

from typing import Any

from tahr.core.types import Message, Task, Verdict
from tahr.verifiers.code.program import Code

RIGHT = "def add(a, b):\n    return a + b\n"
ADD: dict[str, Any] = {
    "kind": "call",
    "entry_point": "add",
    "public": [{"args": [1, 2], "expected": 3}, {"args": [-1, 1], "expected": 0}],
    "hidden": [{"args": [a, b], "expected": a + b} for a, b in ((5, 7), (10, -4), (100, 23), (0, 0), (3, 4))],
}
SUM: dict[str, Any] = {
    "kind": "stdio",
    "public": [{"stdin": "1 2\n", "stdout": "3\n"}],
    "hidden": [{"stdin": "5 7\n", "stdout": "12\n"}, {"stdin": "4 -9\n", "stdout": "-5\n"}],
}
ASSERTED: dict[str, Any] = {
    "kind": "assert",
    "entry_point": "add",
    "public": ["assert add(1, 2) == 3"],
    "hidden": ["for a in range(3):\n    assert add(a, 5) == a + 5", "assert add(add(1, 1), 2) == 4"],
}


def code_task(answer: Any) -> Task:
    """A task with these tests."""
    return Task(prompt=(Message(role="user", content="Write it."),), answer=answer, verifier="code")


def judge(answer: Any, source: str, **options: Any) -> Verdict:
    """The verdict on a program in a fenced block; a test may take a second."""
    verifier = Code(**{"wall_seconds": 1.0, "memory_mb": 128, **options})
    return verifier.verify(code_task(answer), f"```python\n{source}\n```")
