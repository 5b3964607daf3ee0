"""The ``[verifiers.NAME]`` sections of a recipe."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tahr.core.config import Config


class VerifierConfig(Config):
    """A verifier with its arguments, under a name that task sets can refer to."""

    verifier: str = Field(description="a registered verifier or package.module:Name")
    args: dict[str, Any] = Field(default_factory=dict, description="arguments of the verifier")
    cheat_reward: float = Field(
        default=0.0,
        le=0,
        description="what an answer that cheats is worth; the verifier's lowest reward where that is lower",
    )
