"""Pairs that a stage builds from the policy as it is when the stage begins."""

from __future__ import annotations

import asyncio

from tahr.core.progress import Progress
from tahr.data.preferences.files import read_pairs
from tahr.data.preferences.sets import PairSet, split_pairs
from tahr.engines.chat import EngineChat, open_chat_model
from tahr.engines.http.client import HttpChat
from tahr.judges.build import build_judge
from tahr.models.fingerprint import weights_hash
from tahr.preference.build import PAIRS, Builder
from tahr.preference.config import BuildConfig
from tahr.preference.questions import draw_questions
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
    questions = draw_questions(tasks, config.tasks, count=config.num_prompts, seed=seed)
    wanted = {*(config.others if config.num_others else ()), *([config.judge.model] if config.judge.model else ())}
    models = {name: open_chat_model(name, config.models[name], engine=session.recipe.engine) for name in sorted(wanted)}
    judge = build_judge(config.judge, models=models, verifiers=session.verifiers, seed=seed, where="dpo.build.judge")
    progress: Progress = session.progress
    progress.phase("building pairs", total=len(questions))
    builder = Builder(
        config=config,
        judge=judge,
        folder=session.run.folder / FOLDER,
        policy=_policy(session) if config.num_own else None,
        models=models,
        advance=progress.advance,
        stopping=lambda: session.stop.asked,
    )
    try:
        built = await builder.build(questions)
    finally:
        for model in models.values():
            if isinstance(model, HttpChat):
                await model.close()
    if built is not None:
        progress.message(f"dpo.build: {built}")
    return built is not None


def _policy(session: Session) -> EngineChat:
    session.refresh_engine(session.version)
    label = f"policy:{weights_hash(session.loaded.model)}"
    return EngineChat(label=label, engine=session.engine(), renderer=session.loaded.renderer)
