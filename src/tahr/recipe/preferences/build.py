"""Build pairs as a file says, in a folder that the same call goes on with."""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tahr.core.errors import InputError
from tahr.core.progress import Progress
from tahr.data.splits import build_task_sets
from tahr.engines.chat import EngineChat, open_chat_model
from tahr.judges.build import build_judge, check_judge
from tahr.preference.build import Builder, Built
from tahr.preference.questions import draw_questions
from tahr.recipe.load import parse_as, read_values, to_toml
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.preferences.config import PrefsConfig
from tahr.store.files import disk_errors, write_file
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
    check_judge(config.build.judge, models=config.build.models, where="build.judge")
    verifiers = build_verifiers(config.verifiers)
    sets = build_task_sets({name: config.tasks[name] for name in config.build.tasks}, verifiers)
    build = config.build.model_copy(update={"seed": config.build.seed + config.seed})
    tasks = {name: sets[name].split("train") for name in build.tasks}
    questions = draw_questions(tasks, build.tasks, count=build.num_prompts, seed=build.seed)
    with _alone(folder):
        write_file(folder / SETTINGS, to_toml(config).encode())
        wanted = {*(build.others if build.num_others else ()), *([build.judge.model] if build.judge.model else ())}
        models = {name: open_chat_model(name, build.models[name], engine=config.engine) for name in sorted(wanted)}
        judge = build_judge(build.judge, models=models, verifiers=verifiers, seed=build.seed, where="build.judge")
        policy = _policy(config, progress) if build.num_own else None
        progress.phase("building pairs", total=len(questions))
        builder = Builder(
            config=build,
            judge=judge,
            folder=folder,
            policy=policy,
            models=models,
            advance=progress.advance,
            stopping=stopping,
        )
        return asyncio.run(builder.build(questions))


def _policy(config: PrefsConfig, progress: Progress) -> ChatModel:
    """The policy, named after its weights: the same weights are never asked the same again."""
    import torch

    from tahr.engines.embedded.engine import EmbeddedEngine
    from tahr.models.fingerprint import weights_hash
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
    return EngineChat(label=f"policy:{weights_hash(loaded.model)}", engine=engine, renderer=loaded.renderer)


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    """Hold the folder, made where there is none; the system lets go of it where this process dies."""
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        held = (folder / ".lock").open("w")
    with held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                "another process builds pairs in this folder", received=folder, instead="wait for it, or another --out"
            ) from None
        yield
