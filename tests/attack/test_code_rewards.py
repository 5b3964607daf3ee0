"""Programs that cheat, at every level of the sandbox, as root and as an ordinary user."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox_levels import OFFERED, as_ordinary_user
from tahr.core.types import Outcome
from tahr.evaluation.audit.code.exploits import Exploit, exploits
from tahr.verifiers.code.program import Code

BEST = OFFERED[0]
EVERY = pytest.mark.parametrize("exploit", exploits(), ids=lambda exploit: exploit.name)
RIGHT = {
    "call": "def add(a, b):\n    return a + b",
    "stdio": "print(sum(map(int, input().split())))",
}


def verifier(level: str, wall_seconds: float = 0.4) -> Code:
    return Code(least_level=level, wall_seconds=wall_seconds, memory_mb=128)  # type: ignore[arg-type]


def beats(exploit: Exploit, level: str) -> None:
    began = time.monotonic()
    verdict = verifier(level).verify(exploit.task, exploit.text)
    assert exploit.is_beaten(verdict), (exploit.expected, verdict)
    assert verdict.outcome is not Outcome.PASS or exploit.expected == "reward_ok_time_not_forged"
    assert time.monotonic() - began < 30  # two timeouts, on a machine with other work
    after = verifier(level, wall_seconds=4.0).verify(exploit.task, f"```python\n{RIGHT[exploit.mode]}\n```")
    assert after.outcome is Outcome.PASS, after.note  # the next program is none the worse for it


def test_there_are_this_many_of_each_kind() -> None:
    assert len(exploits()) == len({exploit.name for exploit in exploits()}) == 72
    kinds = Counter(exploit.kind for exploit in exploits())
    assert min(kinds.values()) >= 1
    assert len(kinds) == 10


@EVERY
def test_no_exploit_is_rewarded(exploit: Exploit) -> None:
    beats(exploit, BEST)


@pytest.mark.slow
@pytest.mark.parametrize("level", OFFERED[1:])
@EVERY
def test_no_exploit_is_rewarded_at_any_level(exploit: Exploit, level: str) -> None:
    beats(exploit, level)


@pytest.mark.slow
@pytest.mark.parametrize("exploit", [one for one in exploits() if one.mode == "call"], ids=lambda one: one.name)
def test_no_exploit_earns_more_than_the_best_constant_by_partial_credit(exploit: Exploit) -> None:
    scored = Code(least_level=BEST, wall_seconds=0.5, memory_mb=128, score="above_constant")  # type: ignore[arg-type]
    if exploit.expected in {"flag", "reward_ok_time_not_forged"}:
        pytest.skip("its answers are right")
    verdict = scored.verify(exploit.task, exploit.text)
    assert verdict.reward is not None
    assert verdict.reward.value < 0.25


@pytest.mark.slow
def test_no_exploit_is_rewarded_as_an_ordinary_user() -> None:
    root = Path(__file__).parents[2]
    arguments = ["-q", "-p", "no:cacheprovider", "-m", "not slow", "--rootdir", str(root), __file__]
    code = f"import pytest, sys\nsys.path.insert(0, {str(root / 'tests')!r})\nsys.exit(pytest.main({arguments!r}))"
    assert "[100%]" in as_ordinary_user(code, timeout=300.0)


@pytest.mark.slow
@pytest.mark.parametrize("exploit", [one for one in exploits() if one.mode == "call"], ids=lambda one: one.name)
def test_no_exploit_passes_assertions(exploit: Exploit) -> None:
    tests = [f"assert add({a}, {b}) == {a + b}" for a, b in ((5, 7), (10, -4), (0, 0))]
    answer = {"kind": "assert", "entry_point": "add", "public": ["assert add(1, 2) == 3"], "hidden": tests}
    verdict = verifier(BEST).verify(replace(exploit.task, answer=answer), exploit.text)
    assert exploit.is_beaten(verdict), verdict
    assert verdict.reward is not None
