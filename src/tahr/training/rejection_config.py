"""The ``[rejection_sampling]`` section of a recipe."""

from __future__ import annotations

from pydantic import Field

from tahr.core.config import Config
from tahr.rollout.keep_config import KeepConfig
from tahr.training.config import OptimizerConfig, SamplingConfig


class RejectionSamplingConfig(Config):
    """Supervised fine-tuning on sampled answers that the task's verifier passes.

    Each of `rounds` samples `group_size` attempts at `tasks_per_round` tasks, from the policy as it then is, and has an
    equal part of `steps`.
    """

    tasks: dict[str, float] = Field(min_length=1, description="names of [tasks.NAME] sections and their weights")
    steps: int = Field(ge=1, description="optimizer updates of all rounds together, at most")
    rounds: int = Field(default=1, ge=1, le=10_000, description="how often is sampled and then trained")
    tasks_per_round: int = Field(default=256, ge=1, le=1_000_000, description="tasks that a round samples attempts at")
    group_size: int = Field(default=8, ge=1, le=65536, description="attempts at one task")
    model: str = Field(default="", description="who is sampled from, as in model.source; empty: the policy itself")
    sampling: SamplingConfig = Field(default_factory=SamplingConfig, description="how attempts are drawn")
    keep: KeepConfig = Field(default_factory=KeepConfig, description="which attempts are learnt from")
    batch_size: int = Field(default=32, ge=1, le=1_000_000, description="kept attempts an update")
    max_epochs: float = Field(
        default=3.0, gt=0, description="a round ends early where it has gone through what it kept this often"
    )
    learning_rate: float = Field(default=1e-5, gt=0, le=1, description="peak learning rate")
    optimizer: OptimizerConfig = Field(default_factory=OptimizerConfig, description="AdamW and schedule")
    micro_batch_tokens: int = Field(default=8192, ge=1, description="most tokens in one forward and backward pass")
    checkpoint_every: int = Field(default=50, ge=1, description="steps between checkpoints; a round ends with one")
    max_error_rate: float = Field(
        default=0.2, ge=0, le=1, description="stop when more of a round's attempts than this have no reward"
    )

    @property
    def steps_per_round(self) -> int:
        """Updates of one round, at most."""
        return self.steps // self.rounds
