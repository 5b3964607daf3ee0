"""Another model beside the policy: one that is sampled from, or learnt from token by token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tahr.models.config import ModelConfig
from tahr.recipe.schema import Recipe

if TYPE_CHECKING:
    from tahr.models.load import LoadedModel


def teacher_config(recipe: Recipe, source: str) -> ModelConfig:
    """How a teacher is held: as the policy is, but without adapters, since it doesn't learn."""
    own = recipe.model
    return ModelConfig(source=source, dtype=own.dtype, device=own.device, max_context=own.max_context)


def load_teacher(recipe: Recipe, source: str) -> LoadedModel:
    """The model at `source`, frozen. Raises as `tahr.models.load.load_model` does."""
    from tahr.models.load import load_model

    loaded = load_model(teacher_config(recipe, source), seed=recipe.seed)
    loaded.model.requires_grad_(False)
    return loaded
