"""Verifiers by name: those that a recipe configures, then the registered ones with their default arguments."""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from tahr.core.construct import PartDescription, construct, describe_parts
from tahr.core.errors import InputError, UnknownNameError, raise_all
from tahr.core.protocols import Verifier, verifiers
from tahr.core.ranges import RewardRange
from tahr.core.types import Outcome, Task, Verdict, broken, failed
from tahr.verifiers import builtin as builtin  # registers tahr's own verifiers
from tahr.verifiers.config import VerifierConfig
from tahr.verifiers.function import FunctionVerifier
from tahr.verifiers.limit import TimeLimitError, given_to, reason_of, time_limit
from tahr.verifiers.sound import settle_cheat, sound
from tahr.verifiers.text import MAX_CHARS

logger = logging.getLogger(__name__)

MAX_SECONDS = 60.0
"""Longest time one verdict may take."""

Resolve = Callable[[str, Mapping[str, Any]], Verifier]


@runtime_checkable
class Composite(Protocol):
    """A verifier made of others: it is handed a way to build them before it is used."""

    def with_verifiers(self, resolve: Resolve) -> Verifier:
        """A copy that holds its parts; `resolve(name, args)` gives each."""
        ...


@runtime_checkable
class InRun(Protocol):
    """A verifier that a run prepares."""

    def enter_run(self, folder: Path) -> None:
        """Get ready for a run in `folder`."""
        ...


class VerifierSet:
    """The verifiers of one run. Parts are built when first asked for and kept."""

    def __init__(self, configs: Mapping[str, VerifierConfig]) -> None:
        self._configs = dict(configs)
        self._built: dict[str, Verifier] = {}
        self._open: list[str] = []
        self._faults: dict[str, InputError] = {}

    def get(self, name: str) -> Verifier:
        """The configured verifier `name`, else the registered one. Raises UnknownNameError or InputError.

        A configured one that can't be built raises the same error each time, so that it is known for the same fault.
        """
        if name in self._faults:
            raise self._faults[name]
        if name not in self._built:
            config = self._configs.get(name)
            where = f"verifiers.{name}.args"
            try:
                self._built[name] = self._build(name, config or VerifierConfig(verifier=name), where)
            except InputError as error:
                if config is not None:
                    self._faults[name] = error
                raise
        return self._built[name]

    @property
    def settings(self) -> str:
        """What the recipe sets of its verifiers, as JSON: where it is the same, so are verdicts."""
        values = {name: config.model_dump(mode="json") for name, config in self._configs.items()}
        return json.dumps(values, sort_keys=True)

    def names(self) -> list[str]:
        """Every name that `get` knows, sorted."""
        return sorted({*self._configs, *verifiers.names()})

    def enter_run(self, folder: Path) -> None:
        """Tell every configured verifier that wants to know that a run begins in `folder`: one with a model of its own
        loads it now and not while the first answer waits. Raises what they raise."""
        for verifier in _with_parts(self.get(name) for name in self._configs):
            if isinstance(verifier, InRun):
                verifier.enter_run(folder)

    def reward_range(self, name: str) -> RewardRange | None:
        """What the verifier `name` can give, cheating as the recipe values it; None where the verifier does not say.

        Raises as `get` does.
        """
        known = getattr(self.get(name), "reward_range", None)
        return known.with_cheating(self._cheat_reward(name)) if isinstance(known, RewardRange) else None

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
                verdict = sound(verifier.verify(given_to(verifier, task), text), self.reward_range(task.verifier))
            return settle_cheat(verdict, self._cheat_reward(task.verifier), self.reward_range(task.verifier))
        except KeyboardInterrupt:
            raise
        except TimeLimitError as error:
            return Verdict(outcome=Outcome.TIMEOUT, reward=None, note=f"verifier {task.verifier!r}: {error}")
        except BaseException as error:  # noqa: BLE001 - the boundary: a broken verifier is an absent reward, never a crash
            reason = f"verifier {task.verifier!r} failed on task {task.id}: {reason_of(error)}"
            logger.warning("%s", reason[:1000])
            return broken(reason[:1000])

    def is_concurrent(self, task: Task) -> bool:
        """Whether the task's verifier may judge several answers at once, off the main thread.

        One says so by an attribute `is_concurrent`, and promises with it to bound its own time in any thread: there
        `time_limit` does nothing. A combination may where a part says so and every other is tahr's own.
        """
        try:
            return _is_concurrent(self.get(task.verifier))
        except InputError:
            return False

    def _cheat_reward(self, name: str) -> float:
        config = self._configs.get(name)
        return config.cheat_reward if config else VerifierConfig(verifier=name).cheat_reward

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
        if inspect.isfunction(part):
            return FunctionVerifier(function=part, arguments=config.args)
        built: Any = construct(part, config.args, where=where)
        if isinstance(built, Composite):
            return built.with_verifiers(lambda name, args: self._resolve(name, args, where))
        if not isinstance(built, Verifier):
            raise InputError(
                f"{config.verifier!r} is not a verifier: it must have check_task, verify and gold",
                received=type(built).__qualname__,
            )
        ranged = getattr(built, "reward_range", None)
        if not isinstance(ranged, RewardRange | None):
            raise InputError(
                f"the reward_range of {config.verifier!r} must be a RewardRange",
                received=type(ranged).__qualname__,
                instead="tahr.core.ranges.BINARY, PARTIAL, or RewardRange(passing=(...), failing=(...))",
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


def _with_parts(verifiers: Iterable[object]) -> Iterator[object]:
    """Verifiers and, of combinations, those that they are made of."""
    for verifier in verifiers:
        yield verifier
        yield from _with_parts(getattr(verifier, "verifiers", ()))


def _is_concurrent(verifier: object) -> bool:
    parts: tuple[object, ...] = getattr(verifier, "verifiers", ())
    if not parts:
        return getattr(verifier, "is_concurrent", False) is True
    return any(map(_is_concurrent, parts)) and all(_is_concurrent(part) or _is_own(part) for part in parts)


def _is_own(verifier: object) -> bool:
    """Whether only tahr's own code runs in it, which is bounded by construction."""
    if isinstance(verifier, FunctionVerifier):
        return False
    parts: tuple[object, ...] = getattr(verifier, "verifiers", ())
    return type(verifier).__module__.startswith("tahr.") and all(map(_is_own, parts))


def build_verifiers(configs: Mapping[str, VerifierConfig]) -> VerifierSet:
    """The verifiers of a recipe. Raises InputError, all faults in one, where any is unknown or has wrong arguments."""
    built = VerifierSet(configs)
    faults: list[InputError] = []
    for name in configs:
        try:
            built.get(name)
        except InputError as error:
            faults.append(error)
    raise_all(faults)
    return built


def describe() -> list[PartDescription]:
    """Every registered verifier with its arguments."""
    return describe_parts(verifiers)
