"""Each test attacks one property of the sandbox, at every level that this machine offers and that claims it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sandbox_levels import OFFERED, PRIVATE, QUICK, as_ordinary_user, sandbox
from tahr.sandbox import Call, Claim, Command, Limits, Reason, RunResult, Script


def _levels(names: tuple[str, ...]) -> pytest.MarkDecorator:
    """The best level in the quick run, the others among the slow tests."""
    marked = [name if name == OFFERED[0] else pytest.param(name, marks=pytest.mark.slow) for name in names]
    return pytest.mark.parametrize("level", marked)


every_level = _levels(OFFERED)
private_levels = _levels(PRIVATE)


def run(level: str, source: str, limits: Limits = QUICK, **options: object) -> RunResult:
    result = sandbox(level).run(Script(source=source), limits=limits, **options)  # type: ignore[arg-type]
    assert result.reason is not Reason.INFRASTRUCTURE, result.note
    return result


def printed(level: str, source: str) -> str:
    result = run(level, source)
    assert result.status == 0, result.stderr.decode()
    return result.stdout.decode().strip()


def still_works(level: str) -> None:
    (result,) = sandbox(level).call("def add(a, b): return a + b", [Call(target="add", args=(2, 3))], limits=QUICK)
    assert (result.claim, result.value) == (Claim.RETURNED, 5), result


def tried(expression: str) -> str:
    """Source that prints what an expression gives, or the name of the error."""
    return f"import os, socket, sys\ntry:\n    print({expression})\nexcept Exception as e:\n    print(type(e).__name__)"


@private_levels
def test_host_files_are_not_there(level: str) -> None:
    here = str(Path(__file__).resolve())
    assert printed(level, tried(f"open({here!r}).read()")) == "FileNotFoundError"
    assert "root" not in printed(level, tried("open('/etc/passwd').read()"))
    assert (
        printed(level, tried("os.path.exists('/etc/shadow') or os.path.exists('/home') or os.path.exists('/var')"))
        == "False"
    )


@private_levels
def test_installed_packages_are_not_there(level: str) -> None:
    source = "import glob, sys\nprint([p for p in glob.glob(sys.base_prefix + '/lib/python3*/site-packages/*')])"
    assert printed(level, source) == "[]"
    assert printed(level, "try:\n    import pip\n    print('there')\nexcept ImportError:\n    print('no')") == "no"


@private_levels
def test_nothing_but_the_own_folder_can_be_written(level: str) -> None:
    folders = ("/", "/usr", "/etc", "/dev", "/usr/bin", "/packages")
    source = "\n".join(tried(f"open({folder!r} + '/planted', 'w')") for folder in folders)
    assert set(printed(level, source).split()) <= {"OSError", "PermissionError"}


@every_level
def test_writes_are_not_seen_by_the_next_run(level: str) -> None:
    run(
        level,
        "import os\nopen('planted', 'w').write('x'); open(os.environ['TMPDIR'] + '/planted-here', 'w').write('x')",
    )
    assert printed(level, "import os\nprint(os.path.exists('planted'), os.listdir('.'))") == "False []"


@every_level
def test_writes_are_not_seen_by_the_next_test_of_a_run(level: str) -> None:
    source = (
        "import os\ndef f():\n    seen = os.listdir('.')\n    d = '.'\n"
        "    for _ in range(40):\n        d += '/deep'; os.mkdir(d)\n    open('json.py', 'w').write('x')\n"
        "    os.symlink('/usr', 'link'); os.chmod('deep', 0)\n    return seen"
    )
    results = sandbox(level).call(source, [Call(target="f")] * 3, limits=QUICK)
    assert [result.value for result in results] == [[], [], []]
    assert set(results[0].run.written) == {"deep", "json.py", "link"}


@every_level
def test_a_test_leaves_nothing_that_the_next_one_reads(level: str) -> None:
    source = """
