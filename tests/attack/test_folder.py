"""Attacks on the one folder that a candidate may write: its size, the number of files in it, and its deletion."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sandbox_levels import OFFERED, as_ordinary_user, sandbox
from tahr.sandbox import Call, Limits, Reason, Script
from tahr.sandbox.inside import landlock

pytestmark = pytest.mark.skipif("rlimits" not in OFFERED, reason="not Linux")
every_level = pytest.mark.parametrize("level", OFFERED)
LIMITS = Limits(wall_seconds=5.0, cpu_seconds=5.0, memory_mb=128, disk_mb=16, files=1000)
HELD = {"namespaces": (Reason.FINISHED, "28"), "bubblewrap": (Reason.DISK, ""), "rlimits": (Reason.DISK, "")}
UNTIL_REFUSED = (
    "import os, time\ni = 0\ntry:\n    while True:\n        {}\n        i += 1\nexcept OSError as e: print(e.errno)"
)
ATTACKS = {
    "many files": "os.close(os.open(f'f{i}', os.O_CREAT))",
    "deep tree": "os.mkdir('d'); os.chdir('d')",
    "wide tree": "os.makedirs(f'{i}/x/y')",
    "much written": "open(f'f{i}', 'wb').write(bytes(1 << 20)); time.sleep(0.005)",
}


@every_level
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_folder_holds_no_more_than_it_may(level: str, attack: str) -> None:
    began = time.monotonic()
    program = Script(source=UNTIL_REFUSED.format(ATTACKS[attack]))
    result = sandbox(level).run(program, limits=LIMITS)
    assert (result.reason, result.stdout.decode().strip()) == HELD[level], result
    assert result.wall_seconds < 4
    assert sandbox(level).run(Script(source="import os; print(os.listdir())")).stdout == b"[]\n"
    assert time.monotonic() - began < 8


@every_level
def test_as_much_as_is_allowed_can_be_written(level: str) -> None:
    source = (
        "import os, time\nfor i in range(12): open(f'f{i}', 'wb').write(bytes(1 << 20))\n"
        "for i in range(900): open(f'e{i}', 'w').close()\ntime.sleep(0.2)\nprint(len(os.listdir()))"
    )
    assert sandbox(level).run(Script(source=source), limits=LIMITS).stdout == b"912\n"


@every_level
def test_a_session_whose_folder_is_full_starts_anew(level: str) -> None:
    with sandbox(level).session(limits=LIMITS) as session:
        result = session.call(UNTIL_REFUSED.format(ATTACKS["many files"]))
        assert result.reason is HELD[level][0]
        assert result.state_lost is (level != "namespaces")
        if result.state_lost:
            assert session.call("import os; len(os.listdir())").shown == "0"


@every_level
def test_a_folder_that_is_taken_away_is_nobody_else_s_trouble(level: str) -> None:
    source = (
        "import os\ndef f():\n    here = os.getcwd()\n"
        "    for do in (lambda: os.rmdir(here), lambda: os.rename(here, here + 'x')):\n"
        "        try: do()\n        except OSError: pass\n    return 3"
    )
    if level == "rlimits" and not landlock.version():
        pytest.skip("this kernel has no Landlock, and the folder's parent is open to all")
    results = sandbox(level).call(source, [Call(target="f")] * 3, limits=LIMITS)
    assert [result.value for result in results] == [3, 3, 3]


@pytest.mark.parametrize(("mode", "reason"), [(0o300, Reason.DISK), (0o000, Reason.FINISHED)])
def test_a_folder_that_can_be_filled_but_not_read_counts_as_full(mode: int, reason: Reason) -> None:
    source = f"import os, time\nos.mkdir('d', {mode})\ntime.sleep(0.3)"
    assert sandbox("rlimits").run(Script(source=source), limits=LIMITS).reason is reason


def _left() -> set[str]:
    return {str(path) for path in Path("/tmp").glob("tahr-run-*")}


def test_a_deep_tree_leaves_no_folder_behind() -> None:
    before = _left()
    source = "import os\nfor i in range(900): os.mkdir('d'); os.chdir('d')\nos.mkdir('closed', 0)"
    assert sandbox("rlimits").run(Script(source=source), limits=LIMITS).status == 0
    assert _left() <= before


def test_the_folder_of_a_killed_server_is_deleted_by_the_next() -> None:
    code = """
import os, threading, time
from pathlib import Path
from tahr.sandbox import Limits, LocalSandbox, Script
left = lambda: {path for path in Path("/tmp").glob("tahr-run-*") if path.stat().st_uid == os.getuid()}
before = left()
s = LocalSandbox(least_level="rlimits", level="rlimits")
pid = s.server_pids()[0]
sleep = Script(source="open('f', 'w'); import time; time.sleep(30)")
thread = threading.Thread(target=s.run, args=(sleep,), kwargs={"limits": Limits(wall_seconds=1.0)})
thread.start()
time.sleep(0.5)
live = left() - before
os.kill(pid, 9)
thread.join()
s.close()
LocalSandbox(least_level="rlimits", level="rlimits").close()
print(len(live), left() & live)
"""
    assert as_ordinary_user(code).split() == ["1", "set()"]


def test_a_first_process_that_is_stopped_goes_on() -> None:
    code = """
import os, signal, threading, time
from pathlib import Path
from tahr.sandbox import Limits, LocalSandbox, Script
s = LocalSandbox(least_level="rlimits", level="rlimits")
pid = s.server_pids()[0]
found = []
run = lambda: found.append(s.run(Script(source="import time; time.sleep(1); print(3)"), limits=Limits(wall_seconds=5)))
thread = threading.Thread(target=run)
thread.start()
time.sleep(0.4)
first = int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
os.kill(first, signal.SIGSTOP)
began = time.monotonic()
thread.join()
print(found[0].stdout, time.monotonic() - began < 4)
s.close()
"""
    assert as_ordinary_user(code).split() == [r"b'3\n'", "True"]
