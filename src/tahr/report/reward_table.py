"""What a reward model's evaluation found, as a table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tahr.evaluation.preferences.judged import Judged
from tahr.evaluation.preferences.measures import Accuracy, Bin, Calibration, LengthBias
from tahr.evaluation.preferences.reward_bench import DOMAINS, TIES, DomainScore
from tahr.report.text import interval, number, score, visible_text

if TYPE_CHECKING:
    from rich.table import Table

Row = tuple[str, str, str, str]


def reward_table(judged: Judged) -> Table:
    """Accuracy, domains, calibration and length bias, a row each with its interval and number."""
    from rich.table import Table

    table = Table(title=visible_text(judged.source, 120), title_justify="left", header_style="dim")
    table.add_column("measure")
    for name in ("value", "95% interval", "number"):
        table.add_column(name, justify="right")
    sections = (
        [_accuracy("accuracy", judged.accuracy)] if judged.accuracy else [],
        _domains(judged.domains),
        _calibration(judged.calibration) if judged.calibration else [],
        _length(judged.length) if judged.length else [],
    )
    for rows in sections:
        for row in rows:
            table.add_row(*row)
        table.add_section()
    excluded = f"; {judged.num_excluded} rows could not be scored" if judged.num_excluded else ""
    table.caption = f"format {judged.format}; a tie at the top is shared{excluded}{_ties_reach(judged)}"
    table.caption_justify = "left"
    return table


def _accuracy(name: str, found: Accuracy) -> Row:
    ties = f" ({found.num_ties} ties)" if found.num_ties else ""
    return name, score(found.mean), interval(found.low, found.high, sign=False), f"{found.num_contests}{ties}"


def _domains(found: Sequence[DomainScore]) -> list[Row]:
    """Each domain, and the mean over them, which comes last."""
    num_known = sum(one.name in DOMAINS for one in found)
    num_domains = len(found) - 1
    count = "1 domain" if num_domains == 1 else f"{num_domains} domains"
    whole = "RewardBench 2" if num_known == len(DOMAINS) else f"mean of {count}"
    names = [visible_text(one.name, 60) or "no subset named" for one in found[:-1]]
    return [
        (name, score(one.score), interval(one.low, one.high, sign=False), str(one.num_contests))
        for name, one in zip((*names, whole), found, strict=False)
    ]


def _ties_reach(judged: Judged) -> str:
    """What the Ties' score can reach where rows that it needs are missing: a mean over none of them counts 0."""
    ids = [one.contest.id.partition(":") for one in judged.contests if one.contest.domain == TIES]
    if not judged.domains or not ids:
        return ""
    ref, tied = ({number for kind, _, number in ids if kind == wanted} for wanted in ("ref", "tied"))
    if ref & tied:
        return ""
    reach = 0.3 * bool(ref) + 0.3 * bool(tied)
    missing = "prompts in both rows" if ref and tied else "tied:N rows" if ref else "ref:N rows"
    return f"; the Ties have no {missing}: their score can reach {reach:.1f} at most"


def _calibration(found: Calibration) -> list[Row]:
    return [
        ("Brier score (0.25: knows nothing)", score(found.brier), "", str(found.num_pairs)),
        ("expected calibration error", score(found.error), "", str(found.num_pairs)),
        *(_bin(one) for one in found.bins),
    ]


def _bin(one: Bin) -> Row:
    return f"  right where {one.low:.2f} to {one.high:.2f} sure", score(one.right), "", str(one.num_pairs)


def _length(found: LengthBias) -> list[Row]:
    rows = [
        _accuracy(f"accuracy where the better answer is {which}", one)
        for which, one in (("longer", found.when_longer), ("shorter", found.when_shorter))
        if one is not None
    ]
    return [*rows, ("correlation of score and length", number(found.correlation), "", "")]
