"""What a program may take for granted because every interpreter has it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from sandbox_levels import OFFERED, QUICK, sandbox
from tahr.sandbox import Limits, LocalSandbox, Reason, Script

every_level = pytest.mark.parametrize("level", OFFERED)


@every_level
@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ("print('a'); exit()", b"a\n"),
        ("print('a'); quit(0)", b"a\n"),
        ("import sys; print('a'); sys.exit(False)", b"a\n"),
        ("print(__file__, __builtins__.len('abc'))", b"main.py 3\n"),
        (
            "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint('ä')",
            b"\xc3\xa4\n",
        ),
        ("import sys\nsys.stdout.reconfigure(line_buffering=True)\nprint('a')", b"a\n"),
        ("import io, sys\nout = io.BytesIO()\nout.write(b'a')\nsys.stdout.buffer.write(out.getvalue())", b"a"),
        ("import sys\nkept = sys.stdout\nsys.stdout = open('x', 'w')\nkept.write('a')", b"a"),
        ("import io, sys\nsys.stdout = io.StringIO()\nsys.__stdout__.write('a')", b"a"),
        ("f = open(1, 'w')\nf.write('a')", b"a"),
        ("import os\nf = os.fdopen(1, 'w')\nprint('a', file=f)", b"a\n"),
        ("print(open(0).read())", b"in\n"),
        ("import sys\nprint(sys.stdin.buffer.readline().decode(), sys.stdin.seekable())", b"in False\n"),
    ],
)
def test_output_and_endings_are_those_of_an_interpreter(level: str, source: str, stdout: bytes) -> None:
    result = sandbox(level).run(Script(source=source), stdin=b"in", limits=QUICK)
    assert (result.stdout, result.status, result.stderr) == (stdout, 0, b"")


@pytest.mark.parametrize("level", [level for level in OFFERED if level != "bubblewrap"])
@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ("print(open('/dev/stdin').read())", b"in\n"),
        ("import sys\nsys.stdin = open('/dev/fd/0')\nprint(input())", b"in\n"),
        ("import os\nprint(os.read(os.open('/dev/stdin', os.O_RDONLY), 9))", b"b'in'\n"),
        ("with open('/dev/stdout', 'w') as out:\n    out.write('a')", b"a"),
    ],
)
def test_the_streams_have_names(level: str, source: str, stdout: bytes) -> None:
    if level == "namespaces" and " /proc/" in Path("/proc/self/mountinfo").read_text():
        pytest.skip("where parts of /proc are covered, as in a container, the kernel grants none of a run's own")
    result = sandbox(level).run(Script(source=source), stdin=b"in", limits=QUICK)
    assert (result.stdout, result.status, result.stderr) == (stdout, 0, b"")


COMPUTES = "import time\nwhile time.process_time() < 0.35: pass\nprint('done')"


@pytest.mark.slow
def test_a_busy_machine_is_not_a_slow_program() -> None:
    """Two at once on each core: each has a fraction of one, and as much of it as it may."""
    limits = Limits(wall_seconds=0.5, cpu_seconds=2.0)
    results: list[Reason] = []
    with LocalSandbox(max_workers=2 * len(os.sched_getaffinity(0))) as box:
        assert box.run(Script(source=COMPUTES), limits=limits).reason is Reason.FINISHED

        def run() -> None:
            results.append(box.run(Script(source=COMPUTES), limits=limits).reason)

        threads = [threading.Thread(target=run) for _ in range(2 * len(os.sched_getaffinity(0)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert set(results) == {Reason.FINISHED}


@every_level
@pytest.mark.parametrize("source", ["while True: pass", "import time\ntime.sleep(60)"])
def test_what_has_had_its_time_ends(level: str, source: str) -> None:
    result = sandbox(level).run(Script(source=source), limits=Limits(wall_seconds=0.3, cpu_seconds=5.0))
    assert result.reason is Reason.TIMEOUT
    assert result.wall_seconds < 4 * 0.3 + 1
