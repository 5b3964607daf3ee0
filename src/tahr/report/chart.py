"""Line charts laid out as SVG coordinates; ``chart.html`` draws them, and its style sheet colours them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tahr.report.text import number

WIDTH, WIDE, HEIGHT = 360, 746, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 8, 24
_MAX_POINTS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A value at a step, with its interval where one is known (`low` and `high` equal `y` where not).

    Example: ``Point(x=3, y=0.42, low=0.36, high=0.48)``
    """

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One line, or separate `marks` with whiskers.

    Example: ``Series(label="reward", points=(point,), marks=False)``
    """

    label: str
    points: tuple[Point, ...]
    marks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A dot with a whisker, in SVG coordinates.

    Example: ``Mark(x=120.0, y=80.0, top=70.0, bottom=90.0, text="before: 0.42")``
    """

    x: float
    y: float
    top: float
    bottom: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A series in SVG coordinates: path data of its line and its band, its marks, the value it ends at.

    Example: ``Drawn(label="reward", last="0.93", line="M46,20 L350,12", band="", marks=())``
    """

    label: str
    last: str
    line: str
    band: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart ready to be drawn. Ticks are (position, label) pairs, `hovers` (left, width, text) strips.

    Example: ``Chart(title="Reward", note="", x_ticks=((46.0, "0"),), y_ticks=((166.0, "0"),), drawn=(drawn,),
    hovers=((46.0, 10.0, "step 1\\nreward 0.2"),), width=360, right=350)``
    """

    title: str
    note: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    drawn: tuple[Drawn, ...]
    hovers: tuple[tuple[float, float, str], ...]
    width: int
    right: int
    height: int = HEIGHT
    left: int = _LEFT
    top: int = _TOP
    bottom: int = HEIGHT - _BOTTOM


@dataclass(frozen=True, slots=True)
class _Scale:
    """Maps data to SVG coordinates."""

    x0: float
    x1: float
    y0: float
    y1: float
    width: int
    x_span: float = field(init=False)
    y_span: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "x_span", (self.x1 - self.x0) or 1.0)
        object.__setattr__(self, "y_span", (self.y1 - self.y0) or 1.0)

    def x(self, value: float) -> float:
        return round(_LEFT + (value - self.x0) / self.x_span * (self.width - _LEFT - _RIGHT), 1)

    def y(self, value: float) -> float:
        inside = min(max(value, self.y0), self.y1)
        return round(HEIGHT - _BOTTOM - (inside - self.y0) / self.y_span * (HEIGHT - _TOP - _BOTTOM), 1)


def plain(x: float, y: float) -> Point:
    """A point without an interval."""
    return Point(x=x, y=y, low=y, high=y)


