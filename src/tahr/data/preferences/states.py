"""How a row of preference data ended: as a pair, or as one of the states that give none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tahr.core.preferences import JudgmentState, Pair


class RowState(StrEnum):
    """Only PAIR gives pairs to learn from; every other state is counted and reported."""

    PAIR = "pair"
    TIE = "tie"  # the ratings are equal
    BELOW_MARGIN = "below_margin"  # the ratings differ by less than was asked for
    NOT_APPLICABLE = "not_applicable"  # a rating says that its aspect does not apply
    UNREADABLE = "unreadable"  # a part of the row is missing or not in its form
    FAILED = "failed"  # no judgment came
    IDENTICAL = "identical"  # both answers are the same text
    DIFFERENT_PROMPTS = "different_prompts"  # the two conversations differ before their last answer
    CONTRADICTED = "contradicted"  # the row's own ratings put the rejected answer above the chosen one
    TOO_FEW = "too_few"  # fewer than two different answers
    DUPLICATE = "duplicate"  # the same pair stands already in another row


STATE_OF_JUDGMENT = {
    JudgmentState.TIE: RowState.TIE,
    JudgmentState.NOT_APPLICABLE: RowState.NOT_APPLICABLE,
    JudgmentState.UNREADABLE: RowState.UNREADABLE,
    JudgmentState.FAILED: RowState.FAILED,
}
"""Why a prompt gives no pair, from why its answers have no rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What became of one row: pairs with the state PAIR, or none and why.

    Example: ``Reading(pairs=(), state=RowState.TIE, note="both are rated 4.0")``
    """

    pairs: tuple[Pair, ...]
    state: RowState
    note: str = ""


def no_pair(state: RowState, note: str = "") -> Reading:
    """A row without a pair."""
    return Reading(pairs=(), state=state, note=note)


def told_rows(counts: Mapping[RowState, int]) -> str:
    """The rows that were read for people, such as "5 rows read: 3 pair, 2 tie"; "no row read" where there was none."""
    total = sum(counts.values())
    if not total:
        return "no row read"
    states = ", ".join(f"{count:,} {state}" for state, count in sorted(counts.items()))
    return f"{total:,} row{'s' if total > 1 else ''} read: {states}"
