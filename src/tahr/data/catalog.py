"""What task sources there are, for people."""

from __future__ import annotations

from tahr.core.construct import PartDescription, describe_parts
from tahr.core.protocols import task_sources
from tahr.data import sources as sources  # registers tahr's own sources


def describe() -> list[PartDescription]:
    """Every registered task source: its name, what it generates, and its arguments with their defaults."""
    return describe_parts(task_sources)
