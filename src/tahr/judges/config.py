"""The settings of a judge: ``[dpo.build.judge]`` of a recipe, and what judges are given as arguments."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tahr.core.config import Config


class JudgeConfig(Config):
    """Who judges answers, and how it is asked."""

    kind: str = Field(
        default="verifier", description="verifier, aspects, pairwise, rubric, reward_model or package.module:Name"
    )
    model: str = Field(default="", description="name of the chat model that judges, where the kind asks one")
    args: dict[str, Any] = Field(default_factory=dict, description="arguments of the judge: aspects, criteria, ...")
    temperature: float = Field(default=0.0, ge=0, description="how the judge's answers are drawn; 0 is greedy")
    max_new_tokens: int = Field(
        default=512,
        ge=1,
        description="most tokens of one answer of the judge; one that is cut off is unreadable",
    )
    max_chars: int = Field(
        default=8_000,
        ge=100,
        description="longest text that the judge is shown; the middle of a longer is left out",
    )


class Criterion(Config):
    """One line of a rubric."""

    text: str = Field(min_length=1, description="what an answer must do or have, or must not with a negative weight")
    weight: float = Field(
        default=1.0, description="its share of the rating; negative: what it takes off where it is met"
    )
