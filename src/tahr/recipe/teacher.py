"""Another model beside the policy: one that is sampled from, or learnt from token by token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tahr.models.config import ModelConfig
from tahr.recipe.schema import Recipe

if TYPE_CHECKING:
    from tahr.models.load import LoadedModel
    from tahr.recipe.session import Session
    from tahr.rollout.collect import Collector


def teacher_config(recipe: Recipe, source: str) -> ModelConfig:
    """How a teacher is held: as the policy is, but without adapters, since it doesn't learn."""
    own = recipe.model
    return ModelConfig(source=source, dtype=own.dtype, device=own.device, max_context=own.max_context)


def teachers_of(recipe: Recipe) -> dict[str, ModelConfig]:
    """The teachers that `recipe` names, by the dotted path of the setting."""
    found: dict[str, ModelConfig] = {}
    if recipe.rejection_sampling is not None and recipe.rejection_sampling.model:
        source = recipe.rejection_sampling.model
        found["rejection_sampling.model"] = teacher_config(recipe, source)
    if recipe.distillation is not None:
        found["distillation.teacher"] = teacher_config(recipe, recipe.distillation.teacher)
    return found


def load_teacher(recipe: Recipe, source: str) -> LoadedModel:
    """The model at `source`, frozen. Raises as `tahr.models.load.load_model` does."""
    from tahr.models.load import load_model

    loaded = load_model(teacher_config(recipe, source), seed=recipe.seed)
    loaded.model.requires_grad_(False)
    return loaded


def teachers_collector(session: Session, teacher: LoadedModel) -> Collector:
    """Who has tasks attempted by a teacher, and judged."""
    from tahr.engines.embedded.engine import EmbeddedEngine
    from tahr.rollout.collect import Collector

    engine = EmbeddedEngine(
        teacher.model,
        max_context=session.recipe.model.max_context,
        config=session.recipe.engine,
        decode=teacher.renderer.decode,
    )
    return Collector(
        engine=engine, renderer=teacher.renderer, verifiers=session.verifiers, run_seed=session.recipe.seed
    )
