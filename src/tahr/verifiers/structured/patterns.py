"""A regular expression that the answer must match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import regex
from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Outcome, Task, Verdict, failed, passed
from tahr.core.visible import without_blank_ends
from tahr.verifiers.example import needed_example
from tahr.verifiers.text import outside_thinking

Pattern = Any  # regex.Pattern[str]: the package ships no annotations


@verifiers.register("regex")
@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """The answer, thinking left out and what no reader sees at its ends removed, matches a regular expression.

    The pattern is the verifier's argument; without one, each task's `answer` is a pattern. A match that takes longer
    than `timeout` seconds has no reward.
    """

    pattern: Annotated[str | None, Field(description="the expression; absent: every task brings its own")] = None
    mode: Annotated[
        Literal["fullmatch", "search"], Field(description="the whole answer must match, or some part of it")
    ] = "fullmatch"
    ignore_case: Annotated[bool, Field(description="match small and capital letters alike")] = False
    timeout: Annotated[float, Field(gt=0, le=60, description="seconds for one match")] = 0.5
    _compiled: Pattern = field(init=False, repr=False, compare=False)

    reward_range: ClassVar[RewardRange] = BINARY

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compiled", None if self.pattern is None else self._compile(self.pattern))

    def check_task(self, task: Task) -> None:
        """Raise InputError where the task's pattern doesn't compile, or it carries no example."""
        if self.pattern is None:
            if not isinstance(task.answer, str):
                raise InputError(
                    "the regex verifier has no pattern argument, so every task's answer must be one",
                    received=repr(task.answer)[:200],
                    instead='answer = "[0-9]+ apples", or the argument pattern',
                )
            self._compile(task.answer)
        needed_example(task, "regex")

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS on a match, TIMEOUT where the match takes too long."""
        compiled = self._compile(task.answer) if self.pattern is None else self._compiled
        answer = without_blank_ends(outside_thinking(text))
        try:
            match = getattr(compiled, self.mode)(answer, timeout=self.timeout)
        except TimeoutError:
            note = f"matching {compiled.pattern!r} took longer than {self.timeout} s"
            return Verdict(outcome=Outcome.TIMEOUT, reward=None, note=note)
        if match is None:
            return failed(f"no match for {compiled.pattern!r}", extracted=answer[:200])
        return passed("matches", extracted=match[0][:200])

    def gold(self, task: Task) -> str:
        """The task's example."""
        return needed_example(task, "regex")

    def _compile(self, pattern: str) -> Pattern:
        try:
            return regex.compile(pattern, regex.IGNORECASE if self.ignore_case else 0)
        except regex.error as error:
            raise InputError(f"the pattern is no regular expression: {error}", received=pattern[:200]) from error
