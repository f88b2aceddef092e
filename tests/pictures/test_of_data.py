"""The data themselves, in pictures."""

from __future__ import annotations

import re

import numpy as np

import reports
from kmerf.pictures import of_data
from kmerf.pictures.vocabulary import level_labels
from kmerf.report.svg import draw
from kmerf.results.views import DataPoints, Profile


def profile(at=(2003.0, 2006.0, 2009.0), labels=None, name="year", size=None):
    bins = len(at)
    mean = np.linspace(1.0, 2.0, bins)[:, None]
    rows = np.full(bins, 10) if size is None else np.array(size)
    return Profile(name, labels or ("",) * bins, np.array(at), rows, mean, mean, np.full((bins, 1), 0.1))


def points(x, y, levels=(), name="year"):
    x, y = np.array(x, dtype=float), np.array(y, dtype=float)
    return DataPoints(np.arange(y.size), (name,), (tuple(levels),), x[:, None], ("wage",), y)


def drawn_beside(*given, **how):
    return draw(of_data.beside(*given, **how))


def ticks(drawn):
    return re.findall(r'class="tick"[^>]*>([^<]+)<', drawn)


def test_numbers_have_a_point_for_each_row_a_curve_and_its_band():
    drawn = drawn_beside(profile(), points(range(2003, 2010), np.linspace(1, 2, 7)), [], "wage")
    assert drawn.count("<circle") == 7
    assert drawn.count("<polyline") == drawn.count("<polygon") == 1
    upper, lower = (float(re.search(r'<polygon points="([^"]+)"', drawn)[1].split()[k].split(",")[1]) for k in (0, -1))
    middle = float(re.search(r'<polyline points="[\d.]+,([\d.]+)', drawn)[1])
    assert upper < middle < lower  # upwards is less
    assert ">wage<" in drawn
    assert ">year<" in drawn


def test_years_are_whole_numbers_and_each_is_there_once():
    drawn = drawn_beside(profile(), points(range(2003, 2010), range(7)), [], "wage")
    years = [tick for tick in ticks(drawn) if tick.startswith("20")]
    assert years == ["2004", "2006", "2008"]
    coin = drawn_beside(profile((0.0, 1.0)), points([0, 1, 0, 1], [1, 2, 3, 4]), [], "wage")
    assert ticks(coin)[-2:] == ["0", "1"]


def test_rows_without_a_value_stand_apart_from_the_last_tick():
    gaps = profile((1.0, 5.0, np.nan), ("", "", "missing"))
    drawn = drawn_beside(gaps, points([1, 3, 5, np.nan], [1, 2, 3, 4]), [], "wage")
    places = {label: float(x) for x, label in re.findall(r'<text x="([\d.]+)"[^>]*class="tick"[^>]*>([^<]+)<', drawn)}
    assert places["missing"] - places["4"] > 50
    assert drawn.count("<circle") == 4


def test_categories_are_strips_with_boxes_and_at_most_a_dozen():
    codes = np.repeat(np.arange(30), 3)
    names = [f"country {k}" for k in range(30)]
    many = profile((np.nan,) * 30, tuple(names), "country", size=[3] * 30)
    picture = of_data.beside(many, points(codes, np.arange(90), names, "country"), [], "wage")
    drawn = draw(picture)
    assert drawn.count('class="box c0"') == of_data.LEVELS == 12
    assert picture.note == "18 smaller categories are not drawn."
    assert drawn.count("rotate(") == 12


def test_groups_have_a_coloured_strip_each():
    picture = of_data.beside(profile(), points([1.0, 2.0, 3.0, np.nan], [0, 0, 1, 1]), ["a", "b"], "arm")
    assert re.findall(r'class="box (c\d)"', draw(picture)) == ["c0", "c1"]
    assert picture.note == "1 of the rows drawn have no value of year."
    shares = Profile(
        "sex", ("f", "m"), np.full(2, np.nan), np.array([4, 6]), np.array([[0.25, 0.75], [1.0, 0.0]]), np.zeros((2, 2))
    )
    bars = drawn_beside(shares, None, ["a", "b"], "arm")
    assert "b: 75 % of 4 rows" in bars
    assert bars.count("<rect") == 3  # a share of nothing has no bar


def test_the_distribution_of_y():
    drawn = draw(of_data.y_alone(points(range(9), [1, 1, 2, 2, 2, 3, 3, 4, 9]), {}, "rooms"))
    assert ">rooms<" in drawn
    assert drawn.count("<rect") == 5  # one bar for each whole number that occurs
    groups = draw(of_data.y_alone(None, {"a": 10, "b": 30}, "arm"))
    assert groups.count("<rect") == 2
    assert of_data.y_alone(None, {}, "y") is None


def test_values_far_out_do_not_squeeze_the_others():
    values = np.append(np.linspace(0.0, 1.0, 200), 1e6)
    scale = of_data.scale_of(values)
    assert scale.high < 3.0
    assert scale.outside == 1
    assert of_data.scale_of(np.array([np.nan])).axis("").limits[0] < 0.5


def test_old_results_without_points_still_draw_the_curve():
    assert drawn_beside(profile(), None, [], "wage").count("<polyline") == 1
    means = of_data.beside(profile((np.nan,) * 2, ("f", "m"), "sex"), None, [], "wage")
    assert draw(means).count("<circle") == 2
    shares = Profile("age", ("",) * 2, np.arange(2.0), np.array([4, 6]), np.full((2, 2), 0.5), np.full((2, 2), 0.5))
    assert draw(of_data.beside(shares, None, ["a", "b"], "arm")).count("<polyline") == 2


def test_names_of_levels_are_cut_where_they_stay_different():
    assert level_labels(["1. < HS Grad", "2. HS Grad"]) == ["1. < HS Grad", "2. HS Grad"]
    long = ["University of California, Berkeley", "University of California, Davis"]
    assert len(set(level_labels(long))) == 2


def test_hostile_names_are_escaped():
    bad = profile(name=reports.HOSTILE[0])
    raw = points([2003, 2009], [1, 2], name=reports.HOSTILE[0])
    drawn = drawn_beside(bad, raw, [], reports.HOSTILE[1])
    drawn += draw(of_data.strips(np.ones(2), np.zeros(2), [reports.HOSTILE[2]], "v", reports.HOSTILE[0]))
    assert "<script" not in drawn
    assert "<img" not in drawn


def test_categories_say_what_the_forests_predict():
    two = profile((np.nan, np.nan), ("f", "m"), "sex")
    picture = of_data.beside(two, points([0, 0, 1, 1], [1, 2, 3, 4], ("f", "m"), "sex"), [], "wage")
    (dashes,) = (mark for mark in picture.marks if mark.role == "curve")
    assert dashes.low.tolist() == dashes.high.tolist() == two.predicted[:, 0].tolist()


def test_what_cannot_be_predicted_has_no_mark():
    some = profile((np.nan, np.nan), ("f", "m"), "sex")
    some.predicted[1] = np.nan
    rows = points([0, 0, 1, 1], [1, 2, 3, 4], ("f", "m"), "sex")
    assert "nan" not in drawn_beside(some, rows, [], "wage")
    gaps = profile((-3.0, -1.0, np.nan), ("", "", "missing"))
    gaps.predicted[2] = np.nan
    assert "nan" not in drawn_beside(gaps, points([-3, -2, -1, np.nan], [1, 2, 3, 4]), [], "wage")