import ctypes, os, signal, socket, time
libc = ctypes.CDLL(None, use_errno=True)
def left():
    folder = os.stat('.')
    try:
        names = os.listxattr('.')
    except OSError:
        names = []
    found = [folder.st_mode & 0o7777 != 0o700, folder.st_mtime != 0, bool(names)]
    found += [bool(os.listdir('.')), os.path.exists(os.environ['TMPDIR'] + '/shared')]
    found += [libc.shmget(7, 4096, 0) >= 0, libc.semget(7, 1, 0) >= 0, libc.msgget(7, 0) >= 0]
    found.append(libc.mq_open(b'/left', 0) >= 0)
    try:
        other = socket.socket(socket.AF_UNIX)
        other.connect('\\0left')
        found.append(True)
    except OSError:
        found.append(False)
    for pid in range(2, 40):
        if pid != os.getpid():
            found.append(libc.ptrace(16, pid, 0, 0) == 0)
            try:
                os.kill(pid, 0); found.append(True)
            except OSError:
                pass
    return [place for place, one in enumerate(found) if one]
def leave():
    libc.shmget(7, 4096, 0o1777); libc.semget(7, 1, 0o1777); libc.msgget(7, 0o1777)
    libc.mq_open(b'/left', 0o102, 0o777, None)
    try:
        os.setxattr('.', 'user.left', b'1')
    except OSError:
        pass
    open(os.environ['TMPDIR'] + '/shared', 'w').close() if os.environ['TMPDIR'] == os.getcwd() else None
    os.mkdir('d'); os.chmod('d', 0)
    if os.fork() == 0:
        for number in (1, 2, 15, 17, 18):
            signal.signal(number, signal.SIG_IGN)
        os.setsid()
        try:
            other = socket.socket(socket.AF_UNIX); other.bind('\\0left'); other.listen()
        except OSError:
            pass
        while True:
            time.sleep(1)
    time.sleep(0.05)
    os.chmod('.', 0)
def f():
    seen = left()
    leave()
    return seen
"""
    results = sandbox(level).call(source, [Call(target="f")] * 3, limits=QUICK)
    assert [(result.value, result.run.survivors) for result in results] == [([], 1)] * 3, results
    other = sandbox(level).call(source, [Call(target="left")], limits=QUICK)
    assert other[0].value == []


@every_level
@pytest.mark.parametrize("call", ["shmget(0, 4096, 0o1777)", "semget(0, 1, 0o1777)", "msgget(0, 0o1777)"])
def test_kernel_objects_that_outlive_their_makers_are_refused(level: str, call: str) -> None:
    assert printed(level, f"import ctypes\nprint(ctypes.CDLL(None).{call})") == "-1"


@every_level
def test_memory_is_not_shared_between_tests(level: str) -> None:
    source = "import math\nmath.n = getattr(math, 'n', 0) + 1\ndef f(): return math.n"
    assert [result.value for result in sandbox(level).call(source, [Call(target="f")] * 3)] == [1, 1, 1]


@every_level
def test_no_route_to_the_host_network(level: str) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        source = tried(f"socket.create_connection(('127.0.0.1', {port}), timeout=1)")
        assert printed(level, source) in {"OSError", "PermissionError", "ConnectionRefusedError"}


@every_level
def test_machine_wide_sockets_are_refused(level: str) -> None:
    families = ("AF_VSOCK", "AF_NETLINK", "AF_PACKET", "AF_ALG")
    source = "\n".join(tried(f"socket.socket(socket.{family}, socket.SOCK_DGRAM)") for family in families)
    assert set(printed(level, source).split()) <= {"OSError", "PermissionError"}


@private_levels
def test_host_unix_sockets_are_out_of_reach(level: str) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0tahr-test-abstract")
        server.listen()
        assert (
            printed(level, tried("socket.socket(socket.AF_UNIX).connect('\\0tahr-test-abstract')"))
            == "ConnectionRefusedError"
        )


@every_level
def test_environment_holds_nothing_of_ours(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    names = printed(level, "import os\nprint(sorted(os.environ))")
    assert names == "['HOME', 'LANG', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED', 'TMPDIR']"


@every_level
def test_no_inherited_descriptors(level: str) -> None:
    source = (
        "import os\nopen_ones = []\nfor n in range(200):\n    try:\n        os.fstat(n); open_ones.append(n)\n"
        "    except OSError: pass\nprint(len(open_ones))"
    )
    assert printed(level, source) == "4"  # the three standard streams and the pipe of the claim


@private_levels
def test_only_the_own_processes_exist(level: str) -> None:
    source = "import os\nprint(os.getpid() < 100, os.path.exists(f'/proc/{os.getppid()}/mem'), os.listdir('/proc'))"
    assert printed(level, source) == "True False []"


@private_levels
def test_the_names_of_streams_open_no_other_process(level: str) -> None:
    source = """
