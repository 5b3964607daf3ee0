import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from tahr.verifiers import worker as module
from tahr.verifiers.worker import Worker, WorkerError


def running(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def wait_until_gone(pids: list[int]) -> list[int]:
    deadline = time.monotonic() + 10
    while any(map(running, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [pid for pid in pids if running(pid)]


def test_results_come_back_and_errors_leave_the_process_alive() -> None:
    worker = Worker("operator:itemgetter")
    with pytest.raises(WorkerError, match="TypeError"):
        worker.call({"no_such_argument": 1}, timeout=20)
    doubled = Worker("statistics:fmean")
    assert doubled.call({"data": [1, 2, 6]}, timeout=20) == 3.0
    with pytest.raises(WorkerError, match="StatisticsError"):
        doubled.call({"data": []}, timeout=20)
    assert doubled.call({"data": [4]}, timeout=20) == 4.0


def test_a_hung_call_costs_only_itself() -> None:
    worker = Worker("textwrap:wrap")
    assert worker.call({"text": "a b", "width": 1}, timeout=20) == ["a", "b"]
    started = time.perf_counter()
    with pytest.raises(TimeoutError):
        worker.call({"text": "a " * 3_000_000, "width": 1}, timeout=0.05)
    assert time.perf_counter() - started < 5
    assert worker.call({"text": "a b", "width": 1}, timeout=20) == ["a", "b"]


@pytest.mark.slow
def test_hung_calls_hold_up_no_other() -> None:
    worker = Worker("builtins:pow")
    assert worker.call({"base": 2, "exp": 5}, timeout=20) == 32

    def hang() -> None:
        with pytest.raises(TimeoutError):
            worker.call({"base": 7, "exp": 10**9}, timeout=2.0)

    hostile = [threading.Thread(target=hang) for _ in range(3)]
    for thread in hostile:
        thread.start()
    time.sleep(0.2)
    started = time.perf_counter()
    assert [worker.call({"base": 3, "exp": number}, timeout=2.0) for number in range(5)] == [1, 3, 9, 27, 81]
    assert time.perf_counter() - started < 1.0
    for thread in hostile:
        thread.join()


def test_an_interrupted_call_leaves_no_reply_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker("statistics:fmean")
    assert worker.call({"data": [1]}, timeout=20) == 1.0

    def interrupt(*_: object) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "read_line", interrupt)
        with pytest.raises(KeyboardInterrupt):
            worker.call({"data": [2]}, timeout=20)
    assert worker.call({"data": [3]}, timeout=20) == 3.0


def test_memory_is_limited() -> None:
    worker = Worker("secrets:token_hex", memory_bytes=300 * 2**20)
    with pytest.raises(WorkerError, match="MemoryError"):
        worker.call({"nbytes": 2**30}, timeout=20)
    assert len(worker.call({"nbytes": 4}, timeout=20)) == 8


def test_a_result_that_is_not_json_is_an_error() -> None:
    with pytest.raises(WorkerError, match="TypeError"):
        Worker("secrets:token_bytes").call({"nbytes": 4}, timeout=20)


def test_a_missing_function_is_an_error() -> None:
    with pytest.raises(WorkerError, match="ended without a result"):
        Worker("textwrap:no_such_function").call({}, timeout=5)


def test_a_process_that_ends_itself_is_an_error_and_is_replaced() -> None:
    worker = Worker("os:kill")
    with pytest.raises(TypeError):
        worker.call({"pid": object()}, timeout=5)
    stopped = Worker("os:_exit")
    with pytest.raises(WorkerError, match="ended without a result"):
        stopped.call({"status": 3}, timeout=5)
    with pytest.raises(WorkerError, match="TypeError"):
        stopped.call({}, timeout=5)


def test_calls_from_several_threads_do_not_mix() -> None:
    worker = Worker("statistics:fmean")
    results: dict[int, float] = {}

    def call(number: int) -> None:
        results[number] = worker.call({"data": [number]}, timeout=20)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: float(number) for number in range(30)}


def test_processes_end_with_the_worker() -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    worker = Worker("statistics:fmean")
    worker.call({"data": [1]}, timeout=20)
    mine = [child.pid for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert len(mine) == 2
    del worker
    assert wait_until_gone(mine) == []


PROGRAM = """
import sys, threading, time
from tahr.verifiers.worker import Worker
worker = Worker("builtins:pow")
assert worker.call({"base": 2, "exp": 3}, timeout=20) == 8
threading.Thread(target=lambda: worker.call({"base": 7, "exp": 10**10}, timeout=60), daemon=True).start()
time.sleep(0.3)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("killed", ["program", "template"])
def test_a_hung_process_outlives_neither_the_program_nor_the_template(killed: str) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"ready\n"
        template = psutil.Process(program.pid).children()[0]
        processes = [child.pid for child in template.children()]
        assert processes
        os.kill(program.pid if killed == "program" else template.pid, signal.SIGKILL)
        assert wait_until_gone([*processes, template.pid]) == []
        program.kill()


def test_a_forked_copy_of_the_program_has_its_own_processes() -> None:
    program = (
        "import os\nfrom tahr.verifiers.worker import Worker\nworker = Worker('statistics:fmean')\n"
        "worker.call({'data': [1]}, timeout=20)\npid = os.fork()\n"
        "right = worker.call({'data': [2 if pid else 3]}, timeout=20) == (2.0 if pid else 3.0)\n"
        "if pid: right = right and os.waitpid(pid, 0)[1] == 0\n"
        "raise SystemExit(0 if right else 1)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's help is needed")
def test_no_daemon_outlives_the_call_that_is_killed_or_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))

    def left(marker: str) -> list[int]:
        return [one.pid for one in psutil.process_iter(["cmdline"]) if (one.info["cmdline"] or [])[-1:] == [marker]]

    worker = Worker("hostile_verifiers:daemon")
    assert worker.call({"seconds": "27.1828"}, timeout=60) == "done"
    (daemon,) = left("27.1828")
    family = worker._family
    assert family is not None
    family.end(family.idle.pop())
    assert wait_until_gone([daemon]) == []
    assert worker.call({"seconds": "27.1829"}, timeout=60) == "done"
    (daemon,) = left("27.1829")
    del worker, family
    assert wait_until_gone([daemon]) == []
