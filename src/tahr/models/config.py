"""The ``[model]`` section of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tahr.core.config import Config


class LoraConfig(Config):
    """Low-rank adapters instead of full fine-tuning (``[model.lora]``)."""

    rank: int = Field(default=16, ge=1, description="rank of each adapter")
    alpha: float = Field(default=32.0, gt=0, description="scale: an adapter's output is multiplied by alpha / rank")
    dropout: float = Field(default=0.0, ge=0, lt=1, description="dropout on an adapter's input while training")
    targets: tuple[str, ...] = Field(
        default=("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
        min_length=1,
        description="names of the linear layers that get an adapter",
    )


class ArchitectureConfig(Config):
    """A Llama-family model made from scratch, with one token per character (``[model.architecture]``)."""

    alphabet: str = Field(
        default="abcdefghijklmnopqrstuvwxyz0123456789 .,:+-*/=()?'", min_length=2, description="characters"
    )
    hidden_size: int = Field(default=256, ge=8, description="width of the residual stream")
    num_layers: int = Field(default=4, ge=1, description="decoder layers")
    num_heads: int = Field(default=4, ge=1, description="attention heads")
    num_kv_heads: int = Field(default=4, ge=1, description="key/value heads; must divide num_heads")
    intermediate_size: int = Field(default=704, ge=8, description="width of the feed-forward layer")


class ModelConfig(Config):
    """Where the policy starts and how it is held."""

    source: str = Field(
        description="a packaged name (smollm2-135m), a folder, a finished run, a .gguf file, a hub id (owner/name), "
        "or 'scratch'"
    )
    revision: str | None = Field(default=None, description="branch, tag or commit of a hub model")
    dtype: Literal["float32", "bfloat16"] = Field(
        default="float32", description="type of the weights; float32 on a CPU"
    )
    device: str = Field(default="auto", description="cpu, cuda, cuda:1, ...; auto takes a GPU where there is one")
    hardware: str = Field(
        default="",
        description="GPUs that the recipe is meant for (8xH100), which its check then goes by, not by what is here",
    )
    max_context: int = Field(default=1024, ge=8, description="most tokens of prompt and completion together")
    lora: LoraConfig | None = Field(default=None, description="train adapters only; absent: all weights")
    architecture: ArchitectureConfig | None = Field(default=None, description="only with source = 'scratch'")
