"""Evaluations made by hand, one attempt a line."""

from __future__ import annotations

from typing import Any

from tahr.store.records import Evaluation, EvaluationRow


def attempt(
    task: str = "a", *, correct: float | None = 1.0, tokens: int | None = 10, index: int = 0, **more: Any
) -> EvaluationRow:
    """One attempt; `correct` None has no reward."""
    values: dict[str, Any] = {
        "task_id": task,
        "domain": "d",
        "index": index,
        "prompt": "?",
        "answer": "5",
        "text": "5",
        "score": correct,
        "parts": {} if correct is None else {"correct": correct},
        "outcome": "pass" if correct else "fail",
        "note": "",
        "num_tokens": tokens,
        "finish_reason": "stop",
    }
    return EvaluationRow(**{**values, **more})


def evaluation(*rows: EvaluationRow, name: str = "bare", **more: Any) -> Evaluation:
    """The attempts as one evaluation."""
    return Evaluation(name=name, stage="eval", step=0, split="all", rows=rows, **more)
