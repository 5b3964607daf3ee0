"""A compact figure of what a run achieved, for a README or a slide: training reward, and held out before and after."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tahr.core.errors import InputError, UnknownNameError
from tahr.evaluation.statistics import Difference
from tahr.report.curves import reward_points
from tahr.report.gain import all_differences, before_and_after
from tahr.report.text import interval, signed, visible_text
from tahr.store.files import write_file
from tahr.store.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("png", "svg")
_INK, _MUTED, _RULE, _BEFORE, _AFTER = "#1a1d21", "#667085", "#e6e8ec", "#b9c3d3", "#2a66d9"
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "axes.labelcolor": _MUTED,
    "axes.edgecolor": _RULE,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "ytick.left": False,
    "text.parse_math": False,  # a dollar sign in a part's name is a dollar sign
    "svg.hashsalt": "tahr",  # equal runs give equal files
}


def write_picture(run: Run, path: Path) -> Path:
    """Write the figure as PNG or SVG, by the ending of `path`; the same run gives the same file.

    Raises UnknownNameError on another ending, InputError where the run has no held-out comparison, ResourceError on a
    full disk.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    kind = path.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise UnknownNameError("picture format", kind, FORMATS)
    pair = before_and_after(run.evaluations())
    if pair is None:
        raise InputError(
            f"the run {run.folder} has no evaluation before and after training",
            instead="a run of a recipe with an [eval] section that has ended",
        )
    overall = [one for one in all_differences(*pair) if not one.domain]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9.2, 3.1), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))  # inches
        grid = figure.add_gridspec(1, 2, width_ratios=(1.25, 1), wspace=0.08)
        _draw_curve(figure.add_subplot(grid[0]), run)
        _draw_bars(figure.add_subplot(grid[1]), overall)
        buffer = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(buffer, format=kind, dpi=200, facecolor="white", metadata=metadata)
    write_file(path, buffer.getvalue())
    return path


def _draw_curve(axes: Axes, run: Run) -> None:
    """Reward of each training step with the interval over its groups; the last stage that has a reward."""
    from matplotlib.ticker import MaxNLocator

    stages = [row.stage for row in run.metrics() if "reward" in row.metrics]
    axes.set_title("Reward while training")
    axes.grid(axis="y", color=_RULE)
    axes.set_xlabel("step")
    if not stages:
        return
    points = [point for point in reward_points(run, stages[-1]) if math.isfinite(point.y)]
    steps = [point.x for point in points]
    axes.fill_between(
        steps, [point.low for point in points], [point.high for point in points], color=_AFTER, alpha=0.15, linewidth=0
    )
    axes.plot(steps, [point.y for point in points], color=_AFTER, linewidth=1.8)
    axes.margins(x=0.02)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_bars(axes: Axes, differences: list[Difference]) -> None:
    """Before and after of the reward and its parts, with 95% intervals, and the paired difference in words."""
    places = list(range(len(differences)))
    height = 0.36
    for offset, label, color in ((-height / 2, "before", _BEFORE), (height / 2, "after", _AFTER)):
        means = [one.before if label == "before" else one.after for one in differences]
        spread = [[mean.mean - mean.low for mean in means], [mean.high - mean.mean for mean in means]]
        axes.barh(
            [place + offset for place in places],
            [mean.mean for mean in means],
            height=height,
            color=color,
            label=label,
            xerr=spread,
            error_kw={"ecolor": _INK, "elinewidth": 0.9, "capsize": 0},
        )
    axes.set_yticks(places, [visible_text(one.part.replace("_", " "), 40) for one in differences], color=_INK)
    axes.invert_yaxis()
    main = differences[0]
    change = f"{signed(main.difference)} ({interval(main.low, main.high)})"
    axes.set_title(f"Held-out reward {change}")
    axes.set_xlabel(f"{main.num_tasks} held-out tasks, paired; lines are 95% intervals")
    axes.grid(axis="x", color=_RULE)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=1, borderaxespad=0)
