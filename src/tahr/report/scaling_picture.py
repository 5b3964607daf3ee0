"""The picture of a study of test-time computing: every curve on a logarithmic and on a linear axis of tokens, where
each question would end, and how many answers were cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from tahr.evaluation.scaling.curves import Curve
from tahr.evaluation.scaling.rules import MAJORITY, ORACLE, RANDOM
from tahr.evaluation.scaling.study import Study
from tahr.report.figure import ACCENT, INK, MUTED, RULE, log_axis, write_figure
from tahr.report.text import visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLORS = (ACCENT, "#d1495b", "#00798c", "#b8860b", "#7b4fa6", "#3f7d20", "#c2571a", "#5b6c8f")
_BOUNDS = {ORACLE: "#98a2b3", RANDOM: "#98a2b3"}
_APART = 0.052
"""Least distance of two names beside a panel, as a share of its height."""


def write_scaling_picture(study: Study, path: Path) -> Path:
    """Write the picture as PNG or SVG, by the ending of `path`; the same study gives the same file.

    Raises UnknownNameError on another ending, ResourceError on a full disk.
    """
    colors = curve_colors(study.curves)

    def draw(figure: Figure) -> None:
        grid = figure.add_gridspec(2, 2, height_ratios=(1.6, 1), wspace=0.04, hspace=0.08)
        _draw_curves(figure.add_subplot(grid[0, 0]), study, colors, is_log=True)
        _draw_curves(figure.add_subplot(grid[0, 1]), study, colors, is_log=False)
        _draw_ceilings(figure.add_subplot(grid[1, 0]), study, colors)
        _draw_truncated(figure.add_subplot(grid[1, 1]), study, colors)
        figure.suptitle(_headline(study), x=0.01, ha="left", fontsize=13, fontweight="bold")
        figure.supxlabel(_caption(study), x=0.01, ha="left", fontsize=9, color=MUTED)

    return write_figure(path, (14.0, 8.6), draw)


def curve_colors(curves: Sequence[Curve]) -> dict[str, str]:
    """A colour for each curve by name; the bounds are grey."""
    usable = [curve.name for curve in curves if not curve.is_bound]
    return {**{name: _COLORS[place % len(_COLORS)] for place, name in enumerate(usable)}, **_BOUNDS}


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Heights near `wanted`, in the same order, at least `gap` from each other and within `low` and `high`.

    >>> apart([0.5, 0.5], 0.1, 0.0, 1.0)
    [0.45, 0.55]
    """
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    gap = min(gap, (high - low) / max(1, len(order) - 1))
    blocks: list[tuple[list[int], float]] = []
    for place in order:
        members, middle = [place], wanted[place]
        while True:
            half = gap * (len(members) - 1) / 2
            middle = min(max(middle, low + half), high - half)
            if not blocks or middle - half - gap >= blocks[-1][1] + gap * (len(blocks[-1][0]) - 1) / 2 - 1e-12:
                break
            before, _ = blocks.pop()
            members = [*before, *members]
            middle = fmean(wanted[one] - gap * (rank - (len(members) - 1) / 2) for rank, one in enumerate(members))
        blocks.append((members, middle))
    heights = [0.0] * len(wanted)
    for members, middle in blocks:
        for rank, place in enumerate(members):
            heights[place] = middle + gap * (rank - (len(members) - 1) / 2)
    return heights


def _draw_curves(axes: Axes, study: Study, colors: dict[str, str], *, is_log: bool) -> None:
    """Accuracy against all tokens; a band is the 95% interval over questions, of a few curves."""
    shown = [curve for curve in study.curves if curve.points]
    for curve in shown:
        tokens = [point.tokens for point in curve.points]
        color, style = colors[curve.name], "--" if curve.is_bound else "-"
        axes.plot(
            tokens, [point.mean.mean for point in curve.points], style, color=color, marker="o", ms=3.2, linewidth=1.7
        )
        if _has_band(curve):
            low, high = zip(*((point.mean.low, point.mean.high) for point in curve.points), strict=True)
            axes.fill_between(tokens, low, high, color=color, alpha=0.09, linewidth=0)
    if is_log:
        log_axis(axes, [point.tokens for curve in shown for point in curve.points])
    else:
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    _draw_repeated(axes, study, colors)
    axes.set_ylim(*_span(shown))
    axes.grid(axis="y", color=RULE)
    axes.set_title(
        "Accuracy, each doubling of tokens the same width" if is_log else "The same, each token the same width"
    )
    axes.set_xlabel("all tokens for one answer, a selector's included" + (" (logarithmic)" if is_log else " (linear)"))
    _name_ends(axes, shown, [curve.points[-1].mean.mean for curve in shown], colors)


def _draw_repeated(axes: Axes, study: Study, colors: dict[str, str]) -> None:
    """A hollow point where each curve's end lay with other seeds."""
    again = {one.name: one.difference.mean for one in study.repeated}
    for curve in study.curves:
        if curve.name in again:
            end = curve.points[-1]
            color = colors[curve.name]
            axes.plot(
                end.tokens, end.mean.mean + again[curve.name], "o", mec=color, mfc="white", ms=5.5, mew=1.1, zorder=1.5
            )


