"""The data themselves, in pictures."""

from __future__ import annotations

import re

import numpy as np

import reports
from kmerf.report import data_charts
from kmerf.report.svg import level_labels
from kmerf.results.views import DataPoints, Profile


def profile(at=(2003.0, 2006.0, 2009.0), labels=None, name="year", size=None):
    bins = len(at)
    mean = np.linspace(1.0, 2.0, bins)[:, None]
    rows = np.full(bins, 10) if size is None else np.array(size)
    return Profile(name, labels or ("",) * bins, np.array(at), rows, mean, mean, np.full((bins, 1), 0.1))


def points(x, y, levels=(), name="year"):
    x, y = np.array(x, dtype=float), np.array(y, dtype=float)
    return DataPoints(np.arange(y.size), (name,), (tuple(levels),), x[:, None], ("wage",), y)


def ticks(drawn):
    return re.findall(r'class="tick"[^>]*>([^<]+)<', drawn)


def test_numbers_have_a_point_for_each_row_a_curve_and_its_band():
    drawn = data_charts.panel(profile(), points(range(2003, 2010), np.linspace(1, 2, 7)), [], "wage").chart
    assert drawn.count("<circle") == 7
    assert drawn.count("<polyline") == drawn.count("<polygon") == 1
    upper, lower = (float(re.search(r'<polygon points="([^"]+)"', drawn)[1].split()[k].split(",")[1]) for k in (0, -1))
    middle = float(re.search(r'<polyline points="[\d.]+,([\d.]+)', drawn)[1])
    assert upper < middle < lower  # upwards is less
    assert ">wage<" in drawn
    assert ">year<" in drawn


def test_years_are_whole_numbers_and_each_is_there_once():
    drawn = data_charts.panel(profile(), points(range(2003, 2010), range(7)), [], "wage").chart
    years = [tick for tick in ticks(drawn) if tick.startswith("20")]
    assert years == ["2004", "2006", "2008"]
    coin = data_charts.panel(profile((0.0, 1.0)), points([0, 1, 0, 1], [1, 2, 3, 4]), [], "wage").chart
    assert ticks(coin)[-2:] == ["0", "1"]


def test_rows_without_a_value_stand_apart_from_the_last_tick():
    gaps = profile((1.0, 5.0, np.nan), ("", "", "missing"))
    drawn = data_charts.panel(gaps, points([1, 3, 5, np.nan], [1, 2, 3, 4]), [], "wage").chart
    places = {label: float(x) for x, label in re.findall(r'<text x="([\d.]+)"[^>]*class="tick"[^>]*>([^<]+)<', drawn)}
    assert places["missing"] - places["4"] > 50
    assert drawn.count("<circle") == 4


def test_categories_are_strips_with_boxes_and_at_most_a_dozen():
    codes = np.repeat(np.arange(30), 3)
    names = [f"country {k}" for k in range(30)]
    many = profile((np.nan,) * 30, tuple(names), "country", size=[3] * 30)
    drawn, note = data_charts.panel(many, points(codes, np.arange(90), names, "country"), [], "wage")
    assert drawn.count('class="box"') == data_charts.LEVELS == 12
    assert note == "18 smaller categories are not drawn."
    assert drawn.count("rotate(") == 12


def test_groups_have_a_coloured_strip_each():
    drawn, note = data_charts.panel(profile(), points([1.0, 2.0, 3.0, np.nan], [0, 0, 1, 1]), ["a", "b"], "arm")
    assert re.findall(r'class="strip (c\d)"', drawn) == ["c0", "c1"]
    assert note == "1 of the rows drawn have no value of year."
    shares = Profile(
        "sex", ("f", "m"), np.full(2, np.nan), np.array([4, 6]), np.array([[0.25, 0.75], [1.0, 0.0]]), np.zeros((2, 2))
    )
    bars = data_charts.panel(shares, None, ["a", "b"], "arm").chart
    assert "b: 75 % of 4 rows" in bars
    assert bars.count("<rect") == 3  # a share of nothing has no bar


def test_the_distribution_of_y():
    drawn = data_charts.y_alone(points(range(9), [1, 1, 2, 2, 2, 3, 3, 4, 9]), {}, "rooms").chart
    assert ">rooms<" in drawn
    assert drawn.count("<rect") == 5  # one bar for each whole number that occurs
    groups = data_charts.y_alone(None, {"a": 10, "b": 30}, "arm").chart
    assert groups.count("<rect") == 2
    assert data_charts.y_alone(None, {}, "y") is None


def test_values_far_out_do_not_squeeze_the_others():
    values = np.append(np.linspace(0.0, 1.0, 200), 1e6)
    scale = data_charts.scale_of(values)
    assert scale.high < 3.0
    assert scale.outside == 1
    assert data_charts.scale_of(np.array([np.nan])).limits[0] < 0.5


def test_old_results_without_points_still_draw_the_curve():
    assert data_charts.panel(profile(), None, [], "wage").chart.count("<polyline") == 1
    assert data_charts.panel(profile(), None, ["a", "b"], "arm") is None


def test_names_of_levels_are_cut_where_they_stay_different():
    assert level_labels(["1. < HS Grad", "2. HS Grad"]) == ["1. < HS Grad", "2. HS Grad"]
    long = ["University of California, Berkeley", "University of California, Davis"]
    assert len(set(level_labels(long))) == 2


def test_hostile_names_are_escaped():
    bad = profile(name=reports.HOSTILE[0])
    raw = points([2003, 2009], [1, 2], name=reports.HOSTILE[0])
    drawn = data_charts.panel(bad, raw, [], reports.HOSTILE[1]).chart
    drawn += data_charts.strips(np.ones(2), np.zeros(2), [reports.HOSTILE[2]], "v", reports.HOSTILE[0]).chart
    assert "<script" not in drawn
    assert "<img" not in drawn
