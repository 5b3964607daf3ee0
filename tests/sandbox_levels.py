"""Sandboxes that the tests share: one per level that this machine offers, each started once."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from tahr.sandbox import LEVELS, Limits, LocalSandbox, probe
from tahr.sandbox.tree import interpreter

QUICK = Limits(wall_seconds=2.0, cpu_seconds=2.0, memory_mb=128, disk_mb=8, processes=24)
OFFERED = tuple(level for level in LEVELS if probe(level).works)
PRIVATE = tuple(level for level in OFFERED if level != "rlimits")  # levels with a file tree of their own


@lru_cache(maxsize=8)
def sandbox(level: str) -> LocalSandbox:
    """The one sandbox of a level."""
    return LocalSandbox(least_level=level, level=level)


def as_ordinary_user(code: str, timeout: float = 60.0) -> str:
    """Run Python as nobody, with tahr importable; where root's interpreter is closed to others, behind a view of it."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user; an ordinary user runs every other test")
    base, packages = Path(sys.base_prefix), [path for path in sys.path if path and Path(path).is_dir()]
    closed = next((parent for parent in reversed(base.parents) if not parent.stat().st_mode & 0o001), None)
    script = f"import sys; sys.path[:0] = {packages!r}\n{code}"
    python = f'exec setpriv --reuid=65534 --regid=65534 --clear-groups -- {interpreter()} -I -c "$1"'
    if closed is not None:
        python = (
            f"mount --bind {base} /mnt && mount -t tmpfs -o mode=755 tmpfs {closed} && mkdir -p {base} && "
            f"mount --bind /mnt {base} && {python}"
        )
    command = ["unshare", "-m", "sh", "-ec", python, "sh", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout
