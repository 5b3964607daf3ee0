"""The ``[dpo]`` section of a recipe."""

from __future__ import annotations

from pydantic import Field, model_validator

from tahr.core.config import Config
from tahr.data.preferences.config import PairSetConfig
from tahr.losses.preference_config import PreferenceLossConfig
from tahr.preference.config import BuildConfig
from tahr.training.config import OptimizerConfig


class DpoConfig(Config):
    """Preference tuning on pairs of answers."""

    pairs: dict[str, PairSetConfig] = Field(
        default_factory=dict, description="named sets of pairs, [dpo.pairs.NAME]; or build, or both"
    )
    build: BuildConfig | None = Field(
        default=None, description="pairs of answers that are sampled and judged as the stage begins"
    )
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

    @model_validator(mode="after")
    def _some_pairs(self) -> DpoConfig:
        if not self.pairs and self.build is None:
            raise ValueError("pairs come from [dpo.pairs.NAME], from [dpo.build], or from both; there is neither")
        if "build" in self.pairs and self.build is not None:
            raise ValueError("the set of [dpo.build] is called build: give [dpo.pairs.build] another name")
        return self

    @property
    def num_held_out_sets(self) -> int:
        """Sets that hold prompts out to measure on."""
        sets = [*self.pairs.values(), *([self.build] if self.build else [])]
        return sum(one.validation_percent > 0 for one in sets)
