import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.report.chart import Point, Series, layout, plain, tick_labels, ticks


def line(*values: float) -> Series:
    return Series(label="y", points=tuple(plain(step, value) for step, value in enumerate(values)))


@pytest.mark.parametrize(
    ("low", "high", "expected", "labels"),
    [
        (0.0, 1.0, [0.0, 0.5, 1.0], ["0.0", "0.5", "1.0"]),
        (0.13, 0.74, [0.0, 0.2, 0.4, 0.6, 0.8], ["0.0", "0.2", "0.4", "0.6", "0.8"]),
        (-3.0, 4.0, [-4.0, -2.0, 0.0, 2.0, 4.0], ["−4", "−2", "0", "2", "4"]),
        (1000.0, 5000.0, [1000.0, 2000.0, 3000.0, 4000.0, 5000.0], ["1,000", "2,000", "3,000", "4,000", "5,000"]),
        (0.0, 3e-6, [0.0, 1e-6, 2e-6, 3e-6], ["0", "1e−6", "2e−6", "3e−6"]),
        (0.0, 0.0, [0.0, 0.5, 1.0], ["0.0", "0.5", "1.0"]),
        (5.0, 5.0, [4.5, 5.0, 5.5], ["4.5", "5.0", "5.5"]),
    ],
)
def test_ticks_are_round(low: float, high: float, expected: list[float], labels: list[str]) -> None:
    found = ticks(low, high, 4)
    assert found == pytest.approx(expected)
    assert tick_labels(found) == labels


def test_a_line_goes_from_corner_to_corner() -> None:
    chart = layout("y", [line(0.0, 1.0, 0.5)])
    assert chart is not None
    # Left 46, right 350, top 8, bottom 166.
    assert chart.drawn[0].line == "M46.0,166.0 h0 L198.0,8.0 L350.0,87.0"
    assert chart.drawn[0].last == "0.500"
    assert chart.hovers[1] == (122.0, 152.0, "step 1\ny 1")


def test_values_that_are_not_finite_leave_a_gap() -> None:
    chart = layout("y", [line(0.0, math.nan, 1.0, math.inf)], note="units")
    assert chart is not None
    assert chart.drawn[0].line == "M46.0,166.0 h0 M350.0,8.0 h0"
    assert chart.note == "units 2 values are not finite."
    assert layout("y", [line(math.nan)]) is None
    assert layout("y", []) is None


def test_a_band_surrounds_its_line() -> None:
    points = tuple(Point(x=x, y=0.5, low=0.0, high=1.0) for x in (0, 1))
    chart = layout("y", [Series(label="y", points=points)])
    assert chart is not None
    assert chart.drawn[0].band == "M46.0,8.0 L350.0,8.0 L350.0,166.0 L46.0,166.0 Z"


def test_a_long_line_is_averaged() -> None:
    chart = layout("y", [line(*([0.0, 1.0] * 5000))])
    assert chart is not None
    assert chart.drawn[0].line.count("L") < 300
    assert len(chart.hovers) <= 300


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=30))
def test_any_values_stay_inside_the_frame(values: list[float]) -> None:
    chart = layout("y", [line(*values)])
    assert chart is not None
    numbers = [pair.split(",") for pair in chart.drawn[0].line.replace("M", "").replace("L", "").split() if "," in pair]
    for x, y in numbers:
        assert chart.left - 0.1 <= float(x) <= chart.right + 0.1
        assert chart.top - 0.1 <= float(y) <= chart.bottom + 0.1
    assert 2 <= len(chart.y_ticks) <= 8
