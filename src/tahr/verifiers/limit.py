"""A limit on the time that one call may take, for code that is not ours and runs in this process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from copy import deepcopy
from types import FrameType

from tahr.core.types import Task

AGAIN_SECONDS = 1.0
"""How soon the limit strikes again, should the call catch what it raises."""


class TimeLimitError(BaseException):
    """The call took too long. Not an Exception, so that a broad ``except`` in the called code doesn't eat it."""


def given_to(verifier: object, task: Task) -> Task:
    """What `verifier` is given: a copy where it is not tahr's own, so that it can't change what others judge by."""
    return task if type(verifier).__module__.startswith("tahr.") else deepcopy(task)


def reason_of(error: BaseException) -> str:
    """The exception's type and text, or its type alone where it has no text that can be had."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - an exception from outside may fail to describe itself
        return type(error).__name__


@contextmanager
def time_limit(seconds: float) -> Generator[None]:
    """Raise TimeLimitError inside the block after `seconds`.

    By the real-time timer's signal: it interrupts Python code, sleeping and the matching of regular expressions, but
    not a single long operation in C, such as the power of two huge integers. Python delivers signals to the main
    thread only; in others, and inside another limit, nothing is limited.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def strike(_signal: int, _frame: FrameType | None) -> None:
        raise TimeLimitError(f"no result within {seconds:g} s")

    previous = signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
