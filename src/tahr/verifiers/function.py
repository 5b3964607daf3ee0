"""A plain Python function as a verifier."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from tahr.core.errors import InputError
from tahr.core.types import Task, Verdict, failed, passed
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
        try:
            inspect.signature(self.function).bind("", None, **self.arguments)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"the function can't be a verifier: {error}",
                received=dict(self.arguments) or "no arguments",
                instead="function(text, answer, **args), with the args that the function has",
            ) from None

    def check_task(self, task: Task) -> None:
        """Raise InputError where the task has no answer."""
        if task.answer is None or task.answer in ("", [], {}):
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
