"""Which isolation this machine allows, found by trying, and what each level leaves open."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tahr.core.errors import InputError, UnknownNameError
from tahr.sandbox import bubblewrap, tree
from tahr.sandbox.worker import Worker, WorkerError

LEVELS = ("namespaces", "bubblewrap", "rlimits")  # strongest first
COMMON_GAPS = ("bugs of the kernel", "side channels and contention for the processor")
GAPS: dict[str, tuple[str, ...]] = {
    "namespaces": (),
    "bubblewrap": ("a fresh interpreter for every run: slower",),
    "rlimits": ("which files and processes there are", "names of installed packages"),
}
GAPS_WITHOUT_LANDLOCK = (
    "files that this user may read or write",
    "memory of this user's other processes",
    "the list of the machine's processes",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Whether a level works here. `error` says why not; `bounded` names what a cgroup bounds for a whole tree.

    `landlock` is the version of Landlock that closes off the machine's files, 0 where the kernel has none; the levels
    with namespaces need none.

    Example: ``Probe(level="namespaces", works=True, bounded=("memory", "pids"))``
    """

    level: str
    works: bool
    error: str = ""
    bounded: tuple[str, ...] = ()
    landlock: int = 0

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is not covered."""
        shared = (
            () if "memory" in self.bounded else ("memory is bounded per process, not for a run's processes together",)
        )
        own = GAPS_WITHOUT_LANDLOCK if self.level == "rlimits" and not self.landlock else GAPS[self.level]
        return (*own, *shared, *COMMON_GAPS)


@lru_cache(maxsize=8)
def probe(level: str) -> Probe:
    """Start one server at `level` and end it. Raises UnknownNameError."""
    if level not in LEVELS:
        raise UnknownNameError("sandbox level", level, LEVELS)
    if level == "bubblewrap" and not bubblewrap.available():
        return Probe(level=level, works=False, error="bwrap is not installed")
    covered = next((place for place in tree.prefixes() if Path(place).is_relative_to("/tmp")), None)
    if covered is not None and level != "rlimits":
        return Probe(level=level, works=False, error=f"Python lies in {covered}, and /tmp is each run's own there")
    try:
        worker = Worker(level, (), ())
    except WorkerError as error:
        return Probe(level=level, works=False, error=error.wrong.splitlines()[-1])
    bounded = worker.bounded
    worker.close()
    return Probe(level=level, works=True, bounded=bounded, landlock=landlock_version())


def landlock_version() -> int:
    """What this kernel offers of Landlock; for Linux."""
    from tahr.sandbox.inside import landlock  # elsewhere libc lacks what it calls

    return landlock.version()


def close_memory(level: str) -> None:
    """Where nothing else keeps programs out of this process's memory, forbid it to all of this process's user.

    Only at ``rlimits`` as an ordinary user on a kernel without Landlock. Debuggers can't attach then either, and the
    process leaves no core file.
    """
    if level == "rlimits" and os.geteuid() != 0 and not landlock_version():
        from tahr.sandbox.inside import linux

        linux.prctl(linux.PR_SET_DUMPABLE, 0)


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
