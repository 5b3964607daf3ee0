"""The ``[reward_model]`` section of a recipe."""

from __future__ import annotations

from pydantic import Field

from tahr.core.config import Config
from tahr.data.preferences.config import PairSetConfig
from tahr.training.config import OptimizerConfig


class RewardModelConfig(Config):
    """A reward model from pairs of answers; it starts from the policy as it is, which itself stays so."""

    pairs: dict[str, PairSetConfig] = Field(
        default_factory=dict, description="named sets of pairs, [reward_model.pairs.NAME]"
    )
    tasks: tuple[str, ...] = Field(
        default=(),
        description="names of [tasks.NAME] sections: their gold answers against wrong ones, a set's weight 1",
    )
    steps: int = Field(ge=1, description="optimizer updates")
    batch_size: int = Field(default=32, ge=1, le=65536, description="pairs an update")
    margin_scale: float = Field(
        default=0.0,
        ge=0,
        description="the gap asked for is a pair's own margin times this; pairs without one ask for 0",
    )
    centering: float = Field(
        default=0.01, ge=0, description="how strongly the two scores of a pair are drawn to a mean of 0"
    )
    learning_rate: float = Field(default=1e-5, gt=0, le=1, description="peak learning rate")
    optimizer: OptimizerConfig = Field(default_factory=OptimizerConfig, description="AdamW and schedule")
    micro_batch_tokens: int = Field(
        default=8192, ge=1, description="most tokens in one forward and backward pass, at least one pair"
    )
    evaluate_every: int = Field(
        default=0, ge=0, description="steps between measurements on held-out pairs, besides the first and the last"
    )
    checkpoint_every: int = Field(default=50, ge=1, description="steps between checkpoints")
