"""Which isolation this machine allows, found by trying, and what each level leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from tahr.core.errors import InputError, UnknownNameError
from tahr.sandbox import bubblewrap
from tahr.sandbox.worker import Worker, WorkerError

LEVELS = ("namespaces", "bubblewrap", "rlimits")  # strongest first
COMMON_GAPS = ("bugs of the kernel", "side channels and contention for the processor")
GAPS: dict[str, tuple[str, ...]] = {
    "namespaces": (),
    "bubblewrap": ("a fresh interpreter for every run: slower",),
    "rlimits": (
        "files that this user may read",
        "folders that everyone may write",
        "the list of the machine's processes",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Whether a level works here. `error` says why not; `bounded` names what a cgroup bounds for a whole tree.

    Example: ``Probe(level="namespaces", works=True, bounded=("memory", "pids"))``
    """

    level: str
    works: bool
    error: str = ""
    bounded: tuple[str, ...] = ()

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is not covered."""
        shared = (
            () if "memory" in self.bounded else ("memory is bounded per process, not for a run's processes together",)
        )
        return (*GAPS[self.level], *shared, *COMMON_GAPS)


@lru_cache(maxsize=8)
def probe(level: str) -> Probe:
    """Start one server at `level` and end it. Raises UnknownNameError."""
    if level not in LEVELS:
        raise UnknownNameError("sandbox level", level, LEVELS)
    if level == "bubblewrap" and not bubblewrap.available():
        return Probe(level=level, works=False, error="bwrap is not installed")
    try:
        worker = Worker(level, (), ())
    except WorkerError as error:
        return Probe(level=level, works=False, error=error.wrong.splitlines()[-1])
    bounded = worker.bounded
    worker.close()
    return Probe(level=level, works=True, bounded=bounded)


def best() -> str | None:
    """The strongest level that works here; None where not even limits do (not Linux)."""
    return next((level for level in LEVELS if probe(level).works), None)


def choose(least: str, wanted: str | None = None) -> str:
    """`wanted`, or the best level, where it works and is no weaker than `least`. Raises InputError."""
    for name in (least, wanted or least):
        if name not in LEVELS:
            raise UnknownNameError("sandbox level", name, LEVELS)
    accepted = LEVELS[: LEVELS.index(least) + 1]
    tried = [wanted] if wanted else list(LEVELS)
    chosen = next((level for level in tried if level in accepted and probe(level).works), None)
    if chosen is not None:
        return chosen
    found = [f"{level}: {probe(level).error or 'works, but is weaker than that'}" for level in tried]
    raise InputError(
        f"this machine offers no sandbox as strong as {least!r}",
        received="; ".join(found),
        instead="allow user namespaces, install bubblewrap, or accept a lower least_level",
    )
