"""What pictures are made of."""

from __future__ import annotations

import numpy as np
import pytest

from kmerf.pictures.vocabulary import Axis, Band, Bars, Line, Picture, Points, histogram, log_ticks, shared, ticks


@pytest.mark.parametrize(("low", "high"), [(0.0, 97.0), (-0.02, 0.05), (1e6, 3e6), (0.0, 1e-9)])
def test_ticks_are_few_round_and_inside(low, high):
    marks = ticks(low, high)
    assert 2 <= len(marks) <= 8
    assert all(low - 1e-9 * (high - low) <= mark <= high + 1e-9 * (high - low) for mark in marks)


def test_an_axis_has_its_ticks_round_numbers_or_powers():
    assert Axis((0.0, 10.0)).marks == (0.0, 2.0, 4.0, 6.0, 8.0, 10.0)
    assert Axis((0.0, 10.0), ticks=(0.0, 5.0)).texts == ("0", "5")
    assert Axis((0.5, 150.0), log=True).texts == ("1", "10", "100")
    assert Axis((0.0, 1.0), ticks=(0.0, 1.0), names=("f", "m")).texts == ("f", "m")
    assert log_ticks(1.0, 10.0) == [1.0, 2.0, 5.0, 10.0]


def test_coordinates_are_arrays_of_one_length():
    _, right, low, _ = Bars([0, 1], [1, 2], 0.0, [3, 4], role="bars").columns
    assert low.tolist() == [0.0, 0.0]
    assert right.tolist() == [1.0, 2.0]
    x, low, high = Band([1, 2, 3], 0.0, 1.0, role="curve").columns
    assert x.shape == low.shape == high.shape == (3,)


def test_a_histogram_has_no_empty_bars():
    bars, axis, most = histogram(np.array([0.1, 0.1, 0.9]), 4, "rows", 1.5)
    assert np.asarray(bars.high).tolist() == [2, 1]
    assert most == 2.0
    assert axis.limits == (0.0, 3.0)


def test_a_legend_has_the_marks_with_a_name():
    marks = Points(0.0, 0.0, role="raw", group=1), Line([0, 1], [0, 1], role="series", group=2, label="two")
    assert Picture("", Axis((0.0, 1.0)), Axis((0.0, 1.0)), marks).entries == [(2, "two")]
    assert [shared(k) for k in (0, 6, 9)] == [0, 6, 6]
