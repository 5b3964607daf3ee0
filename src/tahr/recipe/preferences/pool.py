"""A pool of models and a judge, opened for one build of pairs and closed after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tahr.core.judging import ChatModel, Question
from tahr.core.progress import Progress
from tahr.engines.chat import open_chat_model
from tahr.engines.config import EngineConfig
from tahr.engines.http.client import HttpChat
from tahr.judges.build import build_judge
from tahr.preference.build import Builder, Built
from tahr.preference.config import BuildConfig
from tahr.verifiers.build import VerifierSet


async def build_from_pool(
    config: BuildConfig,
    questions: Sequence[Question],
    *,
    where: str,
    folder: Path,
    policy: ChatModel | None,
    verifiers: VerifierSet,
    engine: EngineConfig,
    progress: Progress,
    stopping: Callable[[], bool],
) -> Built | None:
    """Build the pairs in `folder`; `where` is the config's place in its file. None where `stopping` said so first.

    Raises InputError: a model or a judge that can't be had, no pair at all.
    """
    wanted = {*(config.others if config.num_others else ()), *([config.judge.model] if config.judge.model else ())}
    models = {name: open_chat_model(name, config.models[name], engine=engine) for name in sorted(wanted)}
    judge = build_judge(config.judge, models=models, verifiers=verifiers, seed=config.seed, where=f"{where}.judge")
    progress.phase("building pairs", total=len(questions))
    builder = Builder(
        config=config,
        judge=judge,
        folder=folder,
        policy=policy,
        models=models,
        advance=progress.advance,
        stopping=stopping,
    )
    try:
        return await builder.build(questions)
    finally:
        for model in models.values():
            if isinstance(model, HttpChat):
                await model.close()
