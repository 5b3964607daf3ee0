"""A compact figure of what a run achieved, for a README or a slide: training reward, and held out before and after."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from tahr.core.errors import InputError
from tahr.evaluation.statistics import Difference
from tahr.report.curves import reward_points
from tahr.report.figure import ACCENT, INK, PALE, RULE, check_format, write_figure
from tahr.report.gain import all_differences, before_and_after
from tahr.report.text import interval, signed, visible_text
from tahr.store.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def write_picture(run: Run, path: Path) -> Path:
    """Write the figure as PNG or SVG, by the ending of `path`; the same run gives the same file.

    Raises UnknownNameError on another ending, InputError where the run has no held-out comparison, ResourceError on a
    full disk.
    """
    check_format(path)
    pair = before_and_after(run.evaluations())
    if pair is None:
        raise InputError(
            f"the run {run.folder} has no evaluation before and after training",
            instead="a run of a recipe with an [eval] section that has ended",
        )
    overall = [one for one in all_differences(*pair) if not one.domain]

    def draw(figure: Figure) -> None:
        grid = figure.add_gridspec(1, 2, width_ratios=(1.25, 1), wspace=0.08)
        _draw_curve(figure.add_subplot(grid[0]), run)
        _draw_bars(figure.add_subplot(grid[1]), overall)

    return write_figure(path, (9.2, 3.1), draw)


def _draw_curve(axes: Axes, run: Run) -> None:
    """Reward of each training step with the interval over its groups; the last stage that has a reward."""
    from matplotlib.ticker import MaxNLocator

    stages = [row.stage for row in run.metrics() if "reward" in row.metrics]
    axes.set_title("Reward while training")
    axes.grid(axis="y", color=RULE)
    axes.set_xlabel("step")
    if not stages:
        return
    points = [point for point in reward_points(run, stages[-1]) if math.isfinite(point.y)]
    steps = [point.x for point in points]
    axes.fill_between(
        steps, [point.low for point in points], [point.high for point in points], color=ACCENT, alpha=0.15, linewidth=0
    )
    axes.plot(steps, [point.y for point in points], color=ACCENT, linewidth=1.8)
    axes.margins(x=0.02)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_bars(axes: Axes, differences: list[Difference]) -> None:
    """Before and after of the reward and its parts, with 95% intervals, and the paired difference in words."""
    places = list(range(len(differences)))
    height = 0.36
    for offset, label, color in ((-height / 2, "before", PALE), (height / 2, "after", ACCENT)):
        means = [one.before if label == "before" else one.after for one in differences]
        spread = [[mean.mean - mean.low for mean in means], [mean.high - mean.mean for mean in means]]
        axes.barh(
            [place + offset for place in places],
            [mean.mean for mean in means],
            height=height,
            color=color,
            label=label,
            xerr=spread,
            error_kw={"ecolor": INK, "elinewidth": 0.9, "capsize": 0},
        )
    axes.set_yticks(places, [visible_text(one.part.replace("_", " "), 40) for one in differences], color=INK)
    axes.invert_yaxis()
    main = differences[0]
    change = f"{signed(main.difference)} ({interval(main.low, main.high)})"
    axes.set_title(f"Held-out reward {change}")
    axes.set_xlabel(f"{main.num_tasks} held-out tasks, paired; lines are 95% intervals")
    axes.grid(axis="x", color=RULE)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=1, borderaxespad=0)
