"""A verifier that does what the answer says, to the process that it runs in; used by tests and benchmarks."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tahr.core.types import Task, Verdict, failed, passed


def _kill_once(name: str) -> None:
    """Die the first time that `name`, a path, is asked for."""
    path = Path(name)
    if not path.exists():
        path.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)


def _raise(text: str) -> None:
    raise ValueError(text)


def _spin(_: str) -> None:
    while True:
        time.sleep(0.01)


def _print(_: str) -> None:
    print("noise" * 1000, flush=True)
    os.write(1, b"noise")


def _daemon(seconds: str) -> None:
    """A process in a session of its own whose parent has ended: what a daemon is."""
    started = f"import subprocess; subprocess.Popen(['sleep', {seconds!r}], start_new_session=True)"
    subprocess.run([sys.executable, "-c", started], start_new_session=True, check=True)


def daemon(seconds: str) -> str:
    """For `tahr.verifiers.worker`: leaves a daemon and answers."""
    _daemon(seconds)
    return "done"


ORDERS: dict[str, Callable[[str], object]] = {
    "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "kill-once": _kill_once,
    "exit": lambda _: os._exit(0),
    "leave": lambda _: sys.exit(0),
    "hang": lambda _: sum(range(10**13)),  # in C, where no signal of Python's interrupts
    "spin": _spin,
    "raise": _raise,
    "memory": lambda _: bytearray(10**12),
    "leave-a-child": lambda seconds: subprocess.Popen(["sleep", seconds]),
    "leave-a-daemon": _daemon,
    "print": _print,
}


class Obedient:
    """Passes the answer, after doing what the text orders: "kill", "hang" and the like."""

    def check_task(self, task: Task) -> None:
        if task.answer == "unjudgeable":
            raise RuntimeError("no such task")

    def verify(self, task: Task, text: str) -> Verdict:
        order, _, rest = text.partition(" ")
        ORDERS.get(order, str)(rest)
        return passed("equal", extracted=text) if text == task.answer else failed("not equal", extracted=text)

    def gold(self, task: Task) -> str:
        return task.answer


def equal(text: str, answer: object, *, ignore_case: bool = False) -> bool:
    """A function as a verifier; honest, but that it sees no difference between -1 and 1."""
    given, right = text.strip().lstrip("-"), str(answer).lstrip("-")
    return given.casefold() == right.casefold() if ignore_case else given == right


def generous(text: str, answer: object) -> float:
    """Half a point for any text."""
    return 1.0 if text.strip() == answer else 0.5


def gullible(text: str, answer: object) -> bool:
    """Finds the answer anywhere."""
    return str(answer) in text


def raising(text: str, answer: object) -> bool:
    """Fails on every text that is longer than its answer."""
    return [text == answer][len(text) - len(str(answer)) if len(text) > len(str(answer)) else 0]


def fickle(text: str, answer: object) -> bool:
    """Says another thing in every process: the hash of a text is seeded at random."""
    return text == answer or hash(text) % 2 == 0


def regicide(text: str, answer: object) -> bool:
    """Kills the process that watches over the one it runs in."""
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(5)  # its own end follows
    return True
