"""Attacks of a candidate on the processes and files of its own user, at the level that has no namespaces."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandbox_levels import OFFERED, as_ordinary_user, sandbox
from tahr.sandbox import Limits, Script
from tahr.sandbox.inside import landlock

pytestmark = pytest.mark.skipif("rlimits" not in OFFERED, reason="not Linux")
needs_landlock = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")

READ_MEMORY = """
import os, re
found = []
for pid in range(2, os.getpid()):
    try:
        memory, maps = open(f"//proc/{pid}/mem", "r+b", buffering=0), open(f"//proc/{pid}/maps")
    except OSError:
        continue
    found.append(pid)
print(found)
"""

# Signals through the owner of a pipe: fcntl F_SETOWN and F_SETSIG, then the ioctls that do the same.
SIGNAL = """
import fcntl, os, struct
reader, writer = os.pipe()
for call in (
    lambda: fcntl.fcntl(reader, 8, %(pid)s),
    lambda: fcntl.fcntl(reader, 10, %(signal)d),
    lambda: fcntl.fcntl(reader, 15, struct.pack("ii", 1, %(pid)s)),
    lambda: fcntl.ioctl(reader, 0x8901, struct.pack("i", %(pid)s)),
    lambda: fcntl.ioctl(reader, 0x8902, struct.pack("i", %(pid)s)),
    lambda: fcntl.ioctl(reader, 0x5452, struct.pack("i", 1)),
):
    try:
        call()
        print("done")
    except OSError as error:
        print(error.errno)
"""

PRIORITY = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for which, who in ((2, 0), (1, 0), (2, os.getuid()), (0, os.getppid())):
    print(libc.setpriority(which, who, 19), end=" ")
print(libc.syscall({"x86_64": 251, "aarch64": 30}[os.uname().machine], 3, 0, 0), libc.setpriority(0, 0, 19))
"""


def printed(level: str, source: str) -> str:
    result = sandbox(level).run(Script(source=source), limits=Limits(wall_seconds=5.0))
    assert result.status == 0, (result, result.stderr.decode())
    return result.stdout.decode().strip()


def test_no_memory_of_another_process_is_open() -> None:
    assert printed("rlimits", READ_MEMORY) == "[]"


@pytest.mark.parametrize("level", OFFERED)
@pytest.mark.parametrize("signal", [9, 19])
def test_no_signal_goes_by_way_of_a_descriptor_s_owner(level: str, signal: int) -> None:
    assert printed(level, SIGNAL % {"pid": "os.getppid()", "signal": signal}).split() == ["1"] * 6


@pytest.mark.parametrize("level", OFFERED)
def test_priorities_of_others_stay(level: str) -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    assert printed(level, PRIORITY) == "-1 -1 -1 -1 -1 0"
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_datagrams_to_the_machine_s_sockets_are_refused() -> None:
    source = "import socket\ntry:\n    socket.socketpair(type=socket.SOCK_DGRAM)\nexcept OSError as e: print(e.errno)"
    assert printed("rlimits", source) == "1"
    assert printed("rlimits", "import asyncio\nasync def f(): return 3\nprint(asyncio.run(f()))") == "3"


@needs_landlock
def test_files_of_the_machine_are_out_of_reach() -> None:
    source = (
        "import os\ndef say(call, *args):\n    try: call(*args); print('done')\n"
        "    except OSError as e: print(type(e).__name__)\n"
        f"say(open, {__file__!r})\nsay(os.listdir, '/tmp')\nsay(os.listdir, '/proc')\nsay(open, '/proc/self/maps')\n"
        "say(open, '/tmp/planted', 'w')\nsay(open, '/dev/shm/planted', 'w')\nhere = os.getcwd()\n"
        "say(os.rename, here, here + 'x')\nsay(os.rmdir, here)\nsay(open, 'own', 'w')"
    )
    assert printed("rlimits", source).split() == ["PermissionError"] * 8 + ["done"]


@needs_landlock
def test_programs_find_what_they_need() -> None:
    source = (
        "import asyncio, ctypes, decimal, hashlib, mimetypes, ssl, sqlite3, subprocess, tempfile\nmimetypes.init()\n"
        "with tempfile.NamedTemporaryFile('w+') as f: f.write('x'); f.seek(0); print(f.read())\n"
        "print(subprocess.run(['sh', '-c', 'mkdir a b; echo 1 >a/f; mv a/f b; cat b/f'], capture_output=True).stdout)"
    )
    assert printed("rlimits", source).split() == ["x", r"b'1\n'"]


@needs_landlock
def test_installed_packages_are_hidden() -> None:
    source = (
        "import glob, sys\nfor p in glob.glob(sys.base_prefix + '/lib/python3*/site-packages/*/__init__.py'):\n"
        "    try: print(open(p).read())\n    except PermissionError: pass"
    )
    assert printed("rlimits", source) == ""


@needs_landlock
def test_walls_hold_against_an_ordinary_user_s_own_candidates() -> None:
    code = f"""
import os, subprocess, sys, tempfile
from tahr.sandbox import Limits, LocalSandbox, Script
s = LocalSandbox(least_level="rlimits", level="rlimits")
home = tempfile.mkdtemp()
path = home + "/.bashrc"
open(path, "w").write("old")
os.chmod(path, 0o640)
victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
out = lambda source: s.run(Script(source=source), limits=Limits(wall_seconds=5.0)).stdout.decode().split()
print(*out({READ_MEMORY!r}))
print(*out({SIGNAL!r} % {{"pid": victim.pid, "signal": 9}}), victim.poll())
before = os.getpriority(os.PRIO_PROCESS, 0)
print(*out({PRIORITY!r}), os.getpriority(os.PRIO_PROCESS, 0) == before)
attempt = "try: %s\\nexcept OSError as e: print(type(e).__name__)\\n"
source = "import os\\n" + "".join(attempt % one for one in (
    f"open({{path!r}})", f"open({{path!r}}, 'a')", f"os.truncate({{path!r}}, 0)", f"os.unlink({{path!r}})",
    f"os.rename({{path!r}}, 'taken')", f"os.link({{path!r}}, 'taken')",
))
print(*out(source + f"os.chmod({{path!r}}, 0); os.utime({{path!r}}, (0, 0))"))
print(open(path).read(), oct(os.stat(path).st_mode), os.stat(path).st_mtime > 0)
victim.kill(); os.unlink(path); os.rmdir(home); s.close()
"""
    assert as_ordinary_user(code).splitlines() == [
        "[]",
        "1 1 1 1 1 1 None",
        "-1 -1 -1 -1 -1 0 True",
        "PermissionError PermissionError PermissionError PermissionError PermissionError OSError",
        "old 0o100640 True",
    ]


def test_without_landlock_an_ordinary_user_s_trainer_closes_its_memory() -> None:
    code = (
        "import ctypes\nfrom tahr.sandbox import LocalSandbox, levels\nlibc = ctypes.CDLL(None)\n"
        "levels.landlock_version = lambda: 4\nLocalSandbox(least_level='rlimits', level='rlimits').close()\n"
        "print(libc.prctl(3, 0, 0, 0, 0))\nlevels.landlock_version = lambda: 0\n"
        "LocalSandbox(least_level='rlimits', level='rlimits').close()\nprint(libc.prctl(3, 0, 0, 0, 0))"
    )
    assert as_ordinary_user(code).split() == ["1", "0"]


def test_a_server_s_memory_is_closed_to_its_own_user() -> None:
    pid = sandbox("rlimits").server_pids()[0]
    printed("rlimits", "print()")
    assert Path(f"/proc/{pid}/mem").stat().st_uid == 0
