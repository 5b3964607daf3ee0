"""Ends what trusted code has started and left behind, daemons among it, when the process that ran the code has ended.

Linux: whose parent is gone becomes the child of the nearest process above that has asked for it. A process that watches
workers asks, and so sees every descendant of theirs, whatever session or group it has put itself into. Elsewhere a
process that starts a session of its own is out of reach.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection
from contextlib import suppress

from tahr.sandbox.inside.processes import descendants

MAX_SECONDS = 5.0
"""How long something that starts processes faster than they are ended is fought."""

_SET_CHILD_SUBREAPER = 36  # of prctl(2)
_ROUND_SECONDS = 0.002


def adopt_orphans() -> None:
    """From now on, descendants whose parent has ended are this process's children (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans(besides: Collection[int] = ()) -> None:
    """Kill and collect every descendant but the processes `besides` and what they have started.

    Returns once there are none, or after `MAX_SECONDS`. Only descendants are touched, each read from the kernel just
    before; in a process that hasn't called `adopt_orphans` those whose parent has ended are none.
    """
    if sys.platform != "linux":
        return
    deadline = time.monotonic() + MAX_SECONDS
    while (found := descendants(besides)) and time.monotonic() < deadline:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_ROUND_SECONDS)
        for pid in found:
            with suppress(ChildProcessError):  # a grandchild is its parent's to collect, or ours in the next round
                os.waitpid(pid, os.WNOHANG)
