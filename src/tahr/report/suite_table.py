"""Tables of what a suite found: each setting's scores, pairs of settings together, IFEval's four numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from tahr.core.errors import InputError
from tahr.evaluation.absences import count_reasons, reasons_text
from tahr.evaluation.clustered import clustered_mean
from tahr.evaluation.paired import PairedDifference, Score, by_domain, side_score
from tahr.evaluation.statistics import row_value
from tahr.report.text import interval, score, signed, visible_text
from tahr.store.records import Evaluation, EvaluationRow

if TYPE_CHECKING:
    from rich.table import Table

_SUMS = frozenset(("correct", "strict", "loose", "share", "loose_share", "undetectable", "vacuous"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One measure of one setting on one domain ("" for all). `num_excluded` counts attempts without a value.

    Example: ``Line(setting="bare", domain="", measure="correct", score=score, num_tasks=541, num_excluded=0)``
    """

    setting: str
    domain: str
    measure: str
    score: Score
    num_tasks: int
    num_excluded: int


def suite_lines(evaluation: Evaluation) -> list[Line]:
    """The share of right answers of all domains and of each, and where instructions were judged IFEval's four."""
    domains = sorted({row.domain for row in evaluation.rows})
    lines = [
        line
        for domain in ("", *(domains if len(domains) > 1 else ()))
        if (line := _line(evaluation, domain, "correct", "correct")) is not None
    ]
    if not any("loose_share" in row.parts for row in evaluation.rows):
        return lines
    four = [_line(evaluation, "", part, f"prompts, {part}") for part in ("strict", "loose")]
    four += [_instructions(evaluation, part, f"instructions, {mode}") for part, mode in _LEVELS]
    return [*lines, *(line for line in four if line is not None)]


_LEVELS = (("share", "strict"), ("loose_share", "loose"))


def suite_table(evaluations: Sequence[Evaluation]) -> Table:
    """Every setting's measures with their 95% intervals."""
    from rich.table import Table
    from rich.text import Text

    table = Table(header_style="dim")
    for name in ("setting", "tasks", "measure"):
        table.add_column(name)
    for name in ("score", "95% interval", "number", "without reward"):
        table.add_column(name, justify="right")
    for evaluation in evaluations:
        table.add_section()
        lines = suite_lines(evaluation)
        if not lines:
            table.add_row(Text(visible_text(evaluation.name, 40)), "all", "–", "–", "–", "0", str(len(evaluation.rows)))
        for line in lines:
            table.add_row(
                Text(visible_text(line.setting, 40)),
                Text(visible_text(line.domain or "all", 60)),
                line.measure,
                score(line.score.mean),
                interval(line.score.low, line.score.high, sign=False),
                str(line.num_tasks),
                str(line.num_excluded),
            )
    return table


def absence_lines(evaluations: Sequence[Evaluation]) -> list[str]:
    """Of each setting in which attempts have no reward, how many and why, the most frequent reasons first."""
    lines: list[str] = []
    for one in evaluations:
        reasons = count_reasons(one.rows)
        if reasons:
            named = f"{one.name}: " if len(evaluations) > 1 else ""
            told = f"{named}{reasons.total():,} attempts without reward: {reasons_text(reasons)}"
            lines.append(visible_text(told))
    return lines


def pair_table(evaluations: Sequence[Evaluation], pairs: Sequence[tuple[str, str]]) -> Table | None:
    """Without and with, side by side, and the difference paired by question; None where no pair was asked whole."""
    from rich.table import Table
    from rich.text import Text

    found = pair_differences(evaluations, pairs)
    if not found:
        return None
    table = Table(title="Without and with", title_justify="left", header_style="dim")
    for name in ("pair", "tasks"):
        table.add_column(name)
    for name in ("without", "with", "difference", "95% interval", "number"):
        table.add_column(name, justify="right")
    for names, one in found:
        style = "" if one.low <= 0 <= one.high else "bold green" if one.difference > 0 else "bold red"
        table.add_row(
            Text(visible_text(" → ".join(names), 60)),
            Text(visible_text(one.domain or "all", 60)),
            score(one.first.mean),
            score(one.second.mean),
            Text(signed(one.difference), style=style),
            interval(one.low, one.high),
            str(one.num_tasks),
        )
    table.caption = "right answers, paired by question; intervals are clustered where questions belong together"
    table.caption_justify = "left"
    return table


