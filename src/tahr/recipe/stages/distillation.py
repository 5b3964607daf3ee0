"""The stage ``distillation``."""

from __future__ import annotations

import asyncio

from tahr.core.errors import InputError
from tahr.models.load import LoadedModel
from tahr.models.logprobs import PolicyLogprobs
from tahr.models.same_tokens import difference
from tahr.recipe.session import Session
from tahr.recipe.stages.stage import Place
from tahr.recipe.teacher import OTHER_TOKENS, check_same_teacher, load_teacher, teachers_collector
from tahr.training.distillation import Distillation


def train_distillation(session: Session, place: Place) -> None:
    """On-policy distillation from another model."""
    config, recipe = session.recipe.distillation, session.recipe
    assert config is not None  # the recipe's check refuses a stage without its section
    teacher = load_teacher(recipe, config.teacher)
    _check_tokens(session, teacher, config.teacher)
    name = teacher.fingerprint()
    check_same_teacher(place, name, "distillation.teacher", config.teacher)
    session.progress.message(f"the teacher: {teacher.source}")
    stage = Distillation(
        config=config,
        policy=place.policy,
        student=session.collector(),
        teacher=teachers_collector(session, teacher) if config.teacher_share else None,
        teacher_logprobs=PolicyLogprobs(teacher.model, max_context=recipe.model.max_context),
        teacher_hash=name,
        curriculum=session.curriculum(config.tasks, "distillation", place.cursor),
        run=session.run,
        progress=session.progress,
        stop=session.stop,
    )
    asyncio.run(stage.train(first_step=place.first_step))


def _check_tokens(session: Session, teacher: LoadedModel, source: str) -> None:
    unlike = difference(session.loaded.renderer, teacher.renderer)
    if unlike:
        raise InputError(
            f"the teacher reads other token ids than the student: {unlike}",
            received=f"distillation.teacher = {source!r}, model.source = {session.recipe.model.source!r}",
            instead=OTHER_TOKENS,
        )
