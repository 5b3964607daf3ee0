"""How pictures for a README or a slide look, and how they are written: PNG or SVG, equal data giving equal files."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tahr.core.errors import UnknownNameError
from tahr.report.text import number
from tahr.store.files import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
INK, MUTED, RULE, PALE, ACCENT = "#1a1d21", "#667085", "#e6e8ec", "#b9c3d3", "#2a66d9"
HUES = (ACCENT, "#c2571a", "#1e8a5a", "#8b46b8", "#a3243b", "#7a6a10")
"""Colours of things that stand side by side, dark enough for words on white."""

STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": RULE,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "ytick.left": False,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "svg.hashsalt": "tahr",  # equal data give equal files
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A word beside a point, in the colour of what it names.

    Example: ``Name(x=64, y=0.7, text="majority", color=ACCENT)``
    """

    x: float
    y: float
    text: str
    color: str = INK


def write_figure(path: Path, size: tuple[float, float], draw: Callable[[Figure], None]) -> Path:
    """Let `draw` fill a figure of `size` inches and write it, by the ending of `path`.

    Raises UnknownNameError on an ending that is no format, ResourceError on a full disk.
    """
    kind = check_format(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))  # inches
        draw(figure)
        buffer = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(buffer, format=kind, dpi=200, facecolor="white", metadata=metadata)
    write_file(path, buffer.getvalue())
    return path


def check_format(path: Path) -> str:
    """The format that a path asks for. Raises UnknownNameError on another ending."""
    kind = path.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise UnknownNameError("picture format", kind, FORMATS)
    return kind


def prepare(axes: Axes, title: str, across: str, up: str) -> None:
    """Title, names of both axes, a pale grid."""
    axes.set_title(title)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(color=RULE, linewidth=0.8)


def name_beside(axes: Axes, names: Sequence[Name], *, apart: float = 0.075, inward: bool = False) -> None:
    """Write each name right of its point, or `inward`: on that side where the panel has more room.

    Names that would lie on one another move up or down, `apart` (a share of the axis) from each other. The axis's
    limits must be set.
    """
    low, high = axes.get_ylim()
    ordered = sorted(names, key=lambda one: one.y)
    heights = [(one.y - low) / (high - low) for one in ordered]
    for place in range(1, len(heights)):
        heights[place] = max(heights[place], heights[place - 1] + apart)
    # what was pushed out above comes down again, and pushes what is below it
    ceiling = 1.0
    for place in reversed(range(len(heights))):
        heights[place] = min(heights[place], ceiling)
        ceiling = heights[place] - apart
    to_share = axes.transScale + axes.transLimits
    for one, height in zip(ordered, heights, strict=True):
        before = inward and to_share.transform((one.x, one.y))[0] > 0.5
        axes.annotate(
            one.text,
            (one.x, low + height * (high - low)),
            (-6 if before else 5, 0),
            textcoords="offset points",
            ha="right" if before else "left",
            va="center",
            color=one.color,
            annotation_clip=False,
            path_effects=halo(),
        )


def halo() -> Any:
    """A white rim that keeps words legible where they lie on a line."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2.5, foreground="white")]


def log_axis(axes: Axes, values: Sequence[float]) -> None:
    """A logarithmic horizontal axis for `values`, which are above 0, with plain numbers (1, 2 or 5 of a decade)."""
    low, high = min(values) / 1.15, max(values) * 1.15
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)):
        ticks = [step * 10.0**decade for decade in decades for step in steps if low <= step * 10.0**decade <= high]
        if len(ticks) > 2:
            break
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_xticks(ticks, [number(tick, 2) for tick in ticks])
    axes.set_xticks([], minor=True)


def write_inside(axes: Axes, text: str) -> None:
    """A muted line in the middle of a panel that has nothing to show."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=MUTED, wrap=True)
