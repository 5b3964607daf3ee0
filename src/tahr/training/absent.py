"""Attempts without a reward: how many, of which kind, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from tahr.core.types import Group, Outcome, Scored, StopReason

Kind = Literal["infrastructure", "timeout", "error"]
KINDS: tuple[Kind, ...] = ("infrastructure", "timeout", "error")
SHOWN = 3
"""Causes of a kind that a message quotes."""


def kind_of(scored: Scored) -> Kind | None:
    """Why an attempt has no reward: the engine's failure, the verifier's time limit or fault; None where it has one."""
    if scored.reward is not None:
        return None
    if scored.trajectory.stop_reason is StopReason.INFRASTRUCTURE:
        return "infrastructure"
    return "timeout" if scored.verdict.outcome is Outcome.TIMEOUT else "error"


def count_absent(groups: Sequence[Group]) -> dict[str, float]:
    """``dropped_attempts`` and, of them, ``dropped_infrastructure``, ``dropped_timeout`` and ``dropped_error``."""
    kinds = [kind for group in groups for one in group.scored if (kind := kind_of(one)) is not None]
    return {"dropped_attempts": float(len(kinds)), **{f"dropped_{kind}": float(kinds.count(kind)) for kind in KINDS}}


def why_absent(groups: Sequence[Group]) -> str:
    """A line for each verifier and kind of failure, most frequent first: how many attempts, and the first reasons.

    What the engine failed at is no verifier's doing, and is listed as such.
    """
    notes: defaultdict[str, list[str]] = defaultdict(list)
    for group in groups:
        for one in group.scored:
            kind = kind_of(one)
            if kind is not None:
                who = "the engine" if kind == "infrastructure" else f"verifier {group.task.verifier!r}, {kind}"
                notes[who].append(one.verdict.note)
    return "\n".join(
        f"{who}: {len(of_one)} attempts; {' | '.join(note[:200] for note in list(dict.fromkeys(of_one))[:SHOWN])}"
        for who, of_one in sorted(notes.items(), key=lambda pair: -len(pair[1]))
    )
