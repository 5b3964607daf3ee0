"""A pool of models and a judge, opened for one build of pairs and closed after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tahr.core.errors import InputError
from tahr.core.judging import ChatModel, Question
from tahr.core.progress import Progress
from tahr.engines.chat import fetch_chat_model, open_chat_model
from tahr.engines.config import EngineConfig
from tahr.engines.http.client import HttpChat
from tahr.judges.build import HoldsModel, build_judge, check_judge
from tahr.preference.build import Builder, Built
from tahr.preference.config import BuildConfig
from tahr.verifiers.build import VerifierSet


def wanted_models(config: BuildConfig) -> tuple[str, ...]:
    """The names of the models that are asked or judge, sorted; others may be named and left unused."""
    answering = config.others if config.num_others else ()
    return tuple(sorted({*answering, *filter(None, [config.judge.model])}))


def fetch_pool(config: BuildConfig, *, where: str) -> None:
    """See to it now that the pool can be opened later: what is on a hub is downloaded, and servers have their keys.

    Raises InputError that names the model: there is none, a hub is out of reach, a key is not set.
    """
    for name in wanted_models(config):
        try:
            fetch_chat_model(config.models[name])
        except InputError as error:
            raise InputError(
                f"{where}.models.{name}: {error.wrong}", received=error.received, instead=error.instead
            ) from error
    judge = check_judge(config.judge, models=config.models, where=f"{where}.judge")
    if isinstance(judge, HoldsModel):
        judge.fetch()


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
    run: Path | None = None,
) -> Built | None:
    """Build the pairs in `folder`; `where` is the config's place in its file, `run` the folder of the run that builds
    them. None where `stopping` said so first.

    Raises InputError: a model or a judge that can't be had, no pair at all.
    """
    models = {name: open_chat_model(name, config.models[name], engine=engine) for name in wanted_models(config)}
    judge = build_judge(config.judge, models=models, verifiers=verifiers, seed=config.seed, where=f"{where}.judge")
    if run is not None and isinstance(judge, HoldsModel):
        judge.enter_run(run)
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
