from pathlib import Path

import pytest

from tahr.core.errors import UnknownNameError
from tahr.evaluation.clustered import clustered_mean
from tahr.evaluation.scaling.curves import Curve, make_point, slope_of
from tahr.evaluation.scaling.samples import Question
from tahr.evaluation.scaling.study import Study
from tahr.report.scaling_picture import apart, curve_colors, write_scaling_picture
from tahr.report.scaling_text import scaling_paragraph


def curve(name: str, ends: tuple[float, float], *, is_bound: bool = False, ceilings: float = 1.0) -> Curve:
    points = tuple(
        make_point(knob, [100.0 * knob] * 40, [1.0] * round(40 * end) + [0.0] * (40 - round(40 * end)), 0.0, [""] * 40)
        for knob, end in zip((1, 2), ends, strict=True)
    )
    return Curve(
        name=name,
        knob="attempts",
        is_bound=is_bound,
        points=points,
        slope=slope_of(points, [""] * 40),
        ceilings=(1.0,) * round(40 * ceilings) + (0.0,) * (40 - round(40 * ceilings)),
    )


def study(*curves: Curve) -> Study:
    asked = Question(task_id="a", prompt="?", cluster="", num_prompt_tokens=1, attempts=())
    return Study(
        conditions=None,
        questions=(asked,) * 40,
        num_samples=8,
        num_chains=0,
        num_dropped=0,
        curves=curves,
        repeated=(),
        pointless=(),
    )


ORACLE = curve("oracle", (0.25, 0.75), is_bound=True)


def test_the_paragraph_says_what_rises_and_where_it_is_stuck():
    text = scaling_paragraph(study(curve("majority", (0.25, 0.5), ceilings=0.6), ORACLE))
    assert "The highest of the 1 of 1 curves that rise is majority: 0.250 at 100 tokens, 0.500 at 200" in text
    assert "+0.250 a doubling of the tokens" in text
    assert "oracle); majority finds 0.500, and without end would end at 0.600: on 40% of the questions" in text
    assert "Nothing was repeated with other seeds." in text


def test_the_paragraph_claims_nothing_of_a_flat_or_a_falling_curve():
    flat = scaling_paragraph(study(curve("majority", (0.25, 0.25)), ORACLE))
    assert "No doubling of the tokens gains anything" in flat
    assert "More tokens make it worse" not in flat
    falling = scaling_paragraph(study(curve("majority", (0.75, 0.25)), ORACLE))
    assert "More tokens make it worse with majority." in falling


def test_names_stand_apart_near_their_lines_and_inside_the_panel():
    assert apart([0.5, 0.5], 0.1, 0.0, 1.0) == pytest.approx([0.45, 0.55])
    assert apart([0.2, 0.9], 0.1, 0.0, 1.0) == [0.2, 0.9]
    assert apart([0.0, 0.0, 0.0], 0.1, 0.0, 1.0) == pytest.approx([0.0, 0.1, 0.2])
    heights = apart([1.0, 0.96, 0.9, 0.1], 0.1, 0.0, 1.0)
    assert heights == pytest.approx([1.0, 0.9, 0.8, 0.1])


def test_each_curve_has_a_colour_of_its_own_and_bounds_are_grey():
    colors = curve_colors([curve("majority", (0, 1)), curve("best by scores", (0, 1)), ORACLE])
    assert colors["majority"] != colors["best by scores"]
    assert colors["oracle"] == colors["random verifier"]


def test_equal_studies_give_equal_pictures(tmp_path: Path):
    one = study(curve("majority", (0.25, 0.5)), ORACLE)
    first = write_scaling_picture(one, tmp_path / "a.svg").read_bytes()
    assert write_scaling_picture(one, tmp_path / "b.svg").read_bytes() == first
    with pytest.raises(UnknownNameError):
        write_scaling_picture(one, tmp_path / "a.gif")


def test_the_interval_of_a_point_is_over_questions():
    point = curve("majority", (0.25, 0.5)).points[0]
    assert point.mean == clustered_mean([1.0] * 10 + [0.0] * 30, [""] * 40, bounds=(0.0, 1.0))
