"""Errors that a user can act on: what was wrong, what was received, what to set instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class TahrError(Exception):
    """Base of every error that tahr raises on purpose; the command line prints it without a traceback.

    `exit_code` is what the command line exits with: 2 for input that must be changed, 1 for work that failed.
    """

    exit_code = 1

    def __init__(self, wrong: str, *, received: object = None, instead: str = "") -> None:
        self.wrong = wrong
        self.received = received
        self.instead = instead
        lines = [wrong]
        if received is not None:
            lines.append(f"  received: {received}")
        if instead:
            lines.append(f"  instead:  {instead}")
        super().__init__("\n".join(lines))

    @property
    def cause(self) -> str:
        """What was wrong and what was received in one line, to stand beside a count of such faults."""
        told = self.wrong if self.received is None else f"{self.wrong}: {self.received}"
        return " ".join(told.split())[:300]


class InputError(TahrError):
    """The recipe, a file or an argument must be changed before anything can run."""

    exit_code = 2


class SeveralFaultsError(InputError):
    """Several faults at once, so that the user needn't find them one by one. `errors` has each, at least two."""

    def __init__(self, errors: Sequence[InputError]) -> None:
        super().__init__("\n".join(map(str, errors)))
        self.errors = tuple(errors)


def raise_all(errors: Iterable[InputError]) -> None:
    """Raise the only error as it is, or all of several as one; nothing where there is none."""
    flat = [one for error in errors for one in (error.errors if isinstance(error, SeveralFaultsError) else (error,))]
    different = list(dict.fromkeys(flat))
    if len(different) > 1:
        raise SeveralFaultsError(different)
    if different:
        raise different[0]


class UnknownNameError(InputError):
    """A name that is not in a fixed set; the message lists the valid names and the nearest one."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        names = sorted(set(valid))  # what two registries know under one name is one name
        nearest = nearest_name(name, names)
        hint = f"did you mean {nearest!r}? " if nearest else ""
        super().__init__(f"unknown {kind} {name!r}", received=name, instead=f"{hint}valid: {', '.join(names)}")
        self.name = name
        self.nearest = nearest


class OutOfReachError(InputError):
    """What lies behind a hub name can't be had now; nothing says that the name is wrong."""


class MissingExtraError(InputError):
    """An optional package that the request needs is not installed."""

    def __init__(self, package: str, *, extra: str, needed_for: str) -> None:
        super().__init__(
            f"{needed_for} needs the package {package!r}, which is not installed",
            instead=f"pip install 'tahr[{extra}]'",
        )


class ResourceError(TahrError):
    """Memory or disk ran out; the message says which setting to lower."""


class EngineError(TahrError):
    """The engine failed for a reason that is not the model's output; the sample is retried or dropped."""


def nearest_name(name: str, names: Iterable[str]) -> str | None:
    """The closest of `names` to a misspelt `name`, capitals or not; None where nothing is close."""
    folded: dict[str, str] = {}
    for one in names:
        folded.setdefault(one.casefold(), one)
    matches = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None
