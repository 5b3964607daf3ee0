"""The ``[rejection_sampling.keep]`` section of a recipe."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from tahr.core.config import Config


class KeepConfig(Config):
    """Which attempts that pass are learnt from; those that cheat, are cut off or can't be judged never are."""

    max_per_task: int = Field(
        default=4, ge=1, description="most attempts kept of one task, so that easy ones don't rule"
    )
    prefer: Literal["random", "shortest", "distinct"] = Field(
        default="random",
        description="which ones where more pass: by the run's seed, those with fewest tokens, or one by one the least "
        "alike to those chosen before",
    )
    min_reward: float | None = Field(
        default=None, description="least reward besides passing; absent: passing is enough"
    )
    min_pass_rate: float = Field(
        default=0.0, ge=0, le=1, description="tasks of which a smaller share of the attempts passes are left out"
    )
    max_pass_rate: float = Field(
        default=1.0, gt=0, le=1, description="tasks of which a larger share passes are left out: too easy to teach"
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.min_pass_rate > self.max_pass_rate:
            raise ValueError("min_pass_rate must not be above max_pass_rate")
        return self
