"""The ``[rlvr.advantage]`` and ``[rlvr.loss]`` sections of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tahr.core.config import Config


class AdvantageConfig(Config):
    """How a group's rewards become advantages. The defaults are GRPO's."""

    baseline: Literal["group_mean", "leave_one_out", "none"] = Field(
        default="group_mean", description="what is subtracted from each reward"
    )
    scale: Literal["group", "batch", "none"] = Field(
        default="group", description="divide by the standard deviation of the group, of the batch, or not at all"
    )

    spread_in: Literal["correct", "reward"] = Field(
        default="correct",
        description="a group teaches only where its attempts differ in raw correctness, or in the whole reward "
        "(for tasks with partial credit)",
    )

    @property
    def needs_group(self) -> bool:
        """Whether a group of one attempt would always give 0."""
        return self.baseline != "none" or self.scale == "group"


class PolicyLossConfig(Config):
    """The clipped policy-gradient loss and its normalisation."""

    clip_low: float = Field(default=0.2, gt=0, le=1, description="the ratio is clipped at 1 - clip_low")
    clip_high: float = Field(default=0.2, gt=0, description="the ratio is clipped at 1 + clip_high")
    aggregation: Literal["token_mean", "sequence_mean", "constant"] = Field(
        default="token_mean",
        description="mean over all tokens of a step; mean over sequences of each one's token mean; "
        "or sum over tokens / (sequences x max_new_tokens)",
    )
