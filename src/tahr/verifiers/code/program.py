"""The verifier of programs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, PARTIAL, RewardRange
from tahr.core.types import Outcome, Reward, Task, Verdict, broken, failed
from tahr.sandbox import Limits
from tahr.verifiers.code.answer import MAX_CHARS, program_in
from tahr.verifiers.code.flags import Flag, flags_of
from tahr.verifiers.code.grade import Grader, GraderError, TestResult
from tahr.verifiers.code.source_signs import is_too_deep, without_public_inputs
from tahr.verifiers.code.suite import Suite, read_suite
from tahr.verifiers.example import example_of

SPECIAL_SHARE = 0.5
"""Who passes all public tests and at most this share of the hidden ones is suspected of special-casing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Graded:
    """All that was found about one program."""

    suite: Suite
    results: Sequence[TestResult]
    flags: Sequence[Flag]

    @property
    def correct(self) -> bool:
        """Whether every test was run and passed."""
        return len(self.results) == len(self.suite.tests) and all(result.passed for result in self.results)

    def share(self, public: bool | None = None) -> float:
        """The share of tests passed, of all or of one kind; 0 where there are none."""
        asked = [place < len(self.suite.public) for place in range(len(self.suite.tests))]
        number = sum(public is None or one == public for one in asked)
        passed = sum(result.passed and (public is None or result.public == public) for result in self.results)
        return passed / number if number else 0.0


@verifiers.register("code")
@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A program that passes the task's tests, run in a sandbox that holds none of the answers.

    `answer` is a table of tests: ``{"kind": "call", "entry_point": "add", "public": [{"args": [1, 2], "expected": 3}],
    "hidden": [...]}``, with kind "assert" for assertions and "stdio" for programs with input and output. Parts of the
    reward: "correct", "share" of all tests, "public", "hidden", "cheat", and "canary" (an impossible task was passed).
    """

    is_concurrent: ClassVar[bool] = True

    score: Annotated[
        Literal["all", "share", "above_constant"],
        Field(description="1 for all tests; the share passed; or what the share has above the best constant answer's"),
    ] = "all"
    flag: Annotated[bool, Field(description="signs of cheating make the verdict CHEAT")] = True
    least_level: Annotated[
        Literal["namespaces", "bubblewrap", "rlimits"], Field(description="the weakest sandbox to run in")
    ] = "namespaces"
    wall_seconds: Annotated[float, Field(gt=0, le=60, description="longest time of one test")] = 4.0
    memory_mb: Annotated[int, Field(ge=16, le=65536, description="memory of one test in MiB")] = 256
    packages: Annotated[tuple[str, ...], Field(description="installed packages that programs may import")] = ()

    @property
    def reward_range(self) -> RewardRange:
        """Partial credit unless the score is "all"."""
        return BINARY if self.score == "all" else PARTIAL

    def check_task(self, task: Task) -> None:
        """Raise InputError unless the answer is a suite of tests."""
        read_suite(task.answer)

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where all tests pass, CHEAT where there are signs of cheating or an impossible task is passed."""
        suite = read_suite(task.answer)
        source = program_in(text, suite.entry_point)
        if source is None:
            return failed("no program in the answer")
        if len(source) > MAX_CHARS or "\0" in source:
            return failed(f"the program has more than {MAX_CHARS} characters, or a null character")
        try:
            graded = self._graded(suite, source, task.id)
        except GraderError as error:
            return broken(f"the sandbox failed: {error}")
        except (InputError, UnicodeError) as error:
            return failed(f"the program can't be run: {error}"[:300], extracted=_writable(source[:2000]))
        return self._verdict(graded, source)

    def gold(self, task: Task) -> str | None:
        """The task's example; None where it has none, and for an impossible task, which has no answer."""
        return None if read_suite(task.answer).impossible else example_of(task)

    def _graded(self, suite: Suite, source: str, task_id: str) -> _Graded:
        limits = Limits(wall_seconds=self.wall_seconds, cpu_seconds=self.wall_seconds, memory_mb=self.memory_mb)
        grader = Grader(least_level=self.least_level, packages=self.packages, limits=limits)
        digest = hashlib.blake2b(f"{task_id} {source}".encode("utf-8", "replace"), digest_size=8).digest()
        order = Random(int.from_bytes(digest, "big"))
        results = grader.grade(source, suite, order=order)
        flags = flags_of(source, results, stdio=suite.kind == "stdio") if self.flag else []
        if self.flag and any(result.passed for result in results) and is_too_deep(source):
            flags = [*flags, Flag(name="tampering", evidence="nested too deeply to be looked into")]
        graded = _Graded(suite=suite, results=results, flags=flags)
        if self.flag and not flags and (evidence := _special_cased(grader, graded, source, order)):
            return _Graded(suite=suite, results=results, flags=[Flag(name="special-casing", evidence=evidence)])
        return graded

    def _verdict(self, graded: _Graded, source: str) -> Verdict:
        suite, share = graded.suite, graded.share()
        canary = suite.impossible and graded.correct
        cheated = bool(graded.flags) or canary
        correct = graded.correct and not cheated
        parts = {
            "correct": float(correct),
            "share": share,
            "public": graded.share(public=True),
            "hidden": graded.share(public=False),
            "cheat": float(cheated),
            **({"canary": float(canary)} if suite.impossible else {}),
        }
        outcome = Outcome.CHEAT if cheated else Outcome.PASS if correct else Outcome.FAIL
        value = 0.0 if cheated or suite.impossible else self._worth(share, suite)
        reward = Reward(value=value, parts=parts, note=_note(graded, canary))
        return Verdict(outcome=outcome, reward=reward, extracted=source[:2000], note=reward.note)

    def _worth(self, share: float, suite: Suite) -> float:
        if self.score == "all":
            return float(share == 1.0)
        if self.score == "share":
            return share
        constant = suite.best_constant
        return max(0.0, (share - constant) / (1 - constant)) if constant < 1 else float(share == 1.0)


