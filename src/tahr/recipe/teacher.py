"""Another model beside the policy: one that is sampled from, or learnt from token by token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tahr.core.errors import InputError
from tahr.models.config import ModelConfig
from tahr.models.hub import fetch
from tahr.models.same_tokens import difference
from tahr.recipe.findings import Findings
from tahr.recipe.prompts import renderer_at_hand
from tahr.recipe.schema import Recipe

if TYPE_CHECKING:
    from tahr.models.load import LoadedModel
    from tahr.recipe.session import Session
    from tahr.recipe.stages.stage import Place
    from tahr.rollout.collect import Collector


OTHER_TOKENS = "a teacher of the same family; or rejection_sampling.model, whose answers are encoded anew"


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


def compare_tokens(recipe: Recipe, findings: Findings) -> None:
    """File a teacher for distillation that reads other token ids, where both tokenizers are at hand to compare."""
    if recipe.distillation is None:
        return
    own = renderer_at_hand(recipe.model)
    other = renderer_at_hand(teacher_config(recipe, recipe.distillation.teacher))
    unlike = difference(own, other) if own and other else ""
    if unlike:
        findings.conflict(
            "distillation.teacher",
            f"it reads other token ids than the student: {unlike}",
            received=recipe.distillation.teacher,
            instead=OTHER_TOKENS,
        )


def fetch_teachers(recipe: Recipe) -> None:
    """Download what is not on this disk yet. Raises InputError where the hub does not have it or can't be reached."""
    for config in teachers_of(recipe).values():
        fetch(config)


def load_teacher(recipe: Recipe, source: str) -> LoadedModel:
    """The model at `source`, frozen. Raises as `tahr.models.load.load_model` does."""
    from tahr.models.load import load_model

    loaded = load_model(teacher_config(recipe, source), seed=recipe.seed)
    loaded.model.requires_grad_(False)
    return loaded


def check_same_teacher(place: Place, name: str, where: str, source: str) -> None:
    """Raise InputError where a stage that goes on began with a teacher of other weights than those called `name`."""
    if place.saved is not None and place.saved.state["teacher"] != name:
        raise InputError(
            "the teacher is not the one that this stage began with: its weights have another hash",
            received=f"{where} = {source!r}",
            instead="the same teacher, or a new run",
        )


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
