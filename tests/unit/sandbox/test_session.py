"""An interpreter that keeps its state: what a call shows, what its limits do, and what is left of the state."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from sandbox_levels import OFFERED, QUICK, sandbox
from tahr.core.errors import InputError
from tahr.sandbox import LocalSandbox, LocalSession, Reason, Session


@pytest.fixture(params=[name if name == OFFERED[0] else pytest.param(name, marks=pytest.mark.slow) for name in OFFERED])
def session(request: pytest.FixtureRequest) -> Iterator[LocalSession]:
    with sandbox(request.param).session(limits=QUICK, files={"given.txt": b"here", "own.py": b"NAME = 'own'\n"}) as one:
        yield one


def test_state_is_kept_and_the_last_expression_shown(session: LocalSession) -> None:
    assert isinstance(session, Session)
    first = session.call("import math\nx = [1]\ndef f(y):\n    return x + [y]")
    assert (first.reason, first.shown, first.error, first.state_lost) == (Reason.FINISHED, None, "", False)
    assert session.call("f(2)").shown == "[1, 2]"
    assert session.call("_ + [3]").shown == "[1, 2, 3]"
    assert session.call("x.append(5); None").shown is None
    printed = session.call("import sys\nprint('out'); print('err', file=sys.stderr)\n'é'")
    assert (printed.stdout, printed.stderr, printed.shown) == ("out\n", "err\n", "'é'")
    assert session.call("x").shown == "[1, 5]"


def test_files_are_given_and_stay(session: LocalSession) -> None:
    assert session.call("open('given.txt').read()").shown == "'here'"
    session.call("open('made', 'w').write('x')")
    assert session.call("import os, own\n(own.NAME, sorted(os.listdir('.')))").shown == (
        "('own', ['given.txt', 'made', 'own.py'])"
    )


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("1 / 0", 'File "<cell 2>", line 1, in <module>\n    1 / 0\n    ~~^~~\nZeroDivisionError: division by zero'),
        ("def", "SyntaxError: invalid syntax"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("input()", "EOFError: EOF when reading a line"),
        ("class A:\n    def __repr__(self): raise ValueError('no')\nA()", "ValueError: no"),
        ("bytearray(10**9)", "MemoryError"),
    ],
)
def test_exceptions_are_text_and_end_nothing(session: LocalSession, code: str, error: str) -> None:
    session.call("kept = 7")
    result = session.call(code)
    assert result.error.endswith(error)
    assert "inside" not in result.error
    assert (result.reason, result.shown, result.state_lost) == (Reason.FINISHED, None, False)
    assert session.call("kept").shown == "7"


def test_out_of_time_is_interrupted_and_the_state_kept(session: LocalSession) -> None:
    session.call("kept = 7")
    result = session.call("import time\nprint('before')\ntime.sleep(30)", wall_seconds=0.3)
    assert (result.reason, result.state_lost, result.stdout) == (Reason.TIMEOUT, False, "before\n")
    assert result.error.endswith("KeyboardInterrupt")
    assert result.note == "ran out of time; interrupted, its state is kept"
    assert result.wall_seconds < 1.2
    assert session.call("kept").shown == "7"


def test_what_ignores_the_interrupt_is_killed_and_the_state_lost(session: LocalSession) -> None:
    session.call("kept = 7")
    source = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    result = session.call(source, wall_seconds=0.2)
    assert (result.reason, result.state_lost) == (Reason.TIMEOUT, True)
    assert result.note == "ran out of time; its state is lost"
    assert session.call("kept").error.endswith("NameError: name 'kept' is not defined")
    assert session.call("open('given.txt').read()").shown == "'here'"


def test_an_end_of_the_process_is_said(session: LocalSession) -> None:
    result = session.call("print('last', flush=True)\nimport os\nos._exit(3)")
    assert (result.reason, result.state_lost, result.stdout) == (Reason.KILLED, True, "last\n")
    assert result.note == "the interpreter ended with exit status 3; its state is lost"
    crashed = session.call("import os\nos.kill(os.getpid(), 11)")
    assert (crashed.reason, crashed.note) == (Reason.KILLED, "the interpreter ended by signal 11; its state is lost")
    assert session.call("1 + 1").shown == "2"


def test_output_is_bounded_and_long_values_are_cut(session: LocalSession) -> None:
    session.call("kept = 7")
    result = session.call("while True: print('x' * 1000)")
    assert (result.reason, result.truncated, result.state_lost) == (Reason.OUTPUT, True, False)
    assert len(result.stdout) == QUICK.output_bytes
    cut = session.call("'y' * 200_000")
    assert (len(cut.shown or ""), (cut.shown or "")[-3:]) == (QUICK.output_bytes + 3, "...")
    assert session.call("kept").shown == "7"


def test_nothing_runs_between_calls(session: LocalSession) -> None:
    source = (
        "import threading, time\nn = [0]\ndef count():\n    while True:\n        n[0] += 1\n        time.sleep(.005)\n"
    )
    session.call(source + "threading.Thread(target=count, daemon=True).start()")
    before = int(session.call("n[0]").shown or "-1")
    time.sleep(0.5)
    assert int(session.call("n[0]").shown or "-1") - before < 30


def test_faulty_requests_and_closing() -> None:
    with LocalSandbox(least_level=OFFERED[-1], max_workers=1) as box:
        one, other = box.session(limits=QUICK), box.session(limits=QUICK)
        one.call("x = 1")
        assert other.call("'x' in dir()").shown == "False"
        with pytest.raises(InputError, match="within the session's limit"):
            one.call("1", wall_seconds=100.0)
        with pytest.raises(InputError, match="must be text"):
            one.call(b"1")  # type: ignore[arg-type]
        one.close()
        one.close()
        with pytest.raises(InputError, match="closed"):
            one.call("1")
        with pytest.raises(InputError, match="leads out"):
            box.session(files={"../x": b""})
    with pytest.raises(InputError, match="closed"):
        other.call("1")
    with pytest.raises(InputError, match="closed"):
        box.session()
