"""Ctrl-C, and SIGTERM as schedulers send it: the first asks for a stop after the step, the next stops at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType


class StopRequest:
    """Whether someone asked the run to stop."""

    def __init__(self) -> None:
        self.asked = False


@contextmanager
def stop_on_interrupt(say: Callable[[str], None]) -> Generator[StopRequest]:
    """While open, the first SIGINT or SIGTERM sets `asked` and says so; the next raises KeyboardInterrupt.

    Outside the main thread, where Python allows no signal handlers, nothing is caught.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return

    def handle(_signal: int, _frame: FrameType | None) -> None:
        if request.asked:
            raise KeyboardInterrupt
        request.asked = True
        say("stopping after this step; press Ctrl-C again to stop at once")

    previous = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield request
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
