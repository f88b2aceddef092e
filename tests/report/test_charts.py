"""The drawings of a test's page."""

from __future__ import annotations

import re

import numpy as np

from kmerf.pictures.of_answers import importance_bar, null_distribution, row_map
from kmerf.report.svg import draw
from kmerf.results.views import RowMap


def test_bars_of_the_histogram_hold_all_permuted_statistics():
    drawn = draw(null_distribution(np.linspace(0.0, 1.0, 99), 3.0, "your data, p = 1.0 × 10⁻⁵"))
    assert "Histogram of 99 permuted statistics; the observed one is 3." in drawn
    assert "your data, p = 1.0 × 10⁻⁵" in drawn
    assert drawn.count("<rect") >= 4
    assert draw(null_distribution(np.zeros(19), 0.0, "your data, p = 1")).count("<rect") == 1  # all alike


def test_the_longest_bar_has_the_peak():
    widths = [
        float(re.search(r'width="([\d.]+)" height="10', draw(importance_bar(v, v, v, 0.5, False, "")))[1])
        for v in (0.5, 0.25)
    ]
    assert widths[0] / widths[1] == 2.0
    chosen = draw(importance_bar(0.1, 0.0, 0.2, 1.0, True, "95 % interval"))
    assert 'class="bars chosen"' in chosen
    assert "0.100, 95 % interval 0.000 to 0.200" in chosen


def test_the_map_has_a_point_for_each_row_coloured_by_group_or_rank():
    points = np.array([[0.0, 0.0], [1.0, 0.5], [0.2, 1.0]])
    embedding = RowMap(np.array([0, 4, 7]), points, (0.5, 0.2), np.array([0.0, 1.0, 8.0]))
    groups = draw(row_map(embedding, [f"g{k}" for k in range(9)], "y"))
    colours = re.findall(r'<g class="map (c\d)"><circle', groups)
    assert colours == ["c0", "c1", "c6"]  # the last colour is shared
    assert "row 5, g1" in groups
    plain = draw(row_map(embedding, [], "age", [11, 0, 0, 0, 15, 0, 0, 18]))
    assert re.findall(r'class="(s\d)"', plain) == ["s0", "s2", "s4"]
    assert "row 15, age = 1" in plain  # as it is numbered in the file


def test_the_axis_is_broken_where_the_observed_value_is_far_away():
    values = np.linspace(0.0, 1.0, 99)
    near, far = (draw(null_distribution(values, at, "your data, p ≤ 0.01")) for at in (2.0, 40.0))
    ticks = re.findall(r'class="tick"[^>]*>([^<]+)<', far)
    assert ticks[-1] == "40"  # the value itself stands below its line
    assert "0.5" in ticks  # and those of the shuffles can still be read
    assert far.count('class="axis"') == near.count('class="axis"') + 3
    bars = [float(w) for w in re.findall(r'<rect[^>]* width="([\d.]+)"', far)]
    assert sum(bars) > 200  # of 460
    line = float(re.search(r'<line x1="([\d.]+)"[^>]*class="observed"', far)[1])
    assert 300 < line < 460
    assert "p &lt; 10⁻¹⁶" in draw(null_distribution(values, 40.0, "your data, p < 10⁻¹⁶"))


def test_statistics_that_differ_only_by_rounding_are_one_bar():
    values = np.full(99, 0.3)
    values[::2] = 0.1 + 0.2
    for observed in (0.3, 0.1 + 0.2, 0.7, -0.1):
        drawn = draw(null_distribution(values, observed, "your data, p = 1"))
        assert drawn.count("<rect") == 1
        assert "nan" not in drawn
