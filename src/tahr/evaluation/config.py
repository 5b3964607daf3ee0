"""The ``[eval]`` section of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tahr.core.config import Config
from tahr.data.config import DecontaminateConfig


class EvalConfig(Config):
    """The held-out evaluations: before the first stage, after each, and within RLVR at intervals (validation tasks)."""

    tasks: tuple[str, ...] = Field(min_length=1, description="names of [tasks.NAME] sections")
    split: Literal["validation", "test"] = Field(
        default="test", description="split of the evaluations before and after stages"
    )
    num_tasks: int = Field(default=100, ge=2, description="most tasks of each set")
    samples_per_task: int = Field(default=1, ge=1, description="attempts at each task; a task's score is their mean")
    max_new_tokens: int = Field(default=64, ge=1, description="most tokens of one completion")
    temperature: float = Field(default=0.0, ge=0, description="0 is greedy: one sample is enough then")
    suites: tuple[str, ...] = Field(
        default=(),
        description="suites (`tahr suites`, or files) whose dev questions are asked before the stages and after each; "
        "nothing is trained on any of their questions",
    )
    decontaminate: DecontaminateConfig = Field(
        default_factory=DecontaminateConfig, description="training rows that hold a question of the evaluation"
    )
