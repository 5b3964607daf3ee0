"""Verifiers by name: those that a recipe configures, then the registered ones with their default arguments."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from tahr.core.construct import PartDescription, construct, describe_parts
from tahr.core.errors import InputError, UnknownNameError
from tahr.core.protocols import Verifier, verifiers
from tahr.core.types import Outcome, Reward, Task, Verdict, broken, failed
from tahr.verifiers import builtin as builtin  # registers tahr's own verifiers
from tahr.verifiers.config import VerifierConfig
from tahr.verifiers.limit import TimeLimitError, given_to, reason_of, time_limit
from tahr.verifiers.text import MAX_CHARS

logger = logging.getLogger(__name__)

MAX_REWARD = 1e9
"""Largest size of a reward or a part of one: squares of much larger ones overflow."""

MAX_SECONDS = 60.0
"""Longest time one verdict may take."""

Resolve = Callable[[str, Mapping[str, Any]], Verifier]


@runtime_checkable
class Composite(Protocol):
    """A verifier made of others: it is handed a way to build them before it is used."""

    def with_verifiers(self, resolve: Resolve) -> Verifier:
        """A copy that holds its parts; `resolve(name, args)` gives each."""
        ...


class VerifierSet:
    """The verifiers of one run. Parts are built when first asked for and kept."""

    def __init__(self, configs: Mapping[str, VerifierConfig]) -> None:
        self._configs = dict(configs)
        self._built: dict[str, Verifier] = {}
        self._open: list[str] = []

    def get(self, name: str) -> Verifier:
        """The configured verifier `name`, else the registered one. Raises UnknownNameError or InputError."""
        if name not in self._built:
            config = self._configs.get(name)
            where = f"verifiers.{name}.args"
            self._built[name] = self._build(name, config or VerifierConfig(verifier=name), where)
        return self._built[name]

    def names(self) -> list[str]:
        """Every name that `get` knows, sorted."""
        return sorted({*self._configs, *verifiers.names()})

    def gold(self, task: Task) -> str:
        """A text that the task's verifier passes. Raises InputError where none is known."""
        gold = self.get(task.verifier).gold(task)
        if gold is None:
            shown = task.prompt[-1].content[:80] if task.prompt else ""
            raise InputError(
                f"nobody knows an answer to task {task.id} ({shown!r}) that could be imitated",
                received=f"a task of {task.domain!r}, judged by {task.verifier}",
                instead="reinforcement learning or evaluation on these tasks, or tasks that carry an example",
            )
        return gold

    def verify(self, task: Task, text: str) -> Verdict:
        """The verdict of the task's own verifier on `text`. Never raises.

        Whatever the verifier raises, a full stack or memory or a call of `exit` among it, becomes Outcome.ERROR: no
        reward, counted by the caller. So does what is no verdict, or a reward that can't be trained on or stored. Only
        KeyboardInterrupt, which comes from the user, passes through. One that takes longer than `MAX_SECONDS` is
        Outcome.TIMEOUT (`time_limit` says what that can't interrupt). Verifiers from outside tahr are given a copy of
        the task, so that none can change what others are judged by.
        """
        try:
            verifier = self.get(task.verifier)
            if len(text) > MAX_CHARS:
                return failed(f"the answer has {len(text)} characters; more than {MAX_CHARS} are not read")
            with time_limit(MAX_SECONDS):
                return _sound(verifier.verify(given_to(verifier, task), text))
        except KeyboardInterrupt:
            raise
        except TimeLimitError as error:
            return Verdict(outcome=Outcome.TIMEOUT, reward=None, note=f"verifier {task.verifier!r}: {error}")
        except BaseException as error:  # noqa: BLE001 - the boundary: a broken verifier is an absent reward, never a crash
            reason = f"verifier {task.verifier!r} failed on task {task.id}: {reason_of(error)}"
            logger.warning("%s", reason[:1000])
            return broken(reason[:1000])

    def _build(self, name: str, config: VerifierConfig, where: str) -> Verifier:
        if name in self._open:
            chain = " -> ".join([*self._open, name])
            raise InputError(f"the verifier {name!r} is part of itself", received=chain)
        self._open.append(name)
        try:
            return self._construct(config, where)
        finally:
            self._open.pop()

    def _construct(self, config: VerifierConfig, where: str) -> Verifier:
        try:
            part = verifiers.get(config.verifier)
        except UnknownNameError:
            raise UnknownNameError("verifier", config.verifier, self.names()) from None
        built: Any = construct(part, config.args, where=where)
        if isinstance(built, Composite):
            return built.with_verifiers(lambda name, args: self._resolve(name, args, where))
        if not isinstance(built, Verifier):
            raise InputError(
                f"{config.verifier!r} is not a verifier: it must have check_task, verify and gold",
                received=type(built).__qualname__,
            )
        return built

    def _resolve(self, name: str, args: Mapping[str, Any], where: str) -> Verifier:
        """A part of a composite: by name as everywhere, or a registered verifier with arguments of its own."""
        if not args:
            return self.get(name)
        if name in self._configs:
            raise InputError(
                f"{where}: {name!r} is configured in [verifiers.{name}]; its arguments belong there",
                received=dict(args),
            )
        return self._build(name, VerifierConfig(verifier=name, args=dict(args)), f"{where}.{name}")


def _sound(verdict: Any) -> Verdict:
    """`verdict` as it is. Raises TypeError or ValueError where it is none, or where its reward can't be trained on."""
    if not isinstance(verdict, Verdict):
        raise TypeError(f"it returned {type(verdict).__name__}, not a Verdict")
    outcome: Any = verdict.outcome
    reward: Any = verdict.reward
    if not isinstance(outcome, Outcome):
        raise TypeError(f"its outcome is {outcome!r}, not an Outcome")
    if (reward is None) != (outcome in {Outcome.TIMEOUT, Outcome.ERROR}):
        raise ValueError(f"its outcome {outcome.value!r} came {'without' if reward is None else 'with'} a reward")
    _check_text("note", verdict.note)
    if verdict.extracted is not None:
        _check_text("extracted answer", verdict.extracted)
    if reward is not None:
        _check_reward(reward)
    return verdict


def _check_reward(reward: Any) -> None:
    """Raise TypeError or ValueError unless every number can be trained on and everything can be stored."""
    if not isinstance(reward, Reward):
        raise TypeError(f"its reward is {type(reward).__name__}, not a Reward")
    parts: Any = reward.parts
    if not isinstance(parts, Mapping):
        raise TypeError(f"its reward's parts are {type(parts).__name__}, not a mapping")
    _check_text("reward's note", reward.note)
    for name, value in [("value", reward.value), *parts.items()]:
        _check_text("reward's part name", name)
        if not isinstance(value, int | float):
            raise TypeError(f"its reward's {name} is {type(value).__name__}, not a number")
        if not math.isfinite(value):
            raise ValueError(f"its reward's {name} is {value}, not finite")
        if abs(value) > MAX_REWARD:
            raise ValueError(f"its reward's {name} is {value:.3g}, beyond {MAX_REWARD:.0e}")


def _check_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(f"its {name} is {type(value).__name__}, not text")


def build_verifiers(configs: Mapping[str, VerifierConfig]) -> VerifierSet:
    """The verifiers of a recipe. Raises InputError where a configured one is unknown or has wrong arguments."""
    built = VerifierSet(configs)
    for name in configs:
        built.get(name)
    return built


def describe() -> list[PartDescription]:
    """Every registered verifier with its arguments."""
    return describe_parts(verifiers)
