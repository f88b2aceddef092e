"""Pictures of two tables."""

import numpy as np

import kmerf
from changed_tables import CHANGES, table
from kmerf.figures.canvas import axes_for, draw
from kmerf.pictures.of_answers import overlay, timeline


def test_shares_of_old_and_new_rows_are_drawn_one_above_the_other():
    name, change = CHANGES["shares"]
    c = kmerf.compare(table(150, 1), table(150, 2, **{name: change}))
    for column in c.columns:
        picture = overlay(column)
        assert [label for _, label in picture.entries] == ["old", "new"]
        before = column.shares_before
        assert np.isclose(before.sum(), 1.0)
        drawn = [mark.columns for mark in picture.marks]
        heights = drawn[1][1] if column.numeric else drawn[0][3]
        assert np.isclose(heights.max(), before.max())
        small = overlay(column, small=True)
        assert small.size < picture.size
    assert overlay(c.columns[0], changed=True).title == "shares"
    assert c.plot(most=3).axes[0].get_title(loc="left") in ("shares", "")


def test_windows_are_points_with_intervals_and_the_beginning_is_marked():
    new = table(150, 2, a=lambda v, rng: v + np.repeat([0.0, 30.0], 75))
    line = kmerf.compare(table(100, 1), new, window=25)
    picture = timeline(line)
    assert [label for _, label in picture.entries] == ["no alarm", "alarm"]
    words = [mark.text for mark in picture.marks if hasattr(mark, "text")]
    assert words == ["began: rows 75 to 99"]
    assert draw(picture, axes_for(None, (7, 3))).get_ylabel().startswith("AUC")
    assert line.plot() is not None
