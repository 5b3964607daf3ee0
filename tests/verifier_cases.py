"""One task for every registered verifier, with the arguments that it needs; shared by contract and attack tests."""

from typing import Any

from tahr.core.types import Message, Task
from tahr.verifiers.build import VerifierSet, build_verifiers
from tahr.verifiers.config import VerifierConfig

PROSE = (
    "Every morning the old ferry left the harbour with a few sleepy fishermen, two crates of oranges, "
    "and a letter for somebody on the other shore."
)

CONFIGS = {
    "repetition": VerifierConfig(verifier="repetition", args={"min_length": 20}),
    "weighted": VerifierConfig(
        verifier="weighted",
        args={
            "parts": [
                {"verifier": "numeric", "weight": 0.9},
                {"verifier": "regex", "name": "format", "weight": 0.1, "args": {"pattern": "####", "mode": "search"}},
            ]
        },
    ),
}

# answer, example ("" where the answer is one)
CASES: dict[str, tuple[Any, str]] = {
    "choice": ("C", ""),
    "code": (
        {
            "kind": "call",
            "entry_point": "add",
            "public": [{"args": [1, 2], "expected": 3}],
            "hidden": [{"args": [5, 7], "expected": 12}, {"args": [-4, 1], "expected": -3}],
        },
        "```python\ndef add(a, b):\n    return a + b\n```",
    ),
    "code_block": ({"language": "python", "parses": "python"}, "Run this:\n```python\nprint(1)\n```"),
    "constraints": (
        [{"kind": "contains", "words": ["stone"]}, {"kind": "lowercase"}, {"kind": "sentence"}],
        "the sea moved a small stone.",
    ),
    "countdown": ({"numbers": [3, 7, 25, 1], "target": 96}, "(25 - 1) * (7 - 3)"),
    "exact": ("cba", ""),
    "instructions": (
        [{"id": "punctuation:no_comma"}, {"id": "keywords:existence", "args": {"keywords": ["stone"]}}],
        "The sea moved a small stone.",
    ),
    "json_schema": ({"schema": {"type": "object", "required": ["name"]}}, '{"name": "Ada"}'),
    "length": ({"min": 20, "max": 30}, PROSE),
    "math": (r"\frac{\sqrt{3}}{2}", ""),
    "numeric": ("-3/4", ""),
    "reasoning_gym": (
        {"dataset": "leg_counting", "config": {}, "seed": 0, "index": 0, "answer": "500"},
        "",
    ),
    "regex": ("(a|b)+c", "abac"),
    "repetition": ("", PROSE),
    "short_answer": (["New York City", "NYC"], ""),
    "table": ({"columns": ["name", "age"], "kinds": {"age": "integer"}}, "| name | age |\n|---|---|\n| Ada | 36 |"),
    "tags": ({"tags": ["reasoning", "answer"]}, "<reasoning>Six sevens.</reasoning> <answer>42</answer>"),
    "thinking": ("42", "<think>Six sevens.</think> It is 42."),
    "weighted": ("42", "#### 42"),
}


def verifier_set() -> VerifierSet:
    """The registered verifiers; those that can't do without arguments are configured under their own name."""
    return build_verifiers(CONFIGS)


def case(name: str) -> Task:
    """The task of a verifier."""
    answer, example = CASES[name]
    meta = {"example": example} if example else {}
    return Task(prompt=(Message(role="user", content="Answer, please."),), answer=answer, verifier=name, meta=meta)
