"""The example that a task may carry: ``meta["example"]``, a whole text that its verifier must pass.

It is what supervised warm-ups imitate and what a verifier is checked against. Where the answer itself is such a text
(exact, numeric, choice) it may be left out.
"""

from __future__ import annotations

from tahr.core.errors import InputError
from tahr.core.types import Task
from tahr.core.visible import says_nothing


def example_of(task: Task) -> str | None:
    """The task's example, or None."""
    example = task.meta.get("example")
    return example if isinstance(example, str) and example else None


def needed_example(task: Task, verifier: str) -> str:
    """The task's example. Raises InputError where it has none."""
    example = example_of(task)
    if example is None:
        raise InputError(
            f"a task for the {verifier} verifier needs an example: a text that passes",
            received=f"meta with {', '.join(sorted(task.meta)) or 'nothing'}",
            instead='meta["example"] (the file source fills it from a column: example = "..."); as a part of a '
            "weighted verifier that only judges form, decides = false for it",
        )
    return example


def shown_text(task: Task) -> str | None:
    """A text to check a verifier of form by: the task's example, else its answer where that is text; else None."""
    answer = task.answer if isinstance(task.answer, str) and not says_nothing(task.answer) else None
    return example_of(task) or answer


def needed_text(task: Task, verifier: str) -> str:
    """As `shown_text`. Raises InputError where there is none: such a task asks for nothing."""
    return shown_text(task) or needed_example(task, verifier)
