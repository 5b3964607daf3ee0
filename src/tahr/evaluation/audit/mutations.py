"""Right answers said in another way, and right answers spoilt."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from tahr.core.types import Task
from tahr.evaluation.audit.checks import Check, Section

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_WORD = re.compile(r"[A-Za-z]+")

WHOLE_RIGHT: dict[str, Callable[[str], str]] = {
    "white space around": "\n  {}  \n".format,
    "after thinking": "<think>Let me see.</think>\n{}".format,
}
WHOLE_WRONG: dict[str, Callable[[str], str]] = {
    "only in the thinking": "<think>{}</think>".format,
    "thinking that never ends": "<think>{}".format,
}
VALUE_RIGHT: dict[str, Callable[[str], str]] = {
    "in a sentence": "The answer is {}.".format,
    "in a box": lambda value: rf"\boxed{{{value}}}",
    "behind some work": "Let me work this out.\n\nFinal answer: {}".format,
}
VALUE_WRONG: dict[str, Callable[[str, str], str]] = {
    "another task's answer": lambda _, other: other,
    "denied": lambda value, _: f"The answer is not {value}.",
    "hedged": lambda value, other: f"The answer is {value} or {other}.",
    "many boxes": lambda value, other: rf"I guess \boxed{{{other}}}, \boxed{{{value}}}",
    "another digit at the end": lambda value, _: _other_digit(value),
}


def whole_mutations(golds: Mapping[str, str], tasks: Sequence[Task]) -> list[Check]:
    """Changes that hold for any answer, whatever it is."""
    return [
        Check(section=section, label=name, task=task, text=change(golds[task.id]), right=section is Section.REPHRASED)
        for task in tasks
        if task.id in golds
        for section, changes in ((Section.REPHRASED, WHOLE_RIGHT), (Section.SPOILT, WHOLE_WRONG))
        for name, change in changes.items()
    ]


def value_of(task: Task) -> str | None:
    """The answer as text where it is one value; None where it is a table or a list."""
    answer = task.answer
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        return None
    return str(answer)


def value_mutations(tasks: Sequence[Task]) -> list[Check]:
    """Changes of answers that are one value, which passes by itself."""
    checks: list[Check] = []
    for task, other in pairwise([*tasks, *tasks[:1]]):
        value, another = str(task.answer), str(other.answer)
        for name, change in VALUE_RIGHT.items():
            checks.append(Check(section=Section.REPHRASED, label=name, task=task, text=change(value), right=True))
        for name, change in VALUE_WRONG.items():
            if _spoils(name, value, another) and not task.meta.get("tolerance"):
                text = change(value, another)
                checks.append(Check(section=Section.SPOILT, label=name, task=task, text=text, right=False))
    return checks


def _spoils(name: str, value: str, other: str) -> bool:
    """Whether the change makes a wrong answer for certain."""
    if name == "denied":
        return True
    if _NUMBER.fullmatch(value):
        return name == "another digit at the end" or (bool(_NUMBER.fullmatch(other)) and float(value) != float(other))
    words = bool(_WORD.fullmatch(value) and _WORD.fullmatch(other))
    return name != "another digit at the end" and words and value.casefold() != other.casefold()


def _other_digit(value: str) -> str:
    return value[:-1] + str((int(value[-1]) + 1) % 10)
