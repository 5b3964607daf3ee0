"""The picture of an evaluation's effort: four questions, each with its panel; a row for each evaluation.

Lines are named where they end, so that nobody looks for them in a legend.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tahr.core.errors import InputError
from tahr.evaluation.effort.calibration import Calibration
from tahr.evaluation.effort.confidence import Origin
from tahr.evaluation.effort.summary import Effort, Worth
from tahr.report.figure import (
    ACCENT,
    HUES,
    INK,
    MUTED,
    PALE,
    Name,
    log_axis,
    name_beside,
    prepare,
    write_figure,
    write_inside,
)
from tahr.report.text import visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_ROWS = 6
_ROW_INCHES, _WIDTH_INCHES = 3.1, 14.0
_AT: Any = {"textcoords": "offset points"}


def write_effort_picture(found: Sequence[Effort], path: Path) -> Path:
    """Draw tokens by difficulty, accuracy by budget, calibration and abstention into a .png or .svg file.

    Raises InputError for more than `MAX_ROWS` evaluations or none, UnknownNameError on another ending.
    """
    if not 0 < len(found) <= MAX_ROWS:
        raise InputError(
            f"a picture takes one to {MAX_ROWS} evaluations",
            received=f"{len(found)}: {', '.join(one.name for one in found)}",
            instead="--only NAME",
        )

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(found), 4, squeeze=False)
        for row, one in zip(panels, found, strict=True):
            _draw_levels(row[0], one)
            _draw_budgets(row[1], one)
            _draw_reliability(row[2], one)
            _draw_abstention(row[3], one)
            if len(found) > 1:
                row[0].set_ylabel(f"{visible_text(one.name, 40)}\ntokens an attempt", color=INK)

    return write_figure(path, (_WIDTH_INCHES, _ROW_INCHES * len(found)), draw)


def _draw_levels(axes: Axes, found: Effort) -> None:
    prepare(axes, "Tokens by difficulty", "wrong among the other attempts", "tokens an attempt")
    if found.spending is None:
        write_inside(axes, "nobody counted tokens")
        return
    levels = found.spending.levels
    if not levels:
        write_inside(axes, "difficulty takes two attempts at a question")
        return
    middles = [(one.low + one.high) / 2 for one in levels]
    means = [one.tokens for one in levels]
    axes.errorbar(
        middles,
        [one.mean for one in means],
        yerr=[[one.mean - one.low for one in means], [one.high - one.mean for one in means]],
        color=INK,
        linewidth=1.6,
        elinewidth=0.9,
        marker="o",
        markersize=4,
    )
    ends: list[Name] = [Name(x=middles[-1], y=means[-1].mean, text="all")]
    for label, color, values in (
        ("right", ACCENT, [one.tokens_right for one in levels]),
        ("wrong", HUES[1], [one.tokens_wrong for one in levels]),
    ):
        known = [(x, y) for x, y in zip(middles, values, strict=True) if y is not None]
        if known:
            axes.plot(
                [x for x, _ in known], [y for _, y in known], color=color, linewidth=1.3, marker="o", markersize=3
            )
            ends.append(Name(x=known[-1][0], y=known[-1][1], text=label, color=color))
    axes.set_xlim(0, 1.0)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    reach = [one.high if math.isfinite(one.high) else one.mean for one in means]
    tallest = max(*reach, *(one.y for one in ends))
    axes.set_ylim(0, tallest * 1.08 or 1.0)
    name_beside(axes, ends)


def _draw_budgets(axes: Axes, found: Effort) -> None:
    prepare(axes, "Correct within a budget", "tokens at most (log)", "correct")
    if found.spending is None:
        write_inside(axes, "nobody counted tokens")
        return
    budgets = found.spending.budgets
    limits = [one.limit for one in budgets]
    finished = [one.finished for one in budgets]
    axes.fill_between(
        limits, [one.low for one in finished], [one.high for one in finished], color=ACCENT, alpha=0.15, linewidth=0
    )
    axes.plot(limits, [one.mean for one in finished], color=ACCENT, linewidth=1.8)
    log_axis(axes, limits)
    axes.set_ylim(0, 1)
    middle = len(limits) // 2
    axes.annotate("ended by then", (limits[middle], finished[middle].mean), (9, -12), color=ACCENT, **_AT)
    answered = [one.answered.mean for one in budgets if one.answered]
    if len(answered) == len(limits):
        # both lines end alike: each is named on its own side
        axes.plot(limits, answered, color=HUES[2], linewidth=1.3, linestyle=(0, (4, 2)))
        axes.annotate("answer stood", (limits[middle], answered[middle]), (-6, 5), color=HUES[2], ha="right", **_AT)


def _draw_reliability(axes: Axes, found: Effort) -> None:
    prepare(axes, "Is confidence true?", "confidence", "correct")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.plot([0, 1], [0, 1], color=PALE, linewidth=1)
    if not found.confidence:
        write_inside(axes, "no attempt has a confidence")
        return
    ends: list[Name] = []
    for color, (origin, worth) in zip(HUES, found.confidence.items(), strict=False):
        of = worth.calibration
        _draw_bins(axes, of, color, expected=len(found.confidence) == 1)
        last = of.bins[-1]
        text = f"{origin}, error {of.error:.2f}"
        ends.append(Name(x=last.confidence, y=last.correct.mean, text=text, color=color))
    name_beside(axes, ends)


def _draw_bins(axes: Axes, of: Calibration, color: str, *, expected: bool) -> None:
    """`expected`: also the band in which true confidences would lie, which several of would hide one another."""
    sure = [one.confidence for one in of.bins]
    right = [one.correct for one in of.bins]
    if expected:
        axes.fill_between(
            sure,
            [one.expected[0] for one in of.bins],
            [one.expected[1] for one in of.bins],
            color=color,
            alpha=0.12,
            linewidth=0,
        )
    axes.errorbar(
        sure,
        [one.mean for one in right],
        yerr=[[one.mean - one.low for one in right], [one.high - one.mean for one in right]],
        color=color,
        linewidth=1.5,
        elinewidth=0.8,
        marker="o",
        markersize=3.5,
    )


def _draw_abstention(axes: Axes, found: Effort) -> None:
    prepare(axes, "Is doubt worth heeding?", "answered, the surest first", "wrong among them")
    axes.set_xlim(0, 1)
    if not found.confidence:
        write_inside(axes, "no attempt has a confidence")
        return
    whole = next(iter(found.confidence.values())).abstention.risk
    axes.axhline(whole, color=PALE, linewidth=1)
    axes.annotate("answered in any order", (0, whole), (3, 3), color=MUTED, **_AT)
    starts: list[Name] = []
    for color, (origin, worth) in zip(HUES, found.confidence.items(), strict=False):
        of = worth.abstention
        axes.plot(of.coverages, of.risks, color=color, linewidth=1.6)
        place = len(of.risks) // 2
        starts.append(Name(x=of.coverages[place], y=of.risks[place], text=origin, color=color))
    axes.set_ylim(0, max(whole, 0.05) * 1.4)
    _draw_oracle(axes, found.confidence)
    name_beside(axes, starts)


def _draw_oracle(axes: Axes, confidence: Mapping[Origin, Worth]) -> None:
    """The risk of who knows which attempts are right, of the largest set of attempts."""
    of = max((worth.abstention for worth in confidence.values()), key=lambda one: one.num_attempts)
    right = 1 - of.risk
    risks = [max(0.0, 1 - right / coverage) for coverage in of.coverages]
    axes.plot(of.coverages, risks, color=PALE, linewidth=1.3, linestyle=(0, (4, 2)))
    axes.annotate("oracle", (1, of.risk / 3), (-4, 0), color=MUTED, ha="right", **_AT)
