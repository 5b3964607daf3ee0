"""What a study of test-time computing turns, and how far."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tahr.core.config import Config


class ScalingConfig(Config):
    """The knobs: attempts at a question, rounds of revision, tokens of thinking."""

    samples: int = Field(default=64, ge=8, description="attempts at each question; curves end at a quarter of them")
    placebo: bool = Field(default=True, description="sample all attempts once more with other seeds")
    chains: int = Field(default=4, ge=1, description="attempts at each question that are revised, or thought longer")
    rounds: int = Field(default=3, ge=0, description="revisions of an answer; 0 for none")
    revise_text: str = Field(
        default="Check your answer step by step. If it is wrong, correct it. Then give your final answer again.",
        min_length=1,
        description="what the model is told after each answer",
    )
    budgets: tuple[Annotated[int, Field(ge=0)], ...] | None = Field(
        default=None,
        description="tokens of thinking after which an answer is forced; none for (), parts of max_new_tokens if unset",
    )
    wait_text: str = Field(default="\nWait,", min_length=1, description="written where thinking ends too early")
    max_waits: int = Field(default=2, ge=0, description="how often one chain is told to go on")
    answer_text: str = Field(
        default="\nFinal answer:", min_length=1, description="written where the budget is used up; the answer follows"
    )
    answer_tokens: int = Field(default=32, ge=1, description="most tokens of a forced answer")

    def thinking_budgets(self, max_new_tokens: int) -> tuple[int, ...]:
        """The budgets in rising order; unset, they are 0 and the eighth, fourth, half and whole of `max_new_tokens`."""
        if self.budgets is not None:
            return tuple(sorted(set(self.budgets)))
        return tuple(sorted({0, *(max(1, max_new_tokens // part) for part in (8, 4, 2, 1))}))
