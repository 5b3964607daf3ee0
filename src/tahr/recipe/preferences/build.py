"""Build pairs as a file says, in a folder that the same call goes on with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tahr.core.progress import Progress
from tahr.data.splits import build_task_sets
from tahr.engines.chat import EngineChat
from tahr.preference.build import Built
from tahr.preference.questions import questions_for
from tahr.recipe.load import parse_as, read_values, to_toml
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.preferences.config import PrefsConfig
from tahr.recipe.preferences.pool import build_from_pool, fetch_pool
from tahr.store.files import disk_errors, write_file
from tahr.store.lock import Lock
from tahr.verifiers.build import build_verifiers

if TYPE_CHECKING:
    from tahr.core.judging import ChatModel

SETTINGS = "build.toml"
"""The file as it was resolved, beside the pairs."""


def load_prefs(path: Path, overrides: Sequence[str] = ()) -> PrefsConfig:
    """The build in a TOML file, with `overrides` such as ``build.num_prompts=8``.

    Raises InputError: missing, not TOML, or every fault of keys and values in one message.
    """
    return parse_as(PrefsConfig, apply_overrides(read_values(path), overrides, PrefsConfig), origin=str(path))


def build_prefs(
    config: PrefsConfig, folder: Path, *, progress: Progress, stopping: Callable[[], bool] = lambda: False
) -> Built | None:
    """Ask, judge and write the pairs into `folder`; None where `stopping` said so before there were any.

    Answers and judgments that the folder has already are taken from it, whatever else has changed. Raises InputError:
    tasks, verifiers or judge that can't be had, a folder that another process writes, no pair at all.
    """
    fetch_pool(config.build, where="build")
    verifiers = build_verifiers(config.verifiers)
    sets = build_task_sets({name: config.tasks[name] for name in config.build.tasks}, verifiers)
    build = config.build.model_copy(update={"seed": config.build.seed + config.seed})
    tasks = {name: sets[name].split("train") for name in build.tasks}
    questions = questions_for(build, tasks, where="build", seed=build.seed)
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    lock = Lock(folder, what="the pairs in")
    try:
        write_file(folder / SETTINGS, to_toml(config).encode())
        return asyncio.run(
            build_from_pool(
                build,
                questions,
                where="build",
                folder=folder,
                policy=_policy(config, progress) if build.num_own else None,
                verifiers=verifiers,
                engine=config.engine,
                progress=progress,
                stopping=stopping,
            )
        )
    finally:
        lock.release()


def _policy(config: PrefsConfig, progress: Progress) -> ChatModel:
    """The policy, named after its weights: the same weights are never asked the same again."""
    import torch

    from tahr.engines.embedded.engine import EmbeddedEngine
    from tahr.models.load import load_model

    assert config.model is not None  # the file was refused otherwise
    if config.threads:
        torch.set_num_threads(config.threads)
    progress.message(f"loading {config.model.source}")
    loaded = load_model(config.model, seed=config.seed)
    loaded.model.requires_grad_(False)
    engine = EmbeddedEngine(
        loaded.model, max_context=config.model.max_context, config=config.engine, decode=loaded.renderer.decode
    )
    return EngineChat(label=f"policy:{loaded.fingerprint()}", engine=engine, renderer=loaded.renderer)
