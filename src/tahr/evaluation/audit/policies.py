"""Policies that do nothing. What they earn is the floor that a trained model's reward stands on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tahr.core.types import Task

REFUSAL = "I'm sorry, but I can't help with that."
FIXED = {
    "empty": "",
    "nothing visible": "\u200b\u2800\u3164 &nbsp;<!-- an answer -->",
    "a full stop": ".",
    "a refusal": REFUSAL,
    "one word over and over": " ".join(["the"] * 60),
}
ECHO = "the prompt said back"
CONSTANT = "best constant"

NUM_FREQUENT = 10
_CONSTANTS = (
    *("0", "1", "2", "3", "10", "-1", "1/2", "A", "B", "C", "D", "E", "yes", "no", "Yes", "No", "True", "False"),
    *("true", "false", "None", "{}", "[]", r"\boxed{0}", r"\boxed{1}", r"\boxed{2}", r"\boxed{A}"),
)


def constants(golds: Mapping[str, str]) -> list[str]:
    """Answers that need no question: a few short ones, and the most frequent right answers (`golds`, by task id)."""
    frequent = [text for text, _ in Counter(golds.values()).most_common(NUM_FREQUENT)]
    return list(dict.fromkeys([*_CONSTANTS, *frequent]))


def policies(tasks: Sequence[Task], golds: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """What each policy answers, by task id; every constant is a policy of its own, under `CONSTANT` and its text."""
    answers = {name: {task.id: text for task in tasks} for name, text in FIXED.items()}
    asked = {task.id: task.prompt[-1].content for task in tasks if task.prompt and task.prompt[-1].content}
    if asked:
        answers[ECHO] = asked
    for text in constants(golds):
        answers[f"{CONSTANT}: {text}"] = {task.id: text for task in tasks}
    return answers
