"""The ``[dpo.loss]`` section of a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from tahr.core.config import Config

PreferenceLossName = Literal["dpo", "dpo_norm", "cdpo", "ipo", "simpo", "kto", "orpo"]

DEFAULT_BETAS: Mapping[PreferenceLossName, float] = {
    "dpo": 0.1,
    "dpo_norm": 5.0,
    "cdpo": 0.1,
    "ipo": 0.1,
    "simpo": 2.0,
    "kto": 0.1,
    "orpo": 0.1,
}
"""What each paper trains with, or the middle of what it tries."""

SETTINGS_OF_ONE: Mapping[str, tuple[PreferenceLossName, ...]] = {
    "gamma": ("simpo",),
    "label_smoothing": ("cdpo",),
    "desirable_weight": ("kto",),
    "undesirable_weight": ("kto",),
}
"""Settings that only some losses read: given for another one, they would change nothing."""


class PreferenceLossConfig(Config):
    """Which loss of two answers, and its constants."""

    name: PreferenceLossName = Field(default="dpo_norm", description="the loss; the page on preferences says which")
    beta: float | None = Field(
        default=None, gt=0, description="how far the policy may move from the reference; each loss has its own default"
    )
    gamma: float = Field(default=1.0, ge=0, description="simpo: by how much the chosen answer's reward must be ahead")
    label_smoothing: float = Field(default=0.1, gt=0, lt=0.5, description="cdpo: share of pairs labelled wrongly")
    desirable_weight: float = Field(default=1.0, gt=0, description="kto: weight of chosen answers")
    undesirable_weight: float = Field(default=1.0, gt=0, description="kto: weight of rejected answers")
    sft_weight: float | None = Field(
        default=None, ge=0, description="weight of the chosen answer's mean -logprob; 0 by default, with orpo 1"
    )

    @property
    def strength(self) -> float:
        """`beta`, or the loss's own default."""
        return DEFAULT_BETAS[self.name] if self.beta is None else self.beta

    @property
    def supervised_share(self) -> float:
        """`sft_weight`, or the loss's own default."""
        default = 1.0 if self.name == "orpo" else 0.0
        return default if self.sft_weight is None else self.sft_weight

    @property
    def needs_reference(self) -> bool:
        """Whether the loss compares with the policy that the stage started from."""
        return self.name not in ("simpo", "orpo")

    @model_validator(mode="after")
    def _is_read(self) -> PreferenceLossConfig:
        for setting, names in SETTINGS_OF_ONE.items():
            if setting in self.model_fields_set and self.name not in names:
                default = type(self).model_fields[setting].default
                if getattr(self, setting) != default:
                    raise ValueError(f"{setting} is read by {' and '.join(names)} alone, and the loss is {self.name}")
        return self
