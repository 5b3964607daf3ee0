"""A recipe: one TOML file that says everything a run does."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from tahr.core.config import Config
from tahr.data.config import TaskSetConfig
from tahr.engines.config import EngineConfig
from tahr.evaluation.config import EvalConfig
from tahr.models.config import ModelConfig
from tahr.training.config import RlvrConfig, SamplingConfig, SftConfig
from tahr.training.distillation_config import DistillationConfig
from tahr.training.dpo_config import DpoConfig
from tahr.training.rejection_config import RejectionSamplingConfig
from tahr.training.reward_model_config import RewardModelConfig
from tahr.verifiers.config import VerifierConfig

StageName = Literal["sft", "rejection_sampling", "distillation", "dpo", "reward_model", "rlvr"]

STAGE_NAMES: tuple[StageName, ...] = get_args(StageName)
"""Every stage there is; each has a section of its name."""


class Recipe(Config):
    """One run: a model, named task sets, and the stages that are run in order."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="the run folder starts with it")
    description: str = Field(default="", description="one line for people")
    seed: int = Field(default=0, ge=0, description="every random stream of the run derives from it")
    threads: int = Field(
        default=0,
        ge=0,
        le=1024,
        description="CPU threads; 0 takes all cores. Results repeat bit for bit at equal counts",
    )
    stages: tuple[StageName, ...] = Field(min_length=1, description="sections to run, in order")
    model: ModelConfig = Field(description="where the policy starts")
    tasks: dict[str, TaskSetConfig] = Field(default_factory=dict, description="named task sets")
    engine: EngineConfig = Field(default_factory=EngineConfig, description="bounds of sampling")
    verifiers: dict[str, VerifierConfig] = Field(default_factory=dict, description="verifiers with arguments")
    sft: SftConfig | None = Field(default=None, description="supervised fine-tuning")
    rejection_sampling: RejectionSamplingConfig | None = Field(
        default=None, description="supervised fine-tuning on sampled answers that pass"
    )
    distillation: DistillationConfig | None = Field(
        default=None, description="learning from a teacher, token by token, on one's own samples"
    )
    dpo: DpoConfig | None = Field(default=None, description="preference tuning on pairs of answers")
    reward_model: RewardModelConfig | None = Field(default=None, description="a reward model from pairs of answers")
    rlvr: RlvrConfig | None = Field(default=None, description="reinforcement learning from verifiable rewards")
    eval: EvalConfig | None = Field(
        default=None, description="held-out evaluation before, between and after the stages"
    )
    train_on_unseen: bool = Field(
        default=False,
        description="learn from the unseen questions of tahr's suites too, to study contamination: evaluations of the "
        "model, and of those that start from it, are marked as contaminated",
    )
    log_to: tuple[Literal["tensorboard", "wandb", "trackio"], ...] = Field(
        default=(), description="also send metrics there"
    )


def sampled_by(recipe: Recipe) -> dict[str, SamplingConfig]:
    """How each stage that samples does so, by the dotted path of its section."""
    found: dict[str, SamplingConfig] = {}
    if recipe.rejection_sampling is not None:
        found["rejection_sampling"] = recipe.rejection_sampling.sampling
    if recipe.distillation is not None:
        found["distillation"] = recipe.distillation.sampling
    if recipe.dpo is not None and recipe.dpo.build is not None:
        found["dpo.build"] = recipe.dpo.build.sampling
    if recipe.rlvr is not None:
        found["rlvr"] = recipe.rlvr.sampling
    return found
