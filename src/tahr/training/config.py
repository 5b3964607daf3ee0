"""The ``[sft]`` and ``[rlvr]`` sections of a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from tahr.core.config import Config
from tahr.core.errors import UnknownNameError
from tahr.data.chats.config import ChatSetConfig
from tahr.engines.config import SamplingConfig as SamplingConfig
from tahr.losses.config import AdvantageConfig, PolicyLossConfig
from tahr.losses.presets import DEFAULT, find_preset, over_preset


class OptimizerConfig(Config):
    """AdamW, gradient clipping and the learning-rate schedule."""

    schedule: Literal["constant", "cosine", "linear"] = Field(default="constant", description="shape after the warm-up")
    warmup_steps: int = Field(default=0, ge=0, description="updates over which the rate climbs from 0")
    beta1: float = Field(default=0.9, ge=0, lt=1, description="decay of the gradient's mean")
    beta2: float = Field(default=0.999, ge=0, lt=1, description="decay of the gradient's square")
    epsilon: float = Field(default=1e-8, gt=0, description="added to the denominator")
    weight_decay: float = Field(default=0.0, ge=0, le=1, description="decoupled weight decay per unit of learning rate")
    max_grad_norm: float = Field(default=1.0, gt=0, description="the gradient is scaled down to this norm")


class SftConfig(Config):
    """Supervised fine-tuning on conversations, on the task sets' own gold answers, or on both.

    Sets are mixed by `weight` where a chat set has one (those without, and task sets, weigh 1); otherwise all rows make
    one pile, of which each is learnt once before any comes again.
    """

    tasks: tuple[str, ...] = Field(default=(), description="names of [tasks.NAME] sections")
    chats: dict[str, ChatSetConfig] = Field(default_factory=dict, description="named sets of conversations")
    steps: int = Field(ge=1, description="optimizer updates")
    batch_size: int = Field(default=32, ge=1, le=1_000_000, description="examples an update")
    learning_rate: float = Field(default=1e-3, gt=0, le=1, description="peak learning rate")
    optimizer: OptimizerConfig = Field(default_factory=OptimizerConfig, description="AdamW and schedule")
    micro_batch_tokens: int = Field(default=8192, ge=1, description="most tokens in one forward and backward pass")
    validate_every: int = Field(
        default=0, ge=0, description="steps between validation losses on what the chat sets keep out; 0 for none"
    )
    checkpoint_every: int = Field(default=50, ge=1, description="steps between checkpoints")


class ScheduleConfig(Config):
    """How sampling and updates take turns (``[rlvr.schedule]``)."""

    updates_per_step: int = Field(default=1, ge=1, description="the step's groups are split into this many updates")
    max_policy_lag: int = Field(
        default=0, ge=0, le=64, description="the sampler runs this many steps behind the trainer; 0 is on-policy"
    )
    max_resampled_groups: int = Field(
        default=8,
        ge=0,
        description="most extra groups sampled in a step to replace those that teach nothing where the baseline or the "
        "scale is the group's: all attempts equally correct, or with spread_in = 'reward' equally rewarded",
    )


class RlvrConfig(Config):
    """Reinforcement learning from verifiable rewards.

    `algorithm` names a preset of `tahr.losses.presets`; whatever else is given goes before it.
    """

    tasks: dict[str, float] = Field(min_length=1, description="names of [tasks.NAME] sections and their weights")
    steps: int = Field(ge=1, description="rounds of sampling and training")
    groups_per_step: int = Field(default=8, ge=1, le=65536, description="tasks a step, each attempted group_size times")
    group_size: int = Field(default=8, ge=1, le=65536, description="attempts at one task")
    sampling: SamplingConfig = Field(default_factory=SamplingConfig, description="how attempts are drawn")
    algorithm: str = Field(default=DEFAULT, description="the preset to start from; `tahr losses` lists them")
    advantage: AdvantageConfig = Field(default_factory=AdvantageConfig, description="rewards to advantages")
    loss: PolicyLossConfig = Field(default_factory=PolicyLossConfig, description="policy loss")
    schedule: ScheduleConfig = Field(default_factory=ScheduleConfig, description="sampling and updates in turns")
    learning_rate: float = Field(default=1e-6, gt=0, le=1, description="peak learning rate")
    optimizer: OptimizerConfig = Field(default_factory=OptimizerConfig, description="AdamW and schedule")
    micro_batch_tokens: int = Field(default=4096, ge=1, description="most tokens in one forward and backward pass")
    evaluate_every: int = Field(
        default=0, ge=0, description="steps between evaluations on validation tasks; 0 for none"
    )
    checkpoint_every: int = Field(default=10, ge=1, description="steps between checkpoints")
    max_error_rate: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="stop when more of a step's attempts than this have no reward (infrastructure, verifier errors)",
    )

    @model_validator(mode="before")
    @classmethod
    def _start_from_preset(cls, given: Any) -> Any:
        """Lay what is given over the preset that `algorithm` names."""
        if not isinstance(given, Mapping) or not isinstance(given.get("algorithm", DEFAULT), str):
            return given  # pydantic says what is wrong with it
        try:
            preset = find_preset(given.get("algorithm", DEFAULT))
        except UnknownNameError:
            return given  # the check of `algorithm` itself says so, at its own place
        plain = {
            name: value.model_dump(exclude_unset=True) if isinstance(value, BaseModel) else value
            for name, value in given.items()
        }
        return _with_tuples(over_preset(plain, preset))

    @field_validator("algorithm")
    @classmethod
    def _is_known(cls, name: str) -> str:
        try:
            return find_preset(name).name
        except UnknownNameError as error:
            raise ValueError(f"unknown algorithm; {error.instead}") from None


def _with_tuples(value: Any) -> Any:
    """Lists as tuples, all the way down: what a validator hands on no longer counts as JSON, where arrays serve."""
    if isinstance(value, Mapping):
        return {name: _with_tuples(inner) for name, inner in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return tuple(map(_with_tuples, value)) if isinstance(value, list | tuple) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
