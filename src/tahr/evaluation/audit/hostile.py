"""Texts that look for trouble: for time, for memory, for a parser that gives in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tahr.core.types import Task
from tahr.evaluation.audit.checks import Check, Section
from tahr.evaluation.audit.mutations import value_of

MANY = 200_000

TEXTS: Mapping[str, str] = {
    "null bytes": "\0" * 1000,
    "half surrogates": "\ud800 \udfff \\boxed{\ud800}",
    "marks that turn the line": "\u202e24\u202c \u200f\u2067\u2069",
    "combining marks": "4" + "\u0301" * 50_000,
    "characters that expand": "\ufdfa" * 50_000,
    "only digits": "9" * MANY,
    "only zeros": "0." + "0" * MANY,
    "only spaces": " " * MANY,
    "only line ends": "\n" * MANY,
    "only letters": "a" * MANY,
    "only signs": "-" * MANY,
    "only commas": "1," * (MANY // 2),
    "only marks of an answer": "the answer is " * (MANY // 14),
    "open boxes": "\\boxed{" * (MANY // 7),
    "nested boxes": "\\boxed{" * 10_000 + "}" * 10_000,
    "open thinking": "<think>" * (MANY // 7),
    "closed thinking": "</think>" * (MANY // 8),
    "deep parentheses": "(" * MANY + ")" * MANY,
    "deep lists": "[" * MANY + "]" * MANY,
    "deep objects": '{"a":' * (MANY // 5),
    "an open string": '"' + "\\" * MANY,
    "open fences": "```json\n" * (MANY // 8),
    "open tags": "<answer>" * (MANY // 8),
    "braces": "{" * MANY,
    "a power tower": r"\boxed{9^{9^{9^{9^{9}}}}}",
    "a power tower in plain text": "9**9**9**9**9",
    "a huge exponent": "1e999999999",
    "a huge power": r"\boxed{2^{10^{12}}}",
    "a huge factorial": r"\boxed{(10^{9})!}",
    "factorials of factorials": r"\boxed{((((9!)!)!)!)!}",
    "a sum of many terms": "1+" * (MANY // 2) + "1",
    "a huge expansion": r"\boxed{(x+y+z+u+v+w)^{5000}}",
    "an endless series": r"\boxed{\sum_{k=1}^{10^{12}} \frac{1}{k^3}}",
    "an integral without end": r"\boxed{\int_0^1 e^{e^{x^{x}}} \, dx}",
    "nested roots": r"\sqrt{" * 5000 + "2" + "}" * 5000,
    "nested fractions": r"\frac{1}{" * 5000 + "2" + "}" * 5000,
    "not a number": "nan inf -inf NaN Infinity",
    "a program": "__import__('os')._exit(0)",
    "a template": "{answer} %s ${answer} {{answer}} {0.__class__}",
    "a bait for patterns": "a" * 50_000 + "!",
    "many sentences": "A b. " * (MANY // 5),
    "a million characters and more": "x" * 1_000_001,
}

MAX_TASKS = 3


def hostile_checks(tasks: Sequence[Task]) -> list[Check]:
    """Every text against the first few tasks. None is right where the answer is one value; nobody knows elsewhere: a
    text of small letters may be all that was asked for.
    """
    return [
        Check(
            section=Section.HOSTILE, label=name, task=task, text=text, right=None if value_of(task) is None else False
        )
        for name, text in TEXTS.items()
        for task in tasks[:MAX_TASKS]
    ]
