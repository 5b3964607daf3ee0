"""Pairs that a stage builds from the policy as it is when the stage begins."""

from __future__ import annotations

import asyncio

from tahr.data.preferences.files import read_pairs
from tahr.data.preferences.sets import PairSet, split_pairs
from tahr.engines.chat import EngineChat
from tahr.preference.build import PAIRS
from tahr.preference.config import BuildConfig
from tahr.preference.questions import questions_for
from tahr.recipe.preferences.pool import build_from_pool
from tahr.recipe.session import Session
from tahr.recipe.stages.stage import Place

FOLDER = "preferences"
"""Where a run keeps its pairs, and the answers and judgments that they were made of."""


def built_pairs(session: Session, place: Place, config: BuildConfig) -> PairSet | None:
    """The pairs of ``[dpo.build]``; None where a stop was asked for before there were any.

    A stage that goes on from a checkpoint of its own reads what it began with; one that begins asks the policy, but
    never again what a run that was killed had answered or judged already.
    """
    path = session.run.folder / FOLDER / PAIRS
    if place.saved is None and not asyncio.run(_build(session, config)):
        return None
    read = read_pairs(path, "tahr")
    train, validation = split_pairs(read.pairs, config.validation_percent, within=True)
    return PairSet(name="build", train=train, validation=validation, weight=config.weight, read=read)


async def _build(session: Session, config: BuildConfig) -> bool:
    tasks = {name: session.training_tasks(name) for name in config.tasks}
    seed = config.seed + session.recipe.seed
    config = config.model_copy(update={"seed": seed})
    questions = session.without_questions(
        "built",
        "dpo.build.questions",
        questions_for(config, tasks, where="dpo.build", seed=seed),
        text=lambda one: "\n".join(message.content for message in one.prompt),
        place=lambda one: f"question {one.id}",
    )
    built = await build_from_pool(
        config,
        questions,
        where="dpo.build",
        folder=session.run.folder / FOLDER,
        policy=_policy(session) if config.num_own else None,
        verifiers=session.verifiers,
        engine=session.recipe.engine,
        progress=session.progress,
        stopping=lambda: session.stop.asked,
        run=session.run.folder,
    )
    said = "stopped after the questions under way; what was answered and judged is kept" if built is None else built
    session.progress.message(f"dpo.build: {said}")
    return built is not None


def _policy(session: Session) -> EngineChat:
    session.refresh_engine(session.version)
    label = f"policy:{session.loaded.fingerprint()}"
    return EngineChat(label=label, engine=session.engine(), renderer=session.loaded.renderer)
