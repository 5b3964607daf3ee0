from __future__ import annotations

import os
import signal
import threading

import pytest

from tahr.training.interrupt import stop_on_interrupt


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_interrupt_asks_and_the_second_stops(number):
    said = []
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), stop_on_interrupt(said.append) as stop:
        assert not stop.asked
        os.kill(os.getpid(), number)
        assert stop.asked
        assert len(said) == 1
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_outside_the_main_thread_nothing_is_caught():
    found = []

    def work():
        with stop_on_interrupt(found.append) as stop:
            found.append(stop.asked)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]
