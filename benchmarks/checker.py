"""One checker of answers in a process of its own: reads pairs, judges them as long as told, says how many it managed.

Run by `verifiers.py` with each checker's own interpreter; imports nothing but the checker that it is told to be.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

Check = Callable[[Any, str], bool]
"""Whether an answer (second) is right, given the gold one."""


def tahr_math() -> Check:
    """tahr's math verifier, through `verify` on a whole answer."""
    from tahr.core.types import Message, Outcome, Task
    from tahr.verifiers.math.mathematics import Math

    verifier, question = Math(), (Message(role="user", content="What is it?"),)

    def check(gold: Any, answer: str) -> bool:
        return verifier.verify(Task(prompt=question, answer=gold, verifier="math"), answer).outcome is Outcome.PASS

    return check


def math_verify() -> Check:
    """Math-Verify as its README shows it: both sides parsed, then compared; its time limits as they are."""
    import logging

    from math_verify import parse, verify

    logging.disable(logging.CRITICAL)
    return lambda gold, answer: bool(verify(parse(f"${gold}$"), parse(answer)))


CHECKERS: dict[str, Callable[[], Check]] = {"tahr-math": tahr_math, "math-verify": math_verify}


def main(name: str) -> None:
    """Serve requests ``{"pairs": [[gold, answer], ...], "seconds": 1.0}`` from standard input, a line each."""
    check = CHECKERS[name]()
    print(json.dumps({"ready": name}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        pairs = request["pairs"]
        check(pairs[-1][0], pairs[-1][1])  # what is loaded or started at first use doesn't count
        right = count = 0
        started = time.perf_counter()
        deadline = started + request["seconds"]
        while time.perf_counter() < deadline:
            gold, answer, expected = pairs[count % len(pairs)]
            right += check(gold, answer) == expected
            count += 1
        seconds = time.perf_counter() - started
        print(json.dumps({"rate": count / seconds, "right": right / count}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
