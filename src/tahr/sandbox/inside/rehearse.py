"""Does in the server what its forks will do, so that they find it done.

The interpreter adapts its code to what it meets, and looks names up only until then. In a fork all of that is a write
to a page that has to be copied first, and copying pages is what a test costs. So the server goes through a run of its
own: trusted code, before anything untrusted is known.
"""

from __future__ import annotations

import _socket
import linecache
import os
import sys
from typing import Any

from . import candidate, grade, values, watch, wire

_TIMES = 12  # the interpreter adapts after eight calls
_SOURCE = "def f(a):\n    return a\n"
_CALL = ("f", (1,), {})
_LIMITS = {"wall_seconds": 10.0, "cpu_seconds": 10, "output_bytes": 1 << 16, "result_bytes": 1 << 16}
_HEADER: dict[str, Any] = {"kind": "call", "source": _SOURCE, "importable": [], "several": True, "limits": _LIMITS}


class _NoWalls:
    """The cell of code that needs none."""

    root = "/"
    look_seconds = 3600.0

    def nothing(self, *_: object) -> bool:
        """Every step of a cell: there is nobody and nothing."""
        return False

    enter = empty = overfull = kill_all = confine_candidate = nothing


def rehearse(guard: int) -> None:
    """Serve a run of trusted tests, and make claims as candidates do. Leaves nothing but adapted code."""
    ours, theirs = _socket.socketpair()
    trials = [wire.trial(b"0" * 16, b"", {}, _CALL)] * _TIMES
    theirs.sendall(b"".join(map(wire.request, [_HEADER, *trials, None])))
    grade.serve(ours, guard, _NoWalls())  # type: ignore[arg-type]
    ours.close()
    theirs.close()
    null = os.open("/dev/null", os.O_WRONLY)
    for _ in range(_TIMES):
        report = candidate.Reporter(null, b"0" * 16)
        see = watch.hook(report.write, candidate.NAME)
        for event in ("compile", "exec", "open"):
            see(event, ("/usr/lib/x", "r", 0))
        candidate.claim(_SOURCE, _CALL, report)
        values.encode([1, 1.0, "", None, True, (), {}])
    os.close(null)
    values.accept_only_plain()
    del sys.modules["candidate"]
    linecache.cache.pop(candidate.NAME, None)
