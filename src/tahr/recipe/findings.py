"""What a check found: conflicts that forbid the run, and warnings that do not."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tahr.core.errors import InputError, TahrError


@dataclass(slots=True)
class Findings:
    """Gathers faults, so that the user sees all of them at once.

    Example: ``findings.conflict("rlvr.group_size", "one attempt has no others to compare with", received=1,
    instead="at least 2")``
    """

    conflicts: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])

    def conflict(self, where: str, wrong: str, *, received: object = None, instead: str = "") -> None:
        """The run can't be started as the recipe stands."""
        self.conflicts.append(_line(where, wrong, received, instead))

    def warn(self, where: str, wrong: str, *, received: object = None, instead: str = "") -> None:
        """The run can be started, but the user should know."""
        self.warnings.append(_line(where, wrong, received, instead))

    @contextmanager
    def catching(self, where: str) -> Generator[None]:
        """File an error that a part of tahr raises on purpose as a conflict at `where`."""
        try:
            yield
        except TahrError as error:
            self.conflict(where, error.wrong, received=error.received, instead=error.instead)

    def try_to(self, where: str, action: Callable[[], Any]) -> Any | None:
        """What `action` returns; None, and a conflict at `where`, where it raises a TahrError."""
        with self.catching(where):
            return action()
        return None

    def raise_conflicts(self) -> None:
        """Raise one InputError that lists every conflict; nothing where there is none."""
        if self.conflicts:
            count = "1 conflict" if len(self.conflicts) == 1 else f"{len(self.conflicts)} conflicts"
            raise InputError("\n".join([f"the recipe has {count}:", *(f"  {line}" for line in self.conflicts)]))


def _line(where: str, wrong: str, received: object, instead: str) -> str:
    first = f"{where}: {wrong}" + ("" if received is None else f" (received {received})")
    return f"{first}\n    instead: {instead}" if instead else first
