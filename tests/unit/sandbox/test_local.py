from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from sandbox_levels import OFFERED, PRIVATE, QUICK, sandbox
from tahr.core.errors import InputError, UnknownNameError
from tahr.sandbox import Call, Claim, Command, Limits, LocalSandbox, Reason, Script, levels

every_level = pytest.mark.parametrize("level", OFFERED)


@every_level
def test_a_program_with_input_arguments_and_files(level: str) -> None:
    program = Script(source="import sys\nprint(input(), open('a/b.txt').read(), sys.argv, __name__)", arguments=("x",))
    result = sandbox(level).run(program, stdin=b"in\n", files={"a/b.txt": b"file"}, limits=QUICK)
    assert (result.reason, result.status) == (Reason.FINISHED, 0)
    assert result.stdout == b"in file ['main.py', 'x'] __main__\n"


@every_level
@pytest.mark.parametrize(
    ("source", "status", "stderr"),
    [
        ("raise SystemExit", 0, b""),
        ("raise SystemExit(7)", 7, b""),
        ("raise SystemExit('no')", 1, b"no\n"),
        ("import atexit; atexit.register(print, 'bye')", 0, b""),
        ("1/0", 1, b"ZeroDivisionError: division by zero\n"),
        ("def", 1, b"SyntaxError: invalid syntax\n"),
    ],
)
def test_exit_status_is_that_of_an_interpreter(level: str, source: str, status: int, stderr: bytes) -> None:
    result = sandbox(level).run(Script(source=source), limits=QUICK)
    assert (result.status, result.stderr.endswith(stderr)) == (status, True)
    assert b"bye" in result.stdout or "atexit" not in source
    assert b"sandbox/inside" not in result.stderr


@every_level
def test_each_input_has_a_process_of_its_own(level: str) -> None:
    results = sandbox(level).run_each(Script(source="print(int(input()) * 2)"), [b"1", b"2", b"x"], limits=QUICK)
    assert [result.stdout for result in results] == [b"2\n", b"4\n", b""]
    assert results[2].error == "load: ValueError: invalid literal for int() with base 10: 'x'"


@every_level
def test_input_that_is_larger_than_a_pipe(level: str) -> None:
    result = sandbox(level).run(Script(source="import sys\nprint(len(sys.stdin.read()))"), stdin=b"x" * 1_000_000)
    assert result.stdout == b"1000000\n"


@every_level
def test_any_command(level: str) -> None:
    result = sandbox(level).run(Command(argv=("sh", "-c", "cat; exit 3")), stdin=b"hello", limits=QUICK)
    assert (result.stdout, result.status, result.error) == (b"hello", 3, "")
    missing = sandbox(level).run(Command(argv=("no-such-program",)), limits=QUICK)
    assert (missing.status, missing.error.split(":")[0]) == (127, "start")


@every_level
def test_calls_name_anything_in_the_module(level: str) -> None:
    source = "class S:\n    def add(self, a, b=1): return a + b\ndef grow(x): x.append(1)"
    calls = [
        Call(target="S().add", args=(2,), kwargs={"b": 5}),
        Call(target="lambda x: (grow(x), x)[1]", args=([0],)),
        Call(target="missing"),
    ]
    results = sandbox(level).call(source, calls, limits=QUICK)
    assert [result.value for result in results] == [7, [0, 1], None]
    assert (results[2].claim, results[2].run.error) == (Claim.RAISED, "call: NameError: name 'missing' is not defined")


@every_level
def test_until_ends_a_run_early(level: str) -> None:
    calls = [Call(target="abs", args=(number,)) for number in (1, 2, 3)]
    results = sandbox(level).call("", calls, limits=QUICK, until=lambda result: result.value == 2)
    assert [result.value for result in results] == [1, 2]


@every_level
def test_no_calls_no_results(level: str) -> None:
    assert sandbox(level).call("", []) == ()