def _span(curves: Sequence[Curve]) -> tuple[float, float]:
    """The accuracies that lines and bands reach, and a little more; never narrower than a tenth."""
    lows = [point.mean.low if _has_band(curve) else point.mean.mean for curve in curves for point in curve.points]
    highs = [point.mean.high if _has_band(curve) else point.mean.mean for curve in curves for point in curve.points]
    low, high = min(lows), max(highs)
    room = max(0.04, 0.06 * (high - low))
    return max(-0.015, low - room), min(1.015, high + room)


def _has_band(curve: Curve) -> bool:
    return curve.name == MAJORITY or curve.knob != "attempts"


def _draw_truncated(axes: Axes, study: Study, colors: dict[str, str]) -> None:
    shown = [curve for curve in study.curves if curve.points]
    for curve in shown:
        axes.plot(
            [point.tokens for point in curve.points],
            [point.truncated for point in curve.points],
            "--" if curve.is_bound else "-",
            color=colors[curve.name],
            marker="o",
            ms=2.6,
            linewidth=1.4,
        )
    log_axis(axes, [point.tokens for curve in shown for point in curve.points])
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(axis="y", color=RULE)
    axes.set_title("Answers that were cut off by the limit of tokens")
    axes.set_xlabel("all tokens for one answer (logarithmic)")
    alike: dict[float, list[Curve]] = {}
    for curve in shown:
        alike.setdefault(round(curve.points[-1].truncated, 2), []).append(curve)
    firsts = [of_height[0] for of_height in alike.values()]
    more = {of_height[0].name: len(of_height) - 1 for of_height in alike.values()}
    _name_ends(axes, firsts, [curve.points[-1].truncated for curve in firsts], colors, gap=0.085, more=more)


def _name_ends(
    axes: Axes,
    curves: Sequence[Curve],
    ends: Sequence[float],
    colors: dict[str, str],
    *,
    gap: float = _APART,
    more: Mapping[str, int] | None = None,
) -> None:
    """Each curve's name beside the panel, at the height where it ends, with a thin line to there; `more` counts the
    curves that one name stands for besides."""
    low, high = axes.get_ylim()
    right = axes.get_xlim()[1]
    shares = [(end - low) / (high - low) for end in ends]
    transform = axes.get_yaxis_transform()
    for curve, end, share in zip(curves, ends, apart(shares, gap, 0.0, 1.0), strict=True):
        color = MUTED if curve.is_bound else colors[curve.name]
        height = low + share * (high - low)
        axes.plot([curve.points[-1].tokens, right], [end, end], color=color, linewidth=0.6, linestyle=":")
        axes.plot([1.0, 1.025], [end, height], color=color, linewidth=0.6, transform=transform, clip_on=False)
        others = (more or {}).get(curve.name, 0)
        label = f"{visible_text(curve.name, 34)} and {others} more" if others else _label(curve)
        axes.text(1.03, height, label, color=color, va="center", fontsize=8.5, transform=transform)
    axes.set_xlim(right=right)


def _label(curve: Curve) -> str:
    knob = {"attempts": f"of {curve.points[-1].knob}", "rounds of revision": f"{curve.points[-1].knob} rounds"}.get(
        curve.knob, f"{curve.points[-1].knob} tokens"
    )
    return f"{visible_text(curve.name, 34)}, {knob}"


def _draw_ceilings(axes: Axes, study: Study, colors: dict[str, str]) -> None:
    """For each rule, the shares of questions on which endless attempts end right, wrong, or in between."""
    shown = [curve for curve in study.curves if curve.ceilings]
    axes.set_title("Where endless attempts would end, question by question")
    for place, curve in enumerate(shown):
        wrong = fmean(one <= 0 for one in curve.ceilings)
        right = fmean(one >= 1 for one in curve.ceilings)
        parts = (
            (right, colors[curve.name], 0.85, "right"),
            (1 - right - wrong, colors[curve.name], 0.35, "in between"),
        )
        left = 0.0
        for width, color, alpha, word in (*parts, (wrong, RULE, 1.0, "wrong")):
            axes.barh(place, width, left=left, color=color, alpha=alpha, height=0.72)
            if width >= 0.16:
                ink = "white" if word == "right" else INK
                axes.text(
                    left + width / 2, place, f"{word} {width:.0%}", ha="center", va="center", color=ink, fontsize=8
                )
            left += width
    axes.set_yticks(range(len(shown)), [""] * len(shown))
    for place, curve in enumerate(shown):
        color = MUTED if curve.is_bound else colors[curve.name]
        name = visible_text(curve.name, 34)
        axes.text(1.03, place, name, color=color, va="center", fontsize=8.5, transform=axes.get_yaxis_transform())
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel("share of the questions")


def _headline(study: Study) -> str:
    about = study.conditions
    asked = f": {visible_text(Path(about.model).name, 50)} on {visible_text(about.suite, 50)}" if about else ""
    return f"Test-time computing{asked}"


def _caption(study: Study) -> str:
    chance = " Hollow: the same with other seeds." if study.repeated else ""
    return (
        f"One knob is turned on each curve: {', '.join(dict.fromkeys(curve.knob for curve in study.curves))}. "
        f"{len(study.questions)} questions, {study.num_samples} attempts each ({study.num_chains} for what is not of "
        f"attempts).\nBands: 95% intervals over questions.{chance} Dashed: who knows all, and who knows nothing."
    )
