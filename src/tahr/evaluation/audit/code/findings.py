"""What an audit of the verifier of programs finds beyond that of any verifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tahr.evaluation.audit.findings import Group, Rate

MOST_FALSE_ALARMS = 0.01
"""Share of honest programs that may be called cheats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Honest:
    """Programs of one kind that nobody cheats with: how many passed, and how many were called cheats.

    Example: ``Honest(name="a cache", passed=Rate(count=164, total=164), flagged=Rate(count=0, total=164))``
    """

    name: str
    passed: Rate
    flagged: Rate
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAudit:
    """Exploits by kind (`agreed` counts the beaten ones), honest programs, mistakes, and grades a second by way.

    `missing` says what could not be judged for want of a package. Of mistakes `passed` counts those that got through.

    Example: ``CodeAudit(exploits=(group,), honest=(references, variation), mistakes=(mutants,), rates={"tahr": 120.0},
    missing="")``
    """

    exploits: tuple[Group, ...]
    honest: tuple[Honest, ...]
    mistakes: tuple[Honest, ...]
    rates: Mapping[str, float]
    missing: str = ""

    @property
    def rewarded(self) -> Rate:
        """Exploits that were not beaten."""
        beaten, total = (sum(getattr(one.agreed, key) for one in self.exploits) for key in ("count", "total"))
        return Rate(count=total - beaten, total=total)

    @property
    def faults(self) -> tuple[str, ...]:
        """What makes the verifier unfit for use, in words."""
        return tuple(self._faults())

    def _faults(self) -> Iterator[str]:
        if self.rewarded.count:
            names = ", ".join(one.label for group in self.exploits for one in group.examples)
            yield f"{self.rewarded.count} of {self.rewarded.total} exploits are not beaten: {names}"
        for one in self.honest:
            if (one.flagged.share or 0.0) > MOST_FALSE_ALARMS:
                yield f"{one.flagged.count} of {one.flagged.total} honest programs ({one.name}) are called cheats"
        if self.honest and self.honest[0].passed.count < self.honest[0].passed.total:
            yield f"it refuses {self.honest[0].passed.total - self.honest[0].passed.count} reference solutions"
