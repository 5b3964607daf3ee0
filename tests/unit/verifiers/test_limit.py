from __future__ import annotations

import re
import signal
import threading
import time

import pytest

from tahr.verifiers.limit import TimeLimitError, time_limit


def spin() -> None:
    while True:
        pass


def stubborn() -> None:
    for _ in range(2):
        try:
            time.sleep(60)
        except BaseException:  # noqa: BLE001, S112 - what a careless verifier does
            continue
    spin()


@pytest.mark.parametrize(
    "hang",
    [
        spin,
        lambda: time.sleep(60),
        lambda: re.match(r"(a+)+$", "a" * 40 + "b"),
        lambda: threading.Event().wait(),
    ],
    ids=["loop", "sleep", "regex", "event"],
)
def test_a_hang_ends(hang) -> None:
    with pytest.raises(TimeLimitError, match=r"no result within 0\.1 s"), time_limit(0.1):
        hang()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_code_that_catches_everything_is_struck_again(monkeypatch) -> None:
    monkeypatch.setattr("tahr.verifiers.limit.AGAIN_SECONDS", 0.05)
    with pytest.raises(TimeLimitError), time_limit(0.05):
        stubborn()


def test_what_ends_in_time_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with time_limit(0.05):
        pass
    time.sleep(0.1)
    assert signal.getsignal(signal.SIGALRM) is before


def test_in_another_thread_nothing_is_limited() -> None:
    found = []

    def work() -> None:
        with time_limit(0.01):
            time.sleep(0.05)
            found.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["done"]