def test_results_do_not_depend_on_hash_seeds_or_random_state() -> None:
    source = "import random\ndef f(): return list({'a', 'b', 'c', 'd'}), random.random()"
    first, second = (sandbox(OFFERED[0]).call(source, [Call(target="f")])[0].value for _ in range(2))
    with LocalSandbox(least_level=OFFERED[0]) as other:
        assert first == second == other.call(source, [Call(target="f")])[0].value


def test_many_threads_share_one_sandbox() -> None:
    found: dict[int, object] = {}

    def ask(number: int) -> None:
        found[number] = sandbox(OFFERED[0]).call("def f(x): return x", [Call(target="f", args=(number,))])[0].value

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: number for number in range(16)}


def test_a_thread_that_ends_leaves_its_server_running() -> None:
    with LocalSandbox(least_level="rlimits", max_workers=1) as own:
        thread = threading.Thread(target=own.call, args=("", [Call(target="abs", args=(1,))]))
        thread.start()
        thread.join()
        pid = own.server_pids()[0]
        own.call("", [Call(target="abs", args=(1,))])
        assert own.server_pids()[0] == pid


def test_starts_within_300_milliseconds() -> None:
    seconds: list[float] = []
    for _ in range(5):
        began = time.perf_counter()
        LocalSandbox(least_level=OFFERED[0]).close()
        seconds.append(time.perf_counter() - began)
    assert min(seconds) < 0.3


def test_a_closed_or_foreign_sandbox_is_refused() -> None:
    own = LocalSandbox(least_level="rlimits")
    own._owner = os.getpid() + 1
    with pytest.raises(InputError, match="another process"):
        own.call("", [Call(target="abs")])
    own._owner = os.getpid()
    own.close()
    with pytest.raises(InputError, match="closed"):
        own.call("", [Call(target="abs")])


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a//b", "", "a/./b", "a\0b"])
def test_files_stay_in_the_folder(name: str) -> None:
    with pytest.raises(InputError, match="leads out"):
        sandbox(OFFERED[0]).run(Script(source=""), files={name: b""})


def test_arguments_must_be_plain() -> None:
    with pytest.raises(InputError, match="can't be sent"):
        sandbox(OFFERED[0]).call("", [Call(target="abs", args=(object(),))])


@pytest.mark.skipif(not PRIVATE, reason="no level with a file tree of its own")
def test_chosen_packages_can_be_imported() -> None:
    with LocalSandbox(level=PRIVATE[0], least_level=PRIVATE[0], packages=("jinja2", "markupsafe")) as own:
        source = "import jinja2\ndef f(): return jinja2.Template('{{ 1 + 1 }}').render()"
        assert own.call(source, [Call(target="f")], limits=Limits(memory_mb=512))[0].value == "2"
    with pytest.raises(InputError, match="not installed"):
        LocalSandbox(least_level=PRIVATE[0], packages=("no-such-package",))


def test_a_package_below_tmp_can_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, facts = tmp_path / "site" / "small_thing", tmp_path / "site" / "small_thing-1.0.dist-info"
    package.mkdir(parents=True)
    facts.mkdir()
    (package / "__init__.py").write_text("NUMBER = 7\n")
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: small-thing\nVersion: 1.0\n")
    (facts / "RECORD").write_text("small_thing/__init__.py,,\nsmall_thing-1.0.dist-info/METADATA,,\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    with LocalSandbox(level=PRIVATE[0], least_level=PRIVATE[0], packages=("small-thing",)) as own:
        assert own.call("import small_thing\ndef f(): return small_thing.NUMBER", [Call(target="f")])[0].value == 7


def test_a_machine_below_the_least_level_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def weak(level: str) -> levels.Probe:
        return levels.Probe(level=level, works=level == "rlimits", error="" if level == "rlimits" else "forbidden here")

    monkeypatch.setattr(levels, "probe", weak)
    with pytest.raises(InputError, match="no sandbox as strong as 'bubblewrap'") as refused:
        levels.choose("bubblewrap")
    assert "namespaces: forbidden here; bubblewrap: forbidden here; rlimits: works, but is weaker" in str(refused.value)
    assert levels.choose("rlimits") == "rlimits"
    with pytest.raises(UnknownNameError, match="namespaces"):
        levels.choose("namespace")
