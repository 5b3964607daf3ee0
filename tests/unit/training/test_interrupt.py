from __future__ import annotations

import os
import signal
import threading

import pytest

from tahr.training.interrupt import stop_on_interrupt


def test_the_first_interrupt_asks_and_the_second_stops():
    said = []
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), stop_on_interrupt(said.append) as stop:
        assert not stop.asked
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.asked
        assert len(said) == 1
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_nothing_is_caught():
    found = []

    def work():
        with stop_on_interrupt(found.append) as stop:
            found.append(stop.asked)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]
