"""Pictures of many tests."""

from __future__ import annotations

import numpy as np
import pytest

import reports
import views
from kmerf.figures import canvas
from kmerf.pictures import of_studies
from kmerf.report.svg import draw, frame_of
from power_curves import made_curve


def words(picture):
    return [mark for mark in picture.marks if type(mark).__name__ == "Words"]


def test_names_of_a_screen_cover_neither_each_other_nor_the_edge():
    picture = of_studies.screen(reports.screen(), 12)
    named, (left, right), top = words(picture), picture.x.limits, picture.y.limits[1]
    assert len(named) == 7
    for i, one in enumerate(named):
        half = 0.005 * len(one.text) * (right - left)
        assert left <= one.x - half
        assert one.x + half <= right
        assert one.y < top
        for other in named[:i]:
            apart = abs(one.x - other.x) > half or abs(one.y - other.y) > 0.03 * top
            assert apart, (one.text, other.text)


def test_what_was_not_tested_is_marked_on_the_axis_of_a_page():
    drawn = draw(of_studies.screen(views.screen(), 12))
    assert "<title>not tested</title>" in drawn
    assert all(f">{name}<" in drawn for name in ("g0", "g1", "g2", "g3"))  # few columns have their names
    assert "<title>not tested</title>" not in draw(of_studies.screen(views.screen((0.2, 0.3)), 12))


def test_points_of_many_columns_are_few_elements():
    drawn = draw(of_studies.screen(reports.screen(3000), 12))
    assert drawn.count("<path") <= 5
    assert drawn.count("h0") == 2999


@pytest.mark.parametrize(
    "picture",
    [
        of_studies.power_curve(made_curve()),
        of_studies.tail({"a": np.linspace(0.001, 1.0, 90)}, 1e-3, "t"),
        of_studies.rotations(10.0, "paper", 0, 20)[0],
        of_studies.pvalue_histogram(views.screen()),
        of_studies.screen(views.screen(), 3),
    ],
    ids=["power", "tail", "rotation", "histogram", "screen"],
)
def test_both_renderers_draw_every_mark(picture):
    drawn = draw(picture)
    assert "nan" not in drawn
    assert "inf" not in drawn
    frame = frame_of(picture)
    assert 0.0 < frame.left < frame.end < frame.width
    ax = canvas.draw(picture, canvas.axes_for(None, (9.0, 4.4)))
    ax.figure.draw_without_rendering()
    assert len([*ax.lines, *ax.collections, *ax.patches, *ax.texts]) >= len(picture.marks)
    assert ax.get_xlabel() == picture.x.label


def test_the_first_test_is_in_front_and_single_points_stand_side_by_side():
    cells = [cell for cell in reports.powers() if cell.data.name == "linear" and cell.data.p == 3]
    lines = {(cell.test, cell.rule): cell.test for cell in cells}
    picture = of_studies.power_panel(cells, lines, "p")
    series = [mark for mark in picture.marks if mark.label]
    assert series[-1].group == 0
    places = [mark.columns[0][0] for mark in series]
    assert len(set(places)) == len(series) == 3
    assert series[-1].titles == ("KMERF: 0.723 (0.640 to 0.800) at p = 3",)