import os
seen = []
for path in ("/dev/../proc/1/" + name for name in ("mem", "environ", "maps", "fd/0", "root/etc", "cwd", "exe")):
    try:
        os.close(os.open(path, os.O_RDONLY))
        seen.append(path)
    except OSError:
        pass
print(seen, [one for one in os.listdir("/proc") if one.isdigit() and int(one) > 9])
"""
    assert printed(level, source) == "[] []"


@private_levels
def test_programs_see_no_host_processes(level: str) -> None:
    result = sandbox(level).run(Command(argv=("sh", "-c", "ls /proc | wc -l; cat /proc/1/environ")), limits=QUICK)
    assert int(result.stdout.split()[0]) < 10


@every_level
@pytest.mark.parametrize("target", ["os.getppid()", "1", "-1"])
def test_signals_do_not_reach_the_machinery(level: str, target: str) -> None:
    source = (
        f"import os, signal\nfor s in (9, 19, 15):\n    try: os.kill({target}, s)\n    except OSError: pass\n"
        "def f(): return 7"
    )
    results = sandbox(level).call(source, [Call(target="f")] * 2, limits=QUICK)
    assert [result.value for result in results] == [7, 7]
    still_works(level)


def test_signals_do_not_reach_the_trainer() -> None:
    for level in OFFERED:
        assert (
            "PermissionError"
            in printed(level, tried(f"os.kill({os.getpid()}, 0)")) + "ProcessLookupErrorPermissionError"
        )
        assert printed(level, tried(f"os.kill({os.getpid()}, 0)")) in {"PermissionError", "ProcessLookupError"}


REFUSED = (
    "ptrace(0, 0, 0, 0)",
    "unshare(0x10000000)",
    "setns(0, 0)",
    "mount(None, b'/tmp', b'tmpfs', 0, None)",
    "umount2(b'/tmp', 2)",
    "chroot(b'.')",
    "personality(0x0040000)",
    "process_vm_readv(1, None, 0, None, 0, 0)",
    "syscall(248, b'user', b'k', b'v', 1, -3)",
    "syscall(321, 0, None, 0)",
    "syscall(298, None, 0, -1, -1, 0)",
    "syscall(425, 8, None)",
    "syscall(304, -1, None, 0)",
    "syscall(323, 0)",
    "sethostname(b'x', 1)",
)


@every_level
def test_dangerous_calls_are_refused(level: str) -> None:
    calls = [call for call in REFUSED if "syscall" not in call or os.uname().machine == "x86_64"]
    lines = [f"print(libc.{call}, ctypes.get_errno())" for call in calls]
    source = "\n".join(["import ctypes", "libc = ctypes.CDLL(None, use_errno=True)", *lines])
    assert printed(level, source).splitlines() == ["-1 1"] * len(calls)


@every_level
def test_clone_into_namespaces_is_refused(level: str) -> None:
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0), ctypes.get_errno(), end=' ')\n"
        "print(libc.syscall(435, None, 0), ctypes.get_errno())"
    )
    assert printed(level, source) == "-1 1 -1 38"


@every_level
def test_limits_of_other_processes_are_out_of_reach(level: str) -> None:
    assert printed(level, tried("__import__('resource').prlimit(os.getppid() or 1, 7, (0, 0))")) == "PermissionError"


@every_level
def test_no_capabilities_and_no_new_privileges(level: str) -> None:
    source = (
        "import ctypes, os\nlibc = ctypes.CDLL(None)\nsets = ctypes.create_string_buffer(24)\n"
        "libc.capget(ctypes.create_string_buffer((0x20080522).to_bytes(4, 'little') + bytes(4)), sets)\n"
        "print(libc.prctl(39, 0, 0, 0, 0), os.getuid() != 0, sets.raw == bytes(24))"
    )
    assert printed(level, source) == "1 True True"


@every_level
def test_wall_time_ends_a_program_that_ignores_every_signal(level: str) -> None:
    source = (
        "import signal, time\nsignal.alarm(0)\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\ntime.time = time.monotonic = lambda: 0.0\ntime.sleep(60)"
    )
    began = time.monotonic()
    assert run(level, source, Limits(wall_seconds=0.5)).reason is Reason.TIMEOUT
    assert time.monotonic() - began < 5


@every_level
def test_processor_time_ends_a_busy_loop(level: str) -> None:
    source = "import resource, signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    result = run(level, source, Limits(wall_seconds=20.0, cpu_seconds=1.0))
    assert (result.reason, result.cpu_seconds > 0.9) == (Reason.TIMEOUT, True)


@every_level
def test_limits_can_not_be_raised(level: str) -> None:
    source = (
        "import resource as r\nfor n in (r.RLIMIT_CPU, r.RLIMIT_AS, r.RLIMIT_NPROC, r.RLIMIT_FSIZE):\n"
        "    try:\n        r.setrlimit(n, (r.RLIM_INFINITY, r.RLIM_INFINITY)); print('raised', n)\n"
        "    except (ValueError, OSError): pass"
    )
    assert printed(level, source) == ""


@every_level
def test_a_memory_bomb_ends_itself_only(level: str) -> None:
    assert run(level, "L = []\nwhile True: L.append(bytearray(1 << 20))").reason is Reason.MEMORY
    still_works(level)


@every_level
def test_a_fork_bomb_ends_with_its_run(level: str) -> None:
    source = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    assert run(level, source, Limits(wall_seconds=1.0, processes=24)).reason in {Reason.TIMEOUT, Reason.KILLED}
    still_works(level)


@every_level
def test_a_daemon_does_not_survive(level: str) -> None:
    source = (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        while True: time.sleep(0.01); open('alive', 'w').write('x')\n    os._exit(0)\nos.wait()"
    )
    result = run(level, source)
    assert (result.reason, result.survivors) == (Reason.FINISHED, 1)
    assert printed(level, "import os, time; time.sleep(0.1); print(os.listdir('.'))") == "[]"


@every_level
def test_a_stopped_process_is_ended(level: str) -> None:
    source = "import os\nif os.fork() == 0:\n    os.kill(os.getpid(), 19)\nos.kill(os.getpid(), 19)"
    limits = Limits(wall_seconds=0.5)
    assert run(level, source, limits).reason in {Reason.TIMEOUT, Reason.FINISHED}
    still_works(level)


@every_level
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_an_output_flood_is_cut(level: str, stream: str) -> None:
    result = run(level, f"import sys\nwhile True: sys.{stream}.write('x' * 65536)", Limits(output_bytes=10_000))
    assert (result.reason, result.truncated) == (Reason.OUTPUT, True)
    assert getattr(result, stream) == b"x" * 10_000


@every_level
def test_output_that_stays_below_the_limit_is_whole(level: str) -> None:
    result = run(level, "print('x' * 60_000)")
    assert (result.stdout, result.truncated) == (b"x" * 60_000 + b"\n", False)


@private_levels
def test_a_full_disk_is_the_program_s_own(level: str) -> None:
    source = (
        "n = 0\ntry:\n    while True:\n        open(f'f{n}', 'wb').write(bytes(1 << 20)); n += 1\n"
        "except OSError as e: print(e.errno, n < 70)"
    )
    if level == "bubblewrap":
        assert run(level, source).reason is Reason.DISK
    else:
        assert printed(level, source) == "28 True"
    still_works(level)


@private_levels
def test_too_many_files_are_refused(level: str) -> None:
    source = (
        "import os\nn = 0\ntry:\n    while n < 70_000:\n        os.mkdir(f'd{n}'); n += 1\n"
        "except OSError as e: print(e.errno)"
    )
    if level == "namespaces":
        assert printed(level, source) == "28"


@every_level
def test_descriptors_run_out_for_the_program_only(level: str) -> None:
    source = "F = []\ntry:\n    while True: F.append(open('/dev/null'))\nexcept OSError as e: print(e.errno)"
    assert printed(level, source) == "24"


@every_level
def test_closing_every_descriptor_disturbs_nobody(level: str) -> None:
    source = "import os\nos.closerange(0, 1000)\ndef f(): return 1"
    (result,) = sandbox(level).call(source, [Call(target="f")], limits=QUICK)
    assert result.claim is Claim.MISSING
    still_works(level)


@every_level
def test_a_crash_is_the_program_s_own(level: str) -> None:
    source = "import ctypes\ndef f(): ctypes.string_at(0)"
    (result,) = sandbox(level).call(source, [Call(target="f")], limits=QUICK)
    assert (result.claim, result.run.reason, result.run.signal) == (Claim.MISSING, Reason.KILLED, 11)


@every_level
@pytest.mark.parametrize(
    ("body", "claim"),
    [
        ("os._exit(0)", Claim.MISSING),
        ("sys.exit(0)", Claim.RAISED),
        ("raise KeyboardInterrupt", Claim.RAISED),
        ("return type('Y', (), {'__eq__': lambda *a: True})()", Claim.UNPLAIN),
        ("return type('I', (int,), {})(3)", Claim.UNPLAIN),
        ("[os.write(n, b'R00000003i3:') for n in range(3, 9) if not _bad(n)]; os._exit(0)", Claim.FORGED),
        ("a = []; a.append(a); return a", Claim.UNPLAIN),
    ],
)
def test_only_a_returned_plain_value_is_a_value(level: str, body: str, claim: Claim) -> None:
    source = (
        f"import os, sys\ndef _bad(n):\n    try: os.fstat(n)\n    except OSError: return True\ndef f():\n    {body}"
    )
    (result,) = sandbox(level).call(source, [Call(target="f")], limits=QUICK)
    assert (result.claim, result.value) == (claim, None)


@every_level
def test_patched_builtins_do_not_change_the_claim(level: str) -> None:
    source = (
        "import builtins, json, os, struct\nbuiltins.isinstance = lambda *a: True\nbuiltins.len = lambda x: 0\n"
        "json.dumps = lambda *a, **k: '3'\nstruct.pack = lambda *a: b''\nos.write = lambda *a: 0\nbuiltins.type = str\n"
        "def f(): return [1, 2.5, 'x', (None, True)]"
    )
    (result,) = sandbox(level).call(source, [Call(target="f")], limits=QUICK)
    assert result.value == [1, 2.5, "x", (None, True)]


@every_level
def test_attempts_are_evidence(level: str) -> None:
    source = (
        "import os, socket, sys\nsys._getframe()\nopen('x', 'w').close()\n"
        "try: socket.create_connection(('127.0.0.1', 9), timeout=1)\nexcept OSError: pass\n"
        "try: open('/etc/shadow')\nexcept OSError: pass\n"
        "os.system('true')\ndef f(): return 1"
    )
    (result,) = sandbox(level).call(source, [Call(target="f")], limits=QUICK)
    seen = [event.split()[0] for event in result.run.events]
    assert result.value == 1
    assert {"sys._getframe", "open", "os.system", "socket.__new__"} <= set(seen)
    assert any("/etc/shadow" in event for event in result.run.events)


@every_level
def test_neighbours_keep_their_verdicts(level: str) -> None:
    bombs = (
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        "L = []\nwhile True: L.append(bytearray(1 << 22))",
        "while True: print('x' * 10000)",
        "import os\nos.kill(os.getppid(), 9)",
    )
    threads = [
        threading.Thread(target=run, args=(level, bomb, Limits(wall_seconds=1.0, memory_mb=128))) for bomb in bombs
    ]
    for thread in threads:
        thread.start()
    for _ in range(10):
        still_works(level)
    for thread in threads:
        thread.join()


@every_level
def test_nothing_outlives_a_killed_trainer(level: str) -> None:
    code = (
        "import os, sys, threading, time\nfrom tahr.sandbox import *\n"
        f"s = LocalSandbox(least_level={level!r}, level={level!r})\nprint(s.server_pids()[0], flush=True)\n"
        "sleep, limits = Script(source='import time; time.sleep(60)'), Limits(wall_seconds=50)\n"
        "threading.Thread(target=lambda: s.run(sleep, limits=limits)).start()\n"
        "time.sleep(0.5)\nif os.fork() == 0: os.close(1); time.sleep(3); os._exit(0)\nos.kill(os.getpid(), 9)"
    )
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment, timeout=60, check=False
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline and Path(f"/proc/{pid}").exists():
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


@every_level
def test_a_dead_server_is_replaced(level: str) -> None:
    still_works(level)
    for pid in sandbox(level).server_pids():
        os.kill(pid, 9)
    still_works(level)


def test_walls_hold_as_an_ordinary_user() -> None:
    code = (
        "from tahr.sandbox import *\nimport os\nassert os.getuid() == 65534\ns = LocalSandbox()\n"
        "r = s.run(Script(source=\"import os; print(os.listdir('/'), os.path.exists('/etc/shadow'))\"))\n"
        "bomb = Script(source='import os\\nwhile True:\\n  try: os.fork()\\n  except OSError: pass')\n"
        "b = s.run(bomb, limits=Limits(wall_seconds=1.0))\n"
        "c = s.call('def f(x): return x', [Call(target='f', args=((1, 2),))])\n"
        "print(s.level, r.status, b'home' in r.stdout, b.reason, c[0].value)"
    )
    assert as_ordinary_user(code).split("\n")[0] in {
        "namespaces 0 False timeout (1, 2)",
        "bubblewrap 0 False timeout (1, 2)",
    }


@pytest.mark.slow
def test_every_attack_as_an_ordinary_user() -> None:
    root = Path(__file__).parents[2]
    arguments = ["-q", "-p", "no:cacheprovider", "-m", "not slow", "--rootdir", str(root), __file__]
    code = f"import pytest, sys\nsys.path.insert(0, {str(root / 'tests')!r})\nsys.exit(pytest.main({arguments!r}))"
    assert "[100%]" in as_ordinary_user(code, timeout=240.0)


@every_level
def test_the_code_that_tests_share_is_made_before_any_of_it_runs(level: str) -> None:
    source = """
