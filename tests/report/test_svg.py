"""Drawing in SVG."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from kmerf.pictures.vocabulary import Axis, Bars, Picture, Words
from kmerf.report.svg import Frame, draw, frame_of, tag

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


def test_logarithmic_axes():
    frame = Frame(100.0, 60.0, (1.0, 100.0), (0.1, 10.0), 0.0, 0.0, 0.0, 0.0, True, True)
    assert frame.across(10.0) == pytest.approx(50.0)
    assert frame.up(1.0) == pytest.approx(30.0)


def test_a_picture_says_what_it_is():
    bars = Bars([0.0, 1.0], [1.0, 2.0], 0.0, [3.0, 4.0], ("first <", "second"), role="bars")
    words = Words(1.0, 4.0, "here <b>", role="mark")
    drawn = draw(Picture("A < B", Axis((0.0, 2.0), "x <i>"), Axis((0.0, 4.0), "count"), (bars, words)))
    assert drawn.startswith('<svg class="chart small" viewBox="0 0 310 230" role="img" aria-label="A &lt; B">')
    assert "x &lt;i&gt;" in drawn
    assert "<title>first &lt;</title>" in drawn
    assert "here &lt;b&gt;" in drawn
    assert ">count<" in drawn


def test_names_that_slant_stay_inside():
    names = tuple(f"a rather long name {k}" for k in range(9))
    picture = Picture("", Axis((-0.6, 8.4), "", tuple(map(float, range(9))), names), Axis((0.0, 1.0)), ())
    drawn, frame = draw(picture), frame_of(picture)
    assert drawn.count("rotate(-38") == 9
    for place in range(9):
        assert frame.across(place) - 0.79 * 6.0 * 18 > -3.0  # the left end of a name of 18 letters
    few = Picture("", Axis((-0.6, 1.4), "", (0.0, 1.0), ("a", "b")), Axis((0.0, 1.0)), ())
    assert "rotate" not in draw(few)


def test_slanted_names_in_capitals_end_above_what_the_axis_shows():
    names = ("BOMBARDIER INC", "MCDONNELL DOUGLAS", *(f"MAKER NUMBER {k}" for k in range(9)))
    axis = Axis((-0.6, 10.4), "manufacturer", tuple(map(float, range(11))), names)
    small = replace(axis, names=tuple(name.lower() for name in names))
    deep, flat = (frame_of(Picture("", each, Axis((0.0, 1.0)), ())).bottom for each in (axis, small))
    assert deep > flat + 10.0


def test_a_picture_without_ticks_has_no_axes():
    bare = Picture("", Axis((0.0, 1.0), ticks=()), Axis((0.0, 1.0), ticks=()), ())
    assert "<line" not in draw(bare)
    assert frame_of(bare).left == 1.0


def test_texts_beside_an_axis_have_their_room():
    y = Axis((1.4, -0.6), "", (0.0, 1.0), ("age", "sex"), beside=("0.001", "0.250"), beside_head="p, family")
    picture = Picture("", Axis((0.0, 1.0)), y, ())
    drawn, frame = draw(picture), frame_of(picture)
    assert all(f">{text}<" in drawn for text in ("age", "sex", "0.001", "0.250", "p, family"))
    assert frame.width - frame.end > 6.0 * len("p, family")
    assert frame.up(0.0) < frame.up(1.0)  # the first is on top


def test_a_page_needs_no_matplotlib():
    code = "import sys, kmerf.report; assert not {'matplotlib', 'kmerf.figures.canvas'} & set(sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
