"""What a run keeps about an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRow:
    """One attempt at one held-out task. `score` is the reward, None where it is absent; `parts` its components.

    Example: ``EvaluationRow(task_id="9f86d081884c7d65", domain="arithmetic", index=0, prompt="What is 2 + 3?",
    answer="5", text="5", score=1.0, parts={"correct": 1.0}, outcome="pass", note="5 equals 5", num_tokens=2,
    finish_reason="stop")``
    """

    task_id: str
    domain: str
    index: int
    prompt: str
    answer: str
    text: str
    score: float | None
    parts: Mapping[str, float]
    outcome: str
    note: str
    num_tokens: int
    finish_reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All attempts of one evaluation. `name` is "before", "after-STAGE", "after" or "step-000010".

    Example: ``Evaluation(name="before", stage="rlvr", step=0, split="test", rows=(row,))``
    """

    name: str
    stage: str
    step: int
    split: str
    rows: tuple[EvaluationRow, ...]
