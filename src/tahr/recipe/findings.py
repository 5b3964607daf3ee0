"""What a check found: conflicts that forbid the run, and warnings that do not."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tahr.core.errors import InputError, SeveralFaultsError, TahrError


@dataclass(slots=True)
class Findings:
    """Gathers faults, so that the user sees all of them at once.

    Example: ``findings.conflict("rlvr.group_size", "one attempt has no others to compare with", received=1,
    instead="at least 2")``
    """

    conflicts: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])
    _filed: list[TahrError] = field(default_factory=list[TahrError], repr=False)

    def conflict(self, where: str, wrong: str, *, received: object = None, instead: str = "") -> None:
        """The run can't be started as the recipe stands."""
        self.conflicts.append(_line(where, wrong, received, instead))

    def warn(self, where: str, wrong: str, *, received: object = None, instead: str = "") -> None:
        """The run can be started, but the user should know."""
        self.warnings.append(_line(where, wrong, received, instead))

    @contextmanager
    def catching(self, where: str) -> Generator[None]:
        """File an error that a part of tahr raises on purpose as a conflict at `where`: each of several, each once.

        What follows from an error that is filed already (it is the same, or was raised from it) is not filed again.
        """
        try:
            yield
        except TahrError as error:
            for one in error.errors if isinstance(error, SeveralFaultsError) else (error,):
                if not self._follows(one):
                    self.conflict(where, one.wrong, received=one.received, instead=one.instead)
                    self._filed.append(one)

    def _follows(self, error: BaseException | None) -> bool:
        while error is not None:
            causes = error.errors if isinstance(error, SeveralFaultsError) else (error,)
            if all(any(cause is one for one in self._filed) for cause in causes):
                return True
            error = error.__cause__
        return False

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
    # what the parts of tahr say may have its path in it already; one word may be any word
    named = "." in where and re.search(rf"(?<![\w.]){re.escape(where)}(?!\w)", wrong.partition("\n")[0])
    first = (wrong if named else f"{where}: {wrong}") + ("" if received is None else f" (received {received})")
    return f"{first}\n    instead: {instead}" if instead else first
