"""The drawings of a test's page."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

import reports
from kmerf.report import charts
from kmerf.results.views import Profile, RowMap

PROFILE = Profile(
    "age",
    ("", "", "missing"),
    np.array([1.0, 3.0, np.nan]),
    np.array([10, 40, 10]),
    np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]),
    np.array([[0.3, 0.7], [0.5, 0.5], [np.nan, np.nan]]),
)


def test_bars_of_the_histogram_hold_all_permuted_statistics():
    drawn = charts.null_histogram(np.linspace(0.0, 1.0, 99), 3.0, 1e-5)
    assert "Histogram of 99 permuted statistics; the observed one is 3." in drawn
    assert "observed, p = 1.0 × 10⁻⁵" in drawn
    assert drawn.count("<rect") >= 4
    assert charts.null_histogram(np.zeros(19), 0.0, 1.0).count("<rect") == 1  # all alike


def test_the_longest_bar_has_the_peak():
    widths = [float(re.search(r'width="([\d.]+)" height="10', charts.bar(v, v, v, 0.5, False))[1]) for v in (0.5, 0.25)]
    assert widths[0] / widths[1] == 2.0
    assert charts.peak_of([0.2, 0.5]) == 0.5
    assert charts.peak_of([]) > 0.0
    assert 'class="bars chosen"' in charts.bar(0.1, 0.0, 0.2, 1.0, True)


def test_profiles_of_groups_have_a_series_each_and_numbers_one():
    groups = charts.profile_chart(PROFILE, ["a", "b"], (0.0, 1.0))
    assert re.findall(r'class="series (c\d)"', groups) == ["c0", "c1"]
    assert "a: 0.2, predicted 0.3 (10 rows, about 1)" in groups
    assert "a: 0.9 (10 rows, missing)" in groups
    numbers = charts.profile_chart(PROFILE, [], charts.profile_limits([PROFILE], []))
    assert re.findall(r'class="series (c\d)"', numbers) == ["c0"]


def test_profiles_share_their_limits():
    low, high = charts.profile_limits([PROFILE], [])
    assert low < 0.2 < 0.9 < high
    assert charts.profile_limits([PROFILE], ["a", "b"]) == (0.0, 1.0)


def test_only_the_largest_groups_are_drawn():
    shares = np.tile(np.arange(1.0, 10.0) / 45.0, (2, 1))
    many = Profile("age", ("", ""), np.array([1.0, 2.0]), np.array([5, 5]), shares, shares)
    drawn = charts.profile_chart(many, [str(k) for k in range(9)], (0.0, 1.0))
    assert drawn.count('class="series') == charts.DRAWN_GROUPS
    assert "8: 0.2" in drawn
    assert "0: 0.02" not in drawn


def test_the_map_has_a_point_for_each_row_coloured_by_group_or_rank():
    points = np.array([[0.0, 0.0], [1.0, 0.5], [0.2, 1.0]])
    embedding = RowMap(np.array([0, 4, 7]), points, (0.5, 0.2), np.array([0.0, 1.0, 8.0]))
    groups = charts.map_chart(embedding, [f"g{k}" for k in range(9)])
    assert re.findall(r'class="(c\d)"', groups) == ["c0", "c1", "c6"]  # the last colour is shared
    assert "row 5, g1" in groups
    assert re.findall(r'class="(s\d)"', charts.map_chart(embedding, [])) == ["s0", "s2", "s4"]


def test_hostile_names_are_escaped():
    named = replace(PROFILE, feature=reports.HOSTILE[0])
    drawn = charts.profile_chart(named, [reports.HOSTILE[1], "b"], (0.0, 1.0))
    assert "<script" not in drawn
    assert "<img" not in drawn
