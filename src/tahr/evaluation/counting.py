"""Tokens of attempts, where who sampled them counted them: what nobody counted is unknown, never 0."""

from __future__ import annotations

from tahr.core.errors import InputError
from tahr.store.records import EvaluationRow

COUNTED = "a model held here, or a server that tells the `usage` of its answers"
"""What would count tokens."""


def sampled_tokens(row: EvaluationRow) -> int:
    """Sampled tokens of an attempt. Raises InputError where nobody counted them."""
    return _counted(row.num_tokens, "sampled", row)


def read_tokens(row: EvaluationRow) -> int:
    """Tokens that an attempt read. Raises InputError where nobody counted them."""
    return _counted(row.num_prompt_tokens, "read", row)


def _counted(count: int | None, how: str, row: EvaluationRow) -> int:
    if count is None:
        raise InputError(
            f"nobody counted the tokens that an attempt {how}",
            received=f"attempt {row.index} at {row.task_id}, ended by {row.finish_reason}",
            instead=COUNTED,
        )
    return count
