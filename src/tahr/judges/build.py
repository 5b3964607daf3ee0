"""A judge from its settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from tahr.core.construct import construct
from tahr.core.errors import InputError, UnknownNameError
from tahr.core.judging import ChatModel, Judge, judges
from tahr.core.protocols import Sampling
from tahr.judges import builtin as builtin  # registers tahr's own judges
from tahr.judges.ask import Asker
from tahr.judges.config import JudgeConfig
from tahr.judges.scorer import OWN_RUN
from tahr.judges.verifier import Verifiers


@runtime_checkable
class AsksModel(Protocol):
    """A judge that asks a chat model: it is handed one before it is used."""

    def with_model(self, asker: Asker) -> Judge:
        """A copy that asks `asker`."""
        ...


@runtime_checkable
class AsksVerifiers(Protocol):
    """A judge that asks the recipe's verifiers: it is handed them before it is used."""

    def with_verifiers(self, verifiers: Verifiers) -> Judge:
        """A copy that asks `verifiers`."""
        ...


@runtime_checkable
class CountsCalls(Protocol):
    """A judge that knows how often its model is asked, for the estimate of ``tahr check``."""

    def calls_for(self, num_answers: int) -> tuple[int, int]:
        """How often the model is asked about so many answers to one question, and how many it is shown each time."""
        ...


@runtime_checkable
class HoldsModel(Protocol):
    """A judge with a model of its own."""

    def fetch(self) -> None:
        """Download what is not on this disk yet. Raises InputError where it can't be had."""
        ...

    def enter_run(self, folder: Path) -> None:
        """Get ready for a run in `folder`, whose own earlier stage may have trained the model."""
        ...


def judges_by_own_run(config: JudgeConfig) -> bool:
    """Whether the judge is the reward model of the run that it judges in."""
    return config.kind == "reward_model" and config.args.get("source") == OWN_RUN


def check_judge(config: JudgeConfig, *, models: Mapping[str, object], where: str) -> Judge:
    """The judge of `config` without what it asks; nothing is loaded. `models` are the names that it may ask.

    Raises InputError: an unknown kind, arguments or model, or a model for a judge that asks none.
    """
    judge = construct(judges.get(config.kind), config.args, where=f"{where}.args")
    if isinstance(judge, AsksModel):
        if config.model not in models:
            raise UnknownNameError(f"chat model of {where}.model", config.model, models)
    elif config.model:
        raise InputError(
            f"{where}.model: the judge {config.kind!r} asks no model", received=config.model, instead="remove it"
        )
    return judge


def build_judge(
    config: JudgeConfig,
    *,
    models: Mapping[str, ChatModel],
    verifiers: Verifiers | None = None,
    seed: int,
    where: str = "judge",
) -> Judge:
    """The judge that `config`, found at `where`, describes; `models` are the chat models by the names it may use.

    Raises InputError as `check_judge` does, and where a judge needs `verifiers` and there are none.
    """
    judge = check_judge(config, models=models, where=where)
    if isinstance(judge, AsksModel):
        sampling = Sampling(max_new_tokens=config.max_new_tokens, temperature=config.temperature)
        asker = Asker(model=models[config.model], sampling=sampling, seed=seed, max_chars=config.max_chars)
        return judge.with_model(asker)
    if isinstance(judge, AsksVerifiers):
        if verifiers is None:
            raise InputError(f"{where}: the judge {config.kind!r} needs verifiers", instead="tasks with verifiers")
        return judge.with_verifiers(verifiers)
    return judge
