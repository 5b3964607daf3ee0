import threading
import time

import pytest

from tahr.verifiers.worker import Worker, WorkerError


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


def test_an_interrupted_call_leaves_no_reply_for_the_next() -> None:
    worker = Worker("statistics:fmean")
    assert worker.call({"data": [1]}, timeout=20) == 1.0
    real = worker._read_line  # pyright: ignore[reportPrivateUsage]

    def interrupt(*_: object) -> bytes:
        worker._read_line = real  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
        raise KeyboardInterrupt

    worker._read_line = interrupt  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
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


def test_calls_from_several_threads_do_not_mix() -> None:
    worker = Worker("statistics:fmean")
    results: dict[int, float] = {}

    def call(number: int) -> None:
        results[number] = worker.call({"data": [number]}, timeout=20)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: float(number) for number in range(8)}