def pair_differences(
    evaluations: Sequence[Evaluation], pairs: Sequence[tuple[str, str]]
) -> list[tuple[tuple[str, str], PairedDifference]]:
    """With less without, for every pair of which both settings have scores."""
    named = {one.name: one for one in evaluations}
    found: list[tuple[tuple[str, str], PairedDifference]] = []
    for without, with_ in pairs:
        if without in named and with_ in named:
            try:
                found += [((without, with_), one) for one in by_domain(named[without], named[with_])]
            except InputError:  # no question with a reward in both
                continue
    return found


def suite_values(evaluations: Sequence[Evaluation], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The tables, and every attempt, as JSON values."""
    return {
        "conditions": {one.name: asdict(one.conditions) for one in evaluations if one.conditions},
        "scores": [_finite(asdict(line)) for one in evaluations for line in suite_lines(one)],
        "pairs": [{"pair": list(names), **_finite(asdict(one))} for names, one in pair_differences(evaluations, pairs)],
        "attempts": [{"setting": one.name, **asdict(row)} for one in evaluations for row in one.rows],
    }


def _line(evaluation: Evaluation, domain: str, part: str, measure: str) -> Line | None:
    rows = [row for row in evaluation.rows if domain in ("", row.domain)]
    values = _by_task(rows, part)
    if not values:
        return None
    clusters = {row.task_id: row.cluster for row in rows}
    num_scored = sum(map(len, values.values()))
    found = side_score([fmean(one) for one in values.values()], [clusters[name] for name in values], num_scored)
    return Line(
        setting=evaluation.name,
        domain=domain,
        measure=measure,
        score=found,
        num_tasks=len(values),
        num_excluded=len(rows) - num_scored,
    )


def _instructions(evaluation: Evaluation, part: str, measure: str) -> Line | None:
    """The share of all instructions that were kept: a ratio of sums over prompts, whose instructions go together.

    The interval is that of the prompts' residuals (Cochran, "Sampling Techniques", 1977, section 6.4).
    """
    kept, numbers = list[float](), list[int]()
    for row in evaluation.rows:
        value = row_value(row, part)
        if value is not None:
            numbers.append(_num_instructions(row))
            kept.append(value * numbers[-1])
    if not sum(numbers):
        return None
    ratio, usual = sum(kept) / sum(numbers), fmean(numbers)
    residuals = [(one - ratio * number) / usual for one, number in zip(kept, numbers, strict=True)]
    tasks = [row.task_id for row in evaluation.rows if row_value(row, part) is not None]
    spread = clustered_mean(residuals, tasks)
    low, high = max(0.0, ratio + spread.low), min(1.0, ratio + spread.high)
    return Line(
        setting=evaluation.name,
        domain="",
        measure=measure,
        score=Score(mean=ratio, standard_error=spread.standard_error, low=low, high=high),
        num_tasks=sum(numbers),
        num_excluded=len(evaluation.rows) - len(tasks),
    )


def _num_instructions(row: EvaluationRow) -> int:
    return len(row.parts.keys() - _SUMS) + round(row.parts.get("undetectable", 0.0))


def _by_task(rows: Sequence[EvaluationRow], part: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in rows:
        value = row_value(row, part)
        if value is not None:
            found.setdefault(row.task_id, []).append(value)
    return found


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinities: an unknown standard error is null."""
    plain = {key: _finite(value) if isinstance(value, dict) else value for key, value in values.items()}
    return {key: None if isinstance(one, float) and not math.isfinite(one) else one for key, one in plain.items()}
