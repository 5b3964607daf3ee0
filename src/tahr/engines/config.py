"""The ``[engine]`` section of a recipe."""

from __future__ import annotations

from pydantic import Field

from tahr.core.config import Config


class EngineConfig(Config):
    """The embedded engine's bounds: what does not fit waits for its turn."""

    max_batch_size: int = Field(default=64, ge=1, description="most completions sampled at once")
    cache_gib: float = Field(default=2.0, gt=0, description="most memory of the key/value cache, in GiB")
    exact: bool = Field(default=False, description="sample through transformers instead of tahr's own decoder")
