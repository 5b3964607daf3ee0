"""One task for every registered verifier, with the arguments that it needs; shared by contract and attack tests."""

from typing import Any

from tahr.core.types import Message, Task
from tahr.verifiers.build import VerifierSet, build_verifiers
from tahr.verifiers.config import VerifierConfig

CONFIGS = {
    "weighted": VerifierConfig(
        verifier="weighted",
        args={
            "parts": [
                {"verifier": "numeric", "weight": 0.9},
                {"verifier": "regex", "name": "format", "weight": 0.1, "args": {"pattern": "####", "mode": "search"}},
            ]
        },
    )
}

# answer, example ("" where the answer is one)
CASES: dict[str, tuple[Any, str]] = {
    "choice": ("C", ""),
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
    "math": (r"\frac{\sqrt{3}}{2}", ""),
    "numeric": ("-3/4", ""),
    "reasoning_gym": (
        {"dataset": "leg_counting", "config": {}, "seed": 0, "index": 0, "answer": "500"},
        "",
    ),
    "regex": ("(a|b)+c", "abac"),
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
