"""Counts against what an instruction asks for."""

from __future__ import annotations

from typing import assert_never

from tahr.verifiers.instructions.kind import Finding, Relation


def compare(count: int, relation: Relation, wanted: int, unit: str) -> Finding:
    """Whether `count` is at least, or less than, `wanted`; the note says both, in `unit` ("sentences")."""
    match relation:
        case "at least":
            kept = count >= wanted
        case "less than":
            kept = count < wanted
        case _:
            assert_never(relation)
    return Finding(kept, "" if kept else f"{count} instead of {relation} {wanted} {unit}")


def exactly(count: int, wanted: int, unit: str) -> Finding:
    """Whether `count` is `wanted`."""
    return Finding(count == wanted, "" if count == wanted else f"{count} instead of {wanted} {unit}")