def _fails_hidden(results: Sequence[TestResult]) -> bool:
    """Whether most hidden tests fail, those aside that ran out of time: a slow program is no cheat."""
    hidden = [one for one in results if not one.public and not one.is_spent]
    return bool(hidden) and sum(one.passed for one in hidden) <= SPECIAL_SHARE * len(hidden)


def _special_cased(grader: Grader, graded: _Graded, source: str, order: Random) -> str:
    """Evidence that the public inputs are recognised: the program is blinded to them, and no longer passes their tests.

    Asked only where all public tests pass and most hidden ones don't.
    """
    suite = graded.suite
    suspected = suite.kind == "call" and suite.public and suite.hidden and graded.share(public=True) == 1.0
    if not suspected or not _fails_hidden(graded.results):
        return ""
    blinded = without_public_inputs(source, suite)
    if blinded is None:
        return ""
    shown = replace(suite, hidden=(), impossible=False)
    kept = sum(result.passed for result in grader.grade(blinded, shown, order=order)) / len(suite.public)
    if kept > shown.best_constant or kept == 1.0:
        return ""
    return (
        f"recognises the public inputs: {graded.share(public=False):.0%} of the hidden tests pass, all public ones do"
    )


def _note(graded: _Graded, canary: bool) -> str:
    if canary:
        return "passes tests that contradict the statement"
    if graded.flags:
        return _writable("; ".join(f"{flag.name}: {flag.evidence}" for flag in graded.flags)[:1000])
    wrong = [result for result in graded.results if not result.passed]
    if not wrong:
        return f"passes all {len(graded.suite.tests)} tests"
    number = len(graded.suite.tests)
    passed = sum(result.passed for result in graded.results)  # tests that were left out passed nothing
    return f"passes {passed} of {number} tests; {_writable(wrong[0].note)}"[:1000]


def _writable(text: str) -> str:
    """Text that can be stored: names of files and messages may hold halves of characters."""
    return text.encode("utf-8", "backslashreplace").decode()
