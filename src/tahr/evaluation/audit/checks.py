"""One judgement that an audit asks for, and all of them made in a process that may be killed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tahr.core.types import Outcome, Task
from tahr.evaluation.audit.findings import Example
from tahr.evaluation.bulk.judges import Judged, Verifiers, decoded, encode_task, lost_row
from tahr.evaluation.bulk.lane import Lane, Lost, Work

SHOWN_CHARS = 300
_BATCH = 64


class Section(StrEnum):
    """What a check is for."""

    GOLD = "gold"
    PLAIN = "plain"  # the task's answer by itself
    FLOOR = "floor"
    PAIR = "pair"
    REPHRASED = "rephrased"
    SPOILT = "spoilt"
    HOSTILE = "hostile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A text to judge. `right` says whether it is a right answer, None where nobody knows.

    Example: ``Check(section=Section.SPOILT, label="denied", task=task, text="The answer is not 5.", right=False)``
    """

    section: Section
    label: str
    task: Task
    text: str
    right: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A check and what came of it.

    Example: ``Checked(check=check, judged=judged)``
    """

    check: Check
    judged: Judged

    @property
    def outcome(self) -> Outcome:
        """The verdict's outcome."""
        return Outcome(self.judged.outcome)

    @property
    def has_passed(self) -> bool:
        """Whether the text was found correct."""
        return self.outcome is Outcome.PASS

    @property
    def is_absent(self) -> bool:
        """Whether there is no reward."""
        return self.judged.value is None

    def example(self) -> Example:
        """The check as people read it."""
        answer = self.check.task.answer
        return Example(
            label=self.check.label,
            answer=_shown(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)),
            text=_shown(self.check.text),
            outcome=self.judged.outcome,
            note=_shown(self.judged.note),
        )


class Bench:
    """Where checks are made: a lane of its own, so that a check that hangs or kills its process is a finding."""

    def __init__(self, verifiers: Verifiers, *, seconds: float, memory_bytes: int = 4 * 2**30) -> None:
        self._lane = Lane(
            Work(
                judge="tahr.evaluation.bulk.judges:task_judge",
                arguments={"verifiers": verifiers, "seconds": seconds},
                seconds=seconds,
                memory_bytes=memory_bytes,
            )
        )

    def judge(self, checks: Sequence[Check]) -> list[Checked]:
        """Every check's verdict, in order."""
        judged: list[Checked] = []
        for start in range(0, len(checks), _BATCH):
            batch = checks[start : start + _BATCH]
            items = [encode_task(start + index, check.task, check.text) for index, check in enumerate(batch)]
            found = [
                lost_row(start + index, one) if isinstance(one, Lost) else decoded(one)
                for index, one in enumerate(self._lane.judge(items))
            ]
            judged += [Checked(check=check, judged=one) for check, one in zip(batch, found, strict=True)]
        return judged

    def close(self) -> None:
        """End the lane's process."""
        self._lane.close()


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 40]} ... ({len(text):,} characters)"
