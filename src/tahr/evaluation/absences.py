"""Why attempts have no reward: the reasons in their own words, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tahr.store.records import EvaluationRow

SHOWN = 3
"""Reasons that are told one by one."""

MOST_REASONS = 1000
"""Reasons that are told apart: notes that hold a number or a text are a reason each."""

_MAX_CHARACTERS = 160


def reason_of(row: EvaluationRow) -> str | None:
    """Why an attempt has no reward: the first line of its note, which is what was wrong; None where it has one."""
    if row.score is not None:
        return None
    first = row.note.strip().split("\n")[0].strip()
    return first[:_MAX_CHARACTERS] or f"no reason told ({row.outcome}, ended by {row.finish_reason})"


def count_reasons(rows: Iterable[EvaluationRow], into: Counter[str] | None = None) -> Counter[str]:
    """How many attempts have no reward for each reason, in `into` where it is given."""
    reasons = Counter[str]() if into is None else into
    for row in rows:
        reason = reason_of(row)
        if reason is not None:
            reasons[reason if reason in reasons or len(reasons) < MOST_REASONS else "other reasons"] += 1
    return reasons


def frequent_reasons(reasons: Counter[str], most: int = SHOWN) -> list[tuple[str, int]]:
    """The most frequent reasons with their counts; what is left stands last, under one name.

    >>> frequent_reasons(Counter({"status 500": 7, "no answer": 2, "a": 1, "b": 1}), 2)
    [('status 500', 7), ('no answer', 2), ('2 other reasons', 2)]
    """
    first = reasons.most_common(most)
    left = reasons.total() - sum(count for _, count in first)
    if not left:
        return first
    num_others = len(reasons) - len(first)
    return [*first, ("another reason" if num_others == 1 else f"{num_others} other reasons", left)]


def reasons_text(reasons: Counter[str], most: int = SHOWN) -> str:
    """The frequent reasons in a line: ``7 times: status 500; once: no answer``."""
    return "; ".join(
        f"{'once' if count == 1 else f'{count:,} times'}: {reason}" for reason, count in frequent_reasons(reasons, most)
    )
