"""Tables of comparisons of runs, and what each comes to in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tahr.evaluation.comparison.compare import Comparison, Row
from tahr.evaluation.corrections import Correction
from tahr.evaluation.paired import PairedDifference
from tahr.evaluation.variance import VarianceParts
from tahr.report.text import interval, number, p_text, score, signed, told_apart, visible_text

if TYPE_CHECKING:
    from rich.table import Table

_MANY = 1_000_000
"""Questions that nobody has: a difference so near zero is never settled."""

_NAMES: dict[Correction, str] = {"holm": "p, Holm", "bh": "p, BH", "none": ""}


def comparison_table(found: Comparison, correction: Correction) -> Table:
    """One row a measure over all questions, then one a domain, for the headline measure."""
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    corrected = _NAMES[correction]
    title = f"{title_of(found)}: second less first"
    table = Table(title=Text(visible_text(title, 120), style="italic"), title_justify="left", header_style="dim")
    table.add_column("questions")
    table.add_column("measure")
    columns = ["first", "second", "difference", "95% interval", "p", *([corrected] if corrected else [])]
    for name in (*columns, "number", "could find", "would settle"):
        table.add_column(name, justify="right")
    last: str | None = None
    for row in found.rows:
        one = row.difference
        if last is not None and one.domain != last and not last:
            table.add_section()
        table.add_row(
            escape(visible_text(one.domain or "all", 40)),
            escape(visible_text(one.part, 40)),
            score(one.first.mean),
            score(one.second.mean),
            Text(signed(one.difference), style=_style(row)),
            interval(one.low, one.high),
            p_text(one.p),
            *([p_text(row.p_adjusted)] if corrected else []),
            _number(one),
            score(one.minimum_detectable) if math.isfinite(one.minimum_detectable) else "–",
            settled_text(one),
        )
        last = one.domain
    table.caption = _caption(found)
    table.caption_justify = "left"
    return table


def overview_table(found: Sequence[Comparison], correction: Correction) -> Table:
    """The headline of every comparison, one row each."""
    from rich.table import Table
    from rich.text import Text

    corrected = _NAMES[correction]
    names = list(dict.fromkeys(side.name for one in found for side in (one.first, one.second)))
    shared, apart = told_apart(names)
    short = dict(zip(names, apart, strict=True))
    title = f"Every two runs of {visible_text(shared, 90)}…" if shared else "Every two runs"
    table = Table(title=Text(title, style="italic"), title_justify="left", header_style="dim")
    for name in ("questions", "first", "second", "measure"):
        table.add_column(name)
    for name in ("difference", "95% interval", "p", *([corrected] if corrected else []), "number"):
        table.add_column(name, justify="right")
    for one in found:
        row = one.rows[0]
        table.add_row(
            *(
                Text(visible_text(text, 60))
                for text in (title_of(one), short[one.first.name], short[one.second.name], one.headline)
            ),
            Text(signed(row.difference.difference), style=_style(row)),
            interval(row.difference.low, row.difference.high),
            p_text(row.difference.p),
            *([p_text(row.p_adjusted)] if corrected else []),
            _number(row.difference),
        )
    return table


def comparison_text(found: Comparison) -> str:
    """Who was compared, what differs, and what the headline says, for people."""
    one = found.rows[0].difference
    lines = [f"first: {found.first.name}; second: {found.second.name}; " + "; ".join(found.remarks)]
    if one.is_significant:
        side = "higher" if one.difference > 0 else "lower"
        lines.append(
            f"The second is {side} in {one.part} by {abs(one.difference):.3f} ({interval(one.low, one.high)}; "
            f"p {p_text(one.p)})."
        )
    else:
        lines.append(
            f"Not settled: in {one.part} the second is anywhere from {signed(one.low)} to {signed(one.high)} of the "
            f"first. {_what_it_takes(one)}"
        )
    split = found.variance
    if split is not None and split.question + split.sampling > 0:
        lines.append(_split_text(split))
    return visible_text("\n".join(lines), 4000)


def comparison_values(found: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Every number as JSON values; what is infinite or unknown is null."""
    return [
        {
            "suite": one.first.suite,
            "setting": one.first.conditions.setting,
            "first": {"name": one.first.name, "conditions": asdict(one.first.conditions)},
            "second": {"name": one.second.name, "conditions": asdict(one.second.conditions)},
            "compared": list(one.compared),
            "remarks": list(one.remarks),
            "variance": None if one.variance is None else asdict(one.variance),
            "rows": [{**_finite(asdict(row.difference)), "p_adjusted": row.p_adjusted} for row in one.rows],
        }
        for one in found
    ]


def title_of(found: Comparison) -> str:
    """The suite, and the setting or both settings."""
    settings = dict.fromkeys(side.conditions.setting for side in (found.first, found.second))
    return f"{found.first.suite} {' and '.join(settings)}".strip()


def settled_text(one: PairedDifference) -> str:
    """How many questions would settle a difference of the observed size; an en dash where it is, or none would."""
    if one.is_significant or one.num_to_settle is None or one.num_to_settle > _MANY:
        return "–"
    return f"about {number(one.num_to_settle, 2)}"


def _split_text(split: VarianceParts) -> str:
    wanted = split.attempts_for()
    if wanted is None:
        return "All of the difference's variance is chance in sampling: more attempts help as much as more questions."
    more = f"; from {wanted} attempts a question on it would be a tenth or less" if split.sampling_share > 0.1 else ""
    return (
        f"Chance in sampling makes {split.sampling_share:.0%} of the difference's variance, which questions were asked "
        f"the rest{more}."
    )


def _what_it_takes(one: PairedDifference) -> str:
    if not math.isfinite(one.minimum_detectable):
        return "So few questions find no difference at all."
    found = f"{one.num_tasks} such questions find a true difference of {one.minimum_detectable:.3f} in 4 of 5 cases"
    needed = one.num_to_settle
    if needed is None or needed > _MANY:
        return f"{found}."
    return f"{found}; one as large as was seen takes about {number(needed, 2)}."


def _style(row: Row) -> str:
    if not row.difference.is_significant:
        return ""
    strength = "bold " if row.p_adjusted <= 0.05 else ""
    return strength + ("green" if row.difference.difference > 0 else "red")


def _number(one: PairedDifference) -> str:
    if one.num_clusters == one.num_tasks:
        return str(one.num_tasks)
    return f"{one.num_tasks} in {one.num_clusters}"


def _caption(found: Comparison) -> str:
    one = found.rows[0].difference
    notes = ["differences paired by question; could find: the true difference found in 4 of 5 cases"]
    if one.num_clusters < one.num_tasks:
        notes.append(f"clustered: n in clusters, design effect {number(one.design_effect, 2)}")
    if one.num_unpaired:
        notes.append(f"{one.num_unpaired} questions with a score on one side only left out")
    if one.num_excluded:
        notes.append(f"{one.num_excluded} attempts without a score left out")
    return "; ".join(notes)


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """`values` with what JSON has no number for as null, inside too."""
    return {
        key: _finite(value)
        if isinstance(value, dict)
        else None
        if isinstance(value, float) and not math.isfinite(value)
        else value
        for key, value in values.items()
    }