import os, marshal
def f(number):
    found = []
    for descriptor in range(4, 256):
        for use in (lambda d: os.write(d, (20).to_bytes(8, "big") + b"x" * 20), lambda d: os.read(d, 1)):
            try:
                found.append(use(descriptor))
            except OSError:
                pass
    return number + len(found)
"""
    calls = [Call(target="f", args=(number,)) for number in range(4)]
    results = sandbox(level).call(source, calls, limits=QUICK)
    assert [result.value for result in results] == [0, 1, 2, 3]


@every_level
@pytest.mark.parametrize(
    ("source", "claim", "error"),
    [
        ("def f(:", Claim.RAISED, "load: SyntaxError"),
        ("f = " + "(" * 300 + ")" * 300, Claim.RAISED, "load: SyntaxError"),
        ("f = " + "-" * 90_000 + "1", Claim.RAISED, "load: "),
        ("import os\nos._exit(3)", Claim.MISSING, ""),
    ],
)
def test_what_can_not_be_loaded_fails_in_every_test_alike(level: str, source: str, claim: Claim, error: str) -> None:
    results = sandbox(level).call(source, [Call(target="f", args=())] * 3, limits=QUICK)
    assert [result.claim for result in results] == [claim] * 3
    assert all(result.run.error.startswith(error) for result in results), results
