"""The ``[distillation]`` section of a recipe."""

from __future__ import annotations

from pydantic import Field

from tahr.core.config import Config
from tahr.losses.distillation_config import DistillationLossConfig
from tahr.training.config import OptimizerConfig, SamplingConfig


class DistillationConfig(Config):
    """On-policy distillation: the student samples, and a teacher says at each token what it would have done."""

    tasks: dict[str, float] = Field(min_length=1, description="names of [tasks.NAME] sections and their weights")
    teacher: str = Field(min_length=1, description="the teacher, as in model.source; it reads the same token ids")
    steps: int = Field(ge=1, description="rounds of sampling and one update")
    groups_per_step: int = Field(default=32, ge=1, le=65536, description="tasks a step")
    group_size: int = Field(default=1, ge=1, le=65536, description="samples of one task's answer")
    teacher_share: float = Field(
        default=0.0, ge=0, le=1, description="share of the tasks whose answers the teacher samples (off-policy)"
    )
    sampling: SamplingConfig = Field(default_factory=SamplingConfig, description="how answers are drawn")
    loss: DistillationLossConfig = Field(default_factory=DistillationLossConfig, description="the divergence")
    learning_rate: float = Field(default=1e-5, gt=0, le=1, description="peak learning rate")
    optimizer: OptimizerConfig = Field(default_factory=OptimizerConfig, description="AdamW and schedule")
    micro_batch_tokens: int = Field(default=4096, ge=1, description="most tokens in one forward and backward pass")
    checkpoint_every: int = Field(default=10, ge=1, description="steps between checkpoints")
    max_error_rate: float = Field(
        default=0.2, ge=0, le=1, description="stop when more of a step's answers than this could not be sampled"
    )
