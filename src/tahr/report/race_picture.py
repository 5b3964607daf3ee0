"""The picture of a race: score against each cost, the frontier, and the margin below the best."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tahr.core.errors import InputError
from tahr.evaluation.race import COSTS, Cost, Place, Race
from tahr.report.figure import ACCENT, HUES, MUTED, PALE, Name, log_axis, name_beside, prepare, write_figure
from tahr.report.race_table import UNITS
from tahr.report.text import told_apart, visible_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLORS = {"best": ACCENT, "within": HUES[2], "undecided": HUES[5], "worse": HUES[4]}


def write_race_picture(found: Race, path: Path) -> Path:
    """Draw one panel for each cost that at least two entries tell, into a .png or .svg file.

    Raises InputError where there is no such cost, UnknownNameError on another ending.
    """
    shown: list[Cost] = [cost for cost in COSTS if sum(place.costs[cost] is not None for place in found.places) > 1]
    if not shown:
        raise InputError(
            "no two entries tell the same cost",
            instead="evaluations by tahr eval MODEL --suite NAME",
        )

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(shown), squeeze=False, sharey=True)[0]
        names = [place.name for place in found.places]
        short = dict(zip(names, told_apart(names)[1], strict=True))
        for axes, cost in zip(panels, shown, strict=True):
            _draw(axes, found, cost, short)
        panels[0].set_ylabel(f"{visible_text(found.part, 40)}, {found.num_tasks} questions")

    return write_figure(path, (5.2 * len(shown), 3.9), draw)


def _draw(axes: Axes, found: Race, cost: Cost, short: Mapping[str, str]) -> None:
    prepare(axes, f"By {cost}", f"{UNITS[cost]} (log)", "")
    points = [(x, place) for place in found.places if (x := _cost(place, cost)) is not None]
    log_axis(axes, [x for x, _ in points])
    best = found.places[0].score.mean
    axes.axhspan(best - found.margin, best, color=ACCENT, alpha=0.1, linewidth=0)
    axes.annotate(
        f"within {found.margin:g} of the best",
        (0, best - found.margin),
        (3, -11),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        color=MUTED,
    )
    frontier = sorted((x, place.score.mean) for x, place in points if cost in place.frontier)
    axes.step([x for x, _ in frontier], [y for _, y in frontier], where="post", color=PALE, linewidth=1.4)
    for x, place in points:
        of, color = place.score, _COLORS[place.standing]
        axes.errorbar(
            x,
            of.mean,
            yerr=[[of.mean - of.low], [of.high - of.mean]],
            color=color,
            elinewidth=0.9,
            marker="o" if cost in place.frontier else "s",
            markersize=6 if found.cheapest.get(cost) == place.name else 4,
        )
    lows, highs = ([getattr(place.score, end) for place in found.places] for end in ("low", "high"))
    room = 0.06 * (max(highs) - min(lows) or 1)
    axes.set_ylim(min(lows) - room, max(highs) + room)
    name_beside(axes, [_name(found, place, x, cost, short[place.name]) for x, place in points], inward=True)


def _name(found: Race, place: Place, x: float, cost: Cost, name: str) -> Name:
    cheapest = found.cheapest.get(cost) == place.name
    words = {"best": "the best", "within": "within", "undecided": "undecided", "worse": "worse"}[place.standing]
    text = f"{visible_text(name, 24)}: {words}{', cheapest' if cheapest else ''}"
    return Name(x=x, y=place.score.mean, text=text, color=_COLORS[place.standing])


def _cost(place: Place, cost: Cost) -> float | None:
    value = place.costs[cost]
    return None if not value else value / 1e6 if cost == "size" else value
