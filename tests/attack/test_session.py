"""Each test attacks one property of a session, at every level that this machine offers."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox_levels import OFFERED, QUICK, as_ordinary_user, sandbox
from tahr.sandbox import LocalSession, Reason


@pytest.fixture(params=[name if name == OFFERED[0] else pytest.param(name, marks=pytest.mark.slow) for name in OFFERED])
def session(request: pytest.FixtureRequest) -> Iterator[LocalSession]:
    with sandbox(request.param).session(limits=QUICK) as one:
        yield one


def goes_on(session: LocalSession) -> None:
    """The session answers, at the latest on the second call, with its own state or none."""
    session.call("pass")
    result = session.call("40 + 2")
    assert (result.reason, result.shown) == (Reason.FINISHED, "42"), result


def test_killing_everything_kills_only_oneself(session: LocalSession) -> None:
    source = """\
import os, signal
for pid in (os.getppid(), 1, -1):
    try: os.kill(pid, signal.SIGKILL)
    except OSError: pass
"""
    session.call(source)
    goes_on(session)


def test_a_fork_bomb_ends_with_the_session(session: LocalSession) -> None:
    before = _below()
    source = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    assert session.call(source, wall_seconds=0.5).reason is Reason.TIMEOUT
    goes_on(session)
    _assert_gone_with(session, before)


def test_a_forked_child_comes_back_only_once(session: LocalSession) -> None:
    assert session.call("import os\nchild = os.fork()\nif child: os.waitpid(child, 0)\n'one'").shown == "'one'"
    assert session.call("'two'").shown == "'two'"


@pytest.mark.parametrize("number", range(6))
def test_closing_a_descriptor(session: LocalSession, number: int) -> None:
    session.call(f"import os\nos.close({number})", wall_seconds=0.5)
    goes_on(session)


def test_closing_all_descriptors(session: LocalSession) -> None:
    session.call("import os\nos.closerange(0, 100)", wall_seconds=0.5)
    goes_on(session)


@pytest.mark.parametrize("mark", [b"0" * 16 + b"00000002NN", b"\xff" * 100, b"x"])
def test_forged_claims_are_not_believed(session: LocalSession, mark: bytes) -> None:
    result = session.call(f"import os, time\nos.write(3, {mark!r})\ntime.sleep(.2)\n'real'")
    assert (result.reason, result.shown, result.state_lost) == (Reason.KILLED, None, True)
    assert "forged" in result.note
    goes_on(session)


def test_an_early_end_with_the_right_nonce_leaves_nothing_running(session: LocalSession) -> None:
    source = """\
import gc, os, sys, time
frame = sys._getframe()
while 'nonce' not in frame.f_locals: frame = frame.f_back
os.write(3, frame.f_locals['nonce'] + b'%08x' % 2 + b'NN')
time.sleep(.5)
"""
    early = session.call(source)
    assert early.shown is None
    assert early.wall_seconds < 0.5
    goes_on(session)


def test_marks_on_standard_output_are_output(session: LocalSession) -> None:
    result = session.call("print('0' * 16 + '00000002NN', flush=True)\n5")
    assert (result.shown, result.stdout) == ("5", "0" * 16 + "00000002NN\n")


def test_replaced_builtins_and_streams_change_nothing(session: LocalSession) -> None:
    source = """\
import builtins, os, signal, sys, traceback, ast
for name in ('repr', 'len', 'int', 'type', 'isinstance', 'compile', 'exec', 'eval', 'BaseException'):
    setattr(builtins, name, None)
os.write = os.read = os._exit = signal.signal = None
sys.stdout = sys.stderr = None
"""
    session.call(source)
    goes_on(session)


def test_signals_and_limits_of_its_own_making(session: LocalSession) -> None:
    source = "import signal\nfor n in (2, 10, 14, 15): signal.signal(n, signal.SIG_IGN)\nwhile True: pass"
    assert session.call(source, wall_seconds=0.2).state_lost
    stopped = session.call("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", wall_seconds=0.2)
    assert stopped.reason in {Reason.TIMEOUT, Reason.FINISHED}
    goes_on(session)


def test_a_flood_that_ignores_the_interrupt(session: LocalSession) -> None:
    source = """\
import os
while True:
    try:
        while True: os.write(1, b'x' * 65536)
    except BaseException: pass
"""
    result = session.call(source)
    assert (result.reason, result.state_lost, len(result.stdout)) == (Reason.OUTPUT, True, QUICK.output_bytes)
    goes_on(session)


def test_background_processes_end_with_the_session(session: LocalSession) -> None:
    before = _below()
    session.call("import os, time\nif os.fork() == 0:\n    os.setsid()\n    while True: time.sleep(60)")
    assert len(_below() - before) >= 3
    _assert_gone_with(session, before)


def _assert_gone_with(session: LocalSession, before: set[int]) -> None:
    started = _below() - before
    assert started
    session.close()
    deadline = time.monotonic() + 3
    while started & _running() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not started & _running()


def _below() -> set[int]:
    """Processes below this one."""
    parents, found = _parents(), {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def _running() -> set[int]:
    return set(_parents())


def _parents() -> dict[int, int]:
    found: dict[int, int] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with suppress(OSError):
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                found[int(path.name)] = int(fields[1])
    return found


@pytest.mark.slow
def test_as_an_ordinary_user() -> None:
    code = """
from tahr.sandbox import LocalSandbox, Limits
with LocalSandbox(least_level="rlimits") as box, box.session(limits=Limits(wall_seconds=2)) as one:
    one.call("x = 20")
    print(one.call("x + 1").shown, one.call("while True: pass", wall_seconds=.2).state_lost, one.call("x").shown)
    print(one.call("import os; os._exit(1)").state_lost, one.call("1").shown)
"""
    assert as_ordinary_user(code).split() == ["21", "False", "20", "True", "1"]
