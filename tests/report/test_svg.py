"""Drawing in SVG."""

from __future__ import annotations

import pytest

from kmerf.report.svg import Frame, axis_x, axis_y, figure, tag, ticks

FRAME = Frame(100.0, 60.0, (0.0, 10.0), (-1.0, 1.0), left=10.0, right=10.0, top=5.0, bottom=15.0)


def test_values_lie_inside_the_margins():
    assert [FRAME.across(v) for v in (0.0, 5.0, 10.0)] == [10.0, 50.0, 90.0]
    assert [FRAME.up(v) for v in (-1.0, 0.0, 1.0)] == [45.0, 25.0, 5.0]
    assert FRAME.floor == 45.0


def test_a_frame_without_extent_divides_by_nothing():
    assert Frame(100.0, 60.0, (3.0, 3.0), (0.0, 1.0)).across(3.0) == 44.0


def test_attributes_and_content_are_escaped():
    assert tag("text", "<b>", class_='"') == '<text class="&#34;">&lt;b&gt;</text>'
    assert tag("line", x1=1.26, x2=None) == '<line x1="1.3"></line>'


@pytest.mark.parametrize(("low", "high"), [(0.0, 97.0), (-0.02, 0.05), (1e6, 3e6), (0.0, 1e-9)])
def test_ticks_are_few_round_and_inside(low, high):
    marks = ticks(low, high)
    assert 2 <= len(marks) <= 8
    assert all(low - 1e-9 * (high - low) <= mark <= high + 1e-9 * (high - low) for mark in marks)


def test_a_figure_says_what_it_is():
    drawn = figure(FRAME, "A < B", axis_x(FRAME, "x <i>"), axis_y(FRAME), class_="chart")
    assert "A &lt; B" in drawn
    assert "x &lt;i&gt;" in drawn
    assert drawn.startswith("<svg")