def layout(title: str, series: Sequence[Series], *, note: str = "", width: int = WIDTH) -> Chart | None:
    """Place the series in one chart; None where no series has a finite value. Long lines are averaged in buckets."""
    series = [_thinned(one) for one in series]
    finite = [point for one in series for point in one.points if math.isfinite(point.y)]
    if not finite:
        return None
    bounds = [value for p in finite for value in (p.y, p.low, p.high) if math.isfinite(value)]
    y_ticks = ticks(min(bounds), max(bounds), 4)
    x_ticks = [
        value for value in ticks(min(p.x for p in finite), max(p.x for p in finite), width // 60) if value == int(value)
    ]
    scale = _Scale(min(p.x for p in finite), max(p.x for p in finite), y_ticks[0], y_ticks[-1], width)
    num_missing = sum(len(one.points) for one in series) - len(finite)
    if num_missing:
        note = f"{note} {num_missing} values are not finite.".strip()
    return Chart(
        title=title,
        note=note,
        x_ticks=tuple((scale.x(x), number(x)) for x in x_ticks if scale.x0 <= x <= scale.x1),
        y_ticks=tuple(zip(map(scale.y, y_ticks), tick_labels(y_ticks), strict=True)),
        drawn=tuple(_draw(one, scale) for one in series if one.points),
        hovers=tuple(_hovers(series, scale)),
        width=width,
        right=width - _RIGHT,
    )


def ticks(low: float, high: float, count: int) -> list[float]:
    """Round values (1, 2 or 5 times a power of ten apart) from at or below `low` to at or above `high`."""
    if high - low < 1e-12 * max(1.0, abs(high)):
        margin = abs(high) * 0.1
        low, high = (low - margin, high + margin) if margin > 1e-10 else (0.0, 1.0)
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{index * step:.12g}") for index in range(first, last + 1)]


def tick_labels(values: Sequence[float]) -> list[str]:
    """All with the decimals that their distance needs; powers of ten where those would be more than four."""
    step = values[1] - values[0]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if decimals > 4:
        powers = [f"{value:.1e}".replace(".0e", "e").replace("e-0", "e-").replace("-", "−") for value in values]
        return [power if value else "0" for power, value in zip(powers, values, strict=True)]
    return [f"{value:,.{decimals}f}".replace("-", "−") for value in values]


def _thinned(series: Series) -> Series:
    """At most `_MAX_POINTS` points: each the mean of a bucket of neighbours."""
    size = math.ceil(len(series.points) / _MAX_POINTS)
    if size <= 1 or series.marks:
        return series
    buckets = [series.points[start : start + size] for start in range(0, len(series.points), size)]
    points = tuple(
        Point(
            x=bucket[len(bucket) // 2].x,
            y=sum(p.y for p in bucket) / len(bucket),
            low=sum(p.low for p in bucket) / len(bucket),
            high=sum(p.high for p in bucket) / len(bucket),
        )
        for bucket in buckets
    )
    return Series(label=series.label, points=points)


def _draw(series: Series, scale: _Scale) -> Drawn:
    finite = [point for point in series.points if math.isfinite(point.y)]
    last = number(finite[-1].y) if finite else ""
    if series.marks:
        marks = tuple(
            Mark(
                x=scale.x(p.x),
                y=scale.y(p.y),
                top=scale.y(p.high),
                bottom=scale.y(p.low),
                text=f"{series.label}, step {number(p.x)}: {number(p.y)} ({number(p.low)} to {number(p.high)})",
            )
            for p in finite
        )
        return Drawn(label=series.label, last=last, line="", band="", marks=marks)
    banded = [p for p in finite if p.high > p.low]
    upper = [f"{scale.x(p.x)},{scale.y(p.high)}" for p in banded]
    lower = [f"{scale.x(p.x)},{scale.y(p.low)}" for p in reversed(banded)]
    band = f"M{' L'.join([*upper, *lower])} Z" if len(banded) > 1 else ""
    return Drawn(label=series.label, last=last, line=_line(series.points, scale), band=band, marks=())


def _line(points: Sequence[Point], scale: _Scale) -> str:
    """Path data; a value that is not finite leaves a gap."""
    parts: list[str] = []
    pen_down = False
    for p in points:
        if not math.isfinite(p.y):
            pen_down = False
            continue
        parts.append(f"{'L' if pen_down else 'M'}{scale.x(p.x)},{scale.y(p.y)}")
        pen_down = True
    # A lone point needs a stroke of no length to show at all.
    return " ".join(f"{part} h0" if part[0] == "M" else part for part in parts)


def _hovers(series: Sequence[Series], scale: _Scale) -> list[tuple[float, float, str]]:
    """Strips halfway to each neighbouring step, each with the values there."""
    lines = [one for one in series if not one.marks]
    values: dict[float, list[str]] = {x: [] for x in sorted({point.x for one in lines for point in one.points})}
    for one in lines:
        for point in one.points:
            values[point.x].append(f"{one.label} {number(point.y, 4)}")
    steps = list(values)
    edges = [steps[0], *((a + b) / 2 for a, b in pairwise(steps)), steps[-1]] if steps else []
    strips = [(scale.x(left), scale.x(right)) for left, right in pairwise(edges)]
    texts = ["\n".join([f"step {number(x)}", *values[x]]) for x in steps]
    return [(left, max(1.0, round(right - left, 1)), text) for (left, right), text in zip(strips, texts, strict=True)]
