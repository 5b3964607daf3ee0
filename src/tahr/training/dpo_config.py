"""The ``[dpo]`` section of a recipe."""

from __future__ import annotations

from pydantic import Field

from tahr.core.config import Config
from tahr.data.preferences.config import PairSetConfig
from tahr.losses.preference_config import PreferenceLossConfig
from tahr.training.config import OptimizerConfig


class DpoConfig(Config):
    """Preference tuning on pairs of answers."""

    pairs: dict[str, PairSetConfig] = Field(min_length=1, description="named sets of pairs, [dpo.pairs.NAME]")
    steps: int = Field(ge=1, description="optimizer updates")
    batch_size: int = Field(default=32, ge=1, le=65536, description="pairs an update")
    loss: PreferenceLossConfig = Field(default_factory=PreferenceLossConfig, description="the loss of a pair")
    learning_rate: float = Field(default=5e-7, gt=0, le=1, description="peak learning rate")
    optimizer: OptimizerConfig = Field(default_factory=OptimizerConfig, description="AdamW and schedule")
    micro_batch_tokens: int = Field(
        default=8192, ge=1, description="most tokens in one forward and backward pass, at least one pair"
    )
    evaluate_every: int = Field(
        default=0, ge=0, description="steps between measurements on held-out pairs, besides the first and the last"
    )
    checkpoint_every: int = Field(default=50, ge=1, description="steps between checkpoints")
