"""Words in pictures."""

from matplotlib.figure import Figure

from tahr.report.figure import Name, log_axis, name_beside


def test_names_stand_where_the_panel_has_room() -> None:
    axes = Figure().add_subplot()
    log_axis(axes, [1, 1000])
    axes.set_ylim(0, 1)
    points = [Name(x=2, y=0.2, text="left"), Name(x=900, y=0.8, text="right")]
    name_beside(axes, points, inward=True)
    name_beside(axes, points)
    assert [one.get_ha() for one in axes.texts] == ["left", "right", "left", "left"]
    assert [one.get_text() for one in axes.texts] == ["left", "right"] * 2
