"""A plain Python function as a verifier."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from tahr.core.errors import InputError, nearest_name
from tahr.core.types import Task, Verdict, failed, passed
from tahr.core.visible import says_nothing
from tahr.verifiers.example import example_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionVerifier:
    """What ``function(text, answer, **arguments)`` returns: True or 1 passes, False or a smaller number fails.

    A smaller number is what a failing text is worth. A function may return a `Verdict` too. Raises InputError where it
    can't be called so.
    """

    function: Callable[..., Any]
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        name = getattr(self.function, "__name__", "function")
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name} can't be a verifier: {error}", instead=f"def {name}(text, answer): ...") from None
        try:
            signature.bind("", None, **self.arguments)
        except TypeError as error:
            needed = "".join(f", {key}" for key in self.arguments)
            given = ", ".join(f"{key}={value!r}" for key, value in self.arguments.items())
            raise InputError(
                f"{name} can't be a verifier: it is called with the text and the task's answer"
                + (f", and with {given}" if given else "")
                + f": {error}{_nearest(error, signature)}",
                received=f"def {name}{signature}"[:200],
                instead=f"def {name}(text, answer{needed}): ...",
            ) from None

    def check_task(self, task: Task) -> None:
        """Raise InputError where the task has no answer."""
        answer = task.answer
        if answer is None or answer in ([], {}) or (isinstance(answer, str) and says_nothing(answer)):
            raise InputError("the task has no answer to judge by", received=repr(task.answer))

    def verify(self, task: Task, text: str) -> Verdict:
        """The function's verdict.

        Raises TypeError where it returns neither a verdict, a truth value nor a number, ValueError for a number that is
        not finite or above 1: it would be worth more than a pass and count as a failure.
        """
        found = self.function(text, deepcopy(task.answer), **self.arguments)
        if isinstance(found, Verdict):
            return found
        if not isinstance(found, bool | int | float):
            raise TypeError(f"the function returned {type(found).__name__}, not a truth value, a number or a verdict")
        if not (math.isfinite(found) and found <= 1):
            raise ValueError(f"the function returned {found}: 1 is a pass, less is a failure's worth, more is neither")
        if found == 1:
            return passed(f"the function returned {found}")
        return failed(f"the function returned {found}", value=float(found))

    def gold(self, task: Task) -> str | None:
        """The task's example, else the answer where it is one value; None where no right text is known."""
        answer = task.answer
        return example_of(task) or (str(answer) if isinstance(answer, str | int | float) else None)


def _nearest(error: TypeError, signature: inspect.Signature) -> str:
    """The argument that a misspelt one may have meant, as an end of the message."""
    unknown = str(error).partition("unexpected keyword argument ")[2].strip("'")
    nearest = nearest_name(unknown, list(signature.parameters)[2:]) if unknown else None
    return f"; did you mean {nearest!r}?" if nearest else ""
