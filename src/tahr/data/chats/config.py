"""The ``[sft.chats.NAME]`` sections of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tahr.core.config import Config

ChatFormat = Literal["auto", "messages", "prompt_completion", "sharegpt", "alpaca"]


class ChatSetConfig(Config):
    """One set of conversations to learn from: where it lies, how its rows read, and how much of it is used."""

    source: str = Field(
        min_length=1,
        description="a file, a folder of shards, a pattern such as chats/*.jsonl, or owner/name on the hub",
    )
    format: ChatFormat = Field(default="auto", description="how a row reads; auto looks at the first row")
    columns: dict[str, str] = Field(
        default_factory=dict, description="columns of other names, such as { messages = 'dialogue' }"
    )
    split: str = Field(default="train", min_length=1, description="the data set's own split, in a folder or on the hub")
    config: str | None = Field(default=None, description="the data set's configuration: a folder in it")
    revision: str | None = Field(default=None, description="branch, tag or commit on the hub")
    weight: float | None = Field(default=None, gt=0, description="share of the examples, against the other sets'")
    count: int | None = Field(
        default=None, ge=1, description="use exactly this many rows, each once before any comes again"
    )
    train_on: Literal["all", "last"] = Field(default="all", description="which of the assistant's turns are learnt")
    validation_percent: int = Field(default=0, ge=0, le=90, description="share kept out, for validation_loss")
    skip_bad_rows: bool = Field(default=False, description="leave out malformed rows and count them, don't stop")
    seed: int = Field(default=0, ge=0, description="which rows `count` takes")
