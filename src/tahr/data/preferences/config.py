"""The ``[dpo.pairs.NAME]`` and ``[reward_model.pairs.NAME]`` sections of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tahr.core.config import Config

PairFormat = Literal["auto", "tahr", "ultrafeedback", "ultrafeedback_raw", "tulu", "hh", "plain"]

Choice = Literal["best_vs_random", "best_vs_worst", "all"]


class PairSetConfig(Config):
    """One named set of pairs. A prompt's side follows from its content, so that none is on two sides."""

    source: str = Field(min_length=1, description="a file, a folder, a pattern such as pairs/*.jsonl, or a hub name")
    format: PairFormat = Field(default="auto", description="what the rows look like; auto recognises it and says so")
    columns: dict[str, str] = Field(
        default_factory=dict, description='columns under other names, such as {chosen = "better"}'
    )
    split: str = Field(default="train", description="the dataset's own split to read from a folder or the hub")
    config: str | None = Field(default=None, description="the dataset's configuration: a folder in it")
    revision: str | None = Field(default=None, description="branch, tag or commit on the hub")
    choice: Choice = Field(
        default="best_vs_random", description="which pairs to make of a row that holds more than two rated answers"
    )
    min_margin: float = Field(
        default=0.0, ge=0, description="least difference of the two ratings, where ratings are known"
    )
    weight: float = Field(default=1.0, gt=0, description="share of the draws while training")
    count: int | None = Field(default=None, ge=1, description="use this many pairs, drawn by content; all by default")
    seed: int = Field(default=0, description="seed of what is drawn: which pairs, and which worse answer")
    validation_percent: int = Field(default=5, ge=0, le=90, description="share of the prompts kept to measure on")
