"""The data themselves, in pictures."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import reports
from kmerf.pictures import of_data
from kmerf.pictures.vocabulary import level_labels
from kmerf.report.svg import draw
from kmerf.results.views import DataPoints, DescribedColumn, Profile


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
    values = [*np.linspace(1.0, 3.0, 12), np.nan]
    picture = of_data.beside(profile(), points(values, [0] * 6 + [1] * 7), ["a", "b"], "arm")
    assert re.findall(r'class="box (c\d)"', draw(picture)) == ["c0", "c1"]
    assert picture.note == "1 of the rows drawn have no value of year."
    few = of_data.beside(profile(), points([1.0, 2.0, 3.0, 3.0], [0, 0, 1, 1]), ["a", "b"], "arm")
    assert "box" not in draw(few)  # quartiles of a handful of values say little
    assert few.caption == "Each point is a row. Points with equal values are moved apart a little."
    shares = Profile(
        "sex", ("f", "m"), np.full(2, np.nan), np.array([4, 6]), np.array([[0.25, 0.75], [1.0, 0.0]]), np.zeros((2, 2))
    )
    bars = drawn_beside(shares, None, ["a", "b"], "arm")
    assert "85.7 % of 7 rows" in bars  # of two categories, the share of the second in each group
    assert ">share with sex = m<" in bars
    bars = drawn_beside(shares, None, ["a", "b"], "arm", look=of_data.Look(rows=False))
    assert "75.0 % of 4 rows" in bars  # asked the other way round, of two groups the share of the second
    assert ">share with arm = b<" in bars
    three = Profile("sex", ("f", "m", "x"), np.full(3, np.nan), np.array([4, 6, 2]), np.eye(3) * 0.75, np.eye(3))
    stacked = drawn_beside(three, None, ["a", "b", "c"], "arm")
    assert stacked.count("<rect") == 3  # a share of nothing has no bar
    assert "a: 100 % of 4 rows" in stacked


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
    assert "interval" not in means.caption
    shares = Profile("age", ("",) * 2, np.arange(2.0), np.array([4, 6]), np.full((2, 2), 0.5), np.full((2, 2), 0.5))
    assert draw(of_data.beside(shares, None, ["a", "b"], "arm")).count("<polyline") == 1  # the other is the rest


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


SEX = points([0] * 20 + [1] * 20, np.linspace(0.0, 3.0, 40), ("f", "m"), "sex")


def by_sex(**more):
    """Return a profile of two categories of 20 rows each, whose means are 1 and 2."""
    return replace(profile((np.nan, np.nan), ("f", "m"), "sex", size=[20, 20]), **more)


def marks(picture, role):
    return [mark for mark in picture.marks if mark.role == role]


def test_categories_have_means_with_intervals_of_all_rows():
    picture = of_data.beside(by_sex(spread=np.full((2, 1), 2.0)), SEX, [], "wage")
    (means,), (lines,) = marks(picture, "estimate"), marks(picture, "interval")
    assert means.columns[1].tolist() == [1.0, 2.0]
    half = stats.t.ppf(0.975, 19) * 2.0 / np.sqrt(20)
    np.testing.assert_allclose(lines.columns[2], np.array([1.0, 2.0]) - half, rtol=1e-3)
    assert "Diamond and bar: the mean and its 95 % interval." in picture.caption
    plain = of_data.beside(by_sex(), SEX, [], "wage")
    assert not marks(plain, "estimate")
    assert "interval" not in plain.caption


def test_intervals_agree_with_scipy_and_statsmodels():
    rows = np.array([4, 5, 8, 20, 200])
    ends = of_data.interval_of(np.zeros(5), np.ones(5), rows).high
    np.testing.assert_allclose(ends, stats.t.ppf(0.975, rows - 1), rtol=0.01)
    share, n = np.array([0.0, 0.1, 0.5, 1.0]), np.array([12, 30, 7, 200])
    wilson = [proportion_confint(round(a * b), b, method="wilson") for a, b in zip(share, n, strict=True)]
    found = of_data.share_interval(np.round(share * n) / n, n)
    np.testing.assert_allclose(np.column_stack([found.low, found.high]), wilson, atol=1e-9)


def test_given_z_axes_and_captions_say_adjusted():
    look = of_data.Look(given="age")
    moved = replace(SEX, adjusted=SEX.y[:, None] + 10.0)
    means = by_sex(kind="adjusted", predicted=np.array([[11.0], [12.0]]))
    picture = of_data.beside(means, moved, [], "wage", look=look)
    assert picture.y.label == "wage, adjusted"
    drawn = np.concatenate([mark.columns[1] for mark in marks(picture, "raw")])
    assert drawn.min() >= 10.0  # y with z removed, not y
    assert "Diamond and bar: the adjusted mean and its 95 % interval." in picture.caption
    line = of_data.beside(
        replace(profile(), kind="adjusted"), points(range(2000, 2020), range(20)), [], "wage", look=look
    )
    assert line.caption.startswith("Each point is a row. Line and band: the adjusted mean")
    shares = Profile("sex", ("f", "m"), np.full(2, np.nan), np.array([40, 60]), np.full((2, 2), 0.5), np.eye(2) * 0.6)
    shares = replace(shares, kind="adjusted", error=np.full((2, 2), 0.05))
    two = of_data.beside(shares, None, ["no", "yes"], "deny", look=look)
    assert two.y.label == "adjusted share with deny = yes"
    np.testing.assert_allclose(marks(two, "stack")[0].columns[3], [0.0, 0.6])


def test_rows_of_a_block_are_joined_by_a_line():
    blocks = np.tile(np.arange(20), 2)
    picture = of_data.beside(by_sex(), replace(SEX, blocks=blocks), [], "wage")
    lines = marks(picture, "thread")
    assert len(lines) == 20
    assert lines[0].columns[1].tolist() == [SEX.y[0], SEX.y[20]]
    assert "Grey lines join the rows of one block, or their means." in picture.caption
    apart = of_data.beside(by_sex(), replace(SEX, blocks=np.arange(40)), [], "wage")  # no block has two rows
    assert "Grey lines" not in apart.caption
    many = np.tile(np.arange(50), 2)
    rows = points([0] * 50 + [1] * 50, np.arange(100.0), ("f", "m"), "sex")
    cut = of_data.beside(by_sex(), replace(rows, blocks=many), [], "wage")
    assert len(marks(cut, "thread")) == of_data.MAX_BLOCKS
    assert "Lines are drawn for 40 of 50 blocks." in cut.note


def test_columns_that_span_decades_have_logarithmic_axes():
    weight = np.geomspace(0.005, 6000.0, 40)
    picture = of_data.beside(
        profile((0.01, 1.0, 1000.0), name="weight"), points(weight, weight, name="weight"), [], "y"
    )
    assert picture.x.log
    assert picture.y.log
    assert picture.note == "The axis of weight and of y is logarithmic."
    even = of_data.scale_of(np.linspace(1.0, 200.0, 100))
    assert not even.log  # it spans decades, but is not skewed


def test_intervals_below_zero_are_not_on_a_logarithmic_axis():
    values = np.tile(np.geomspace(1.0, 1e6, 20), 2)
    rows = points([0] * 20 + [1] * 20, values, ("f", "m"), "sex")
    wide, narrow = (by_sex(spread=np.full((2, 1), spread), observed=np.full((2, 1), 1e5)) for spread in (1e6, 1e4))
    assert not marks(of_data.beside(wide, rows, [], "wage"), "estimate")
    assert marks(of_data.beside(narrow, rows, [], "wage"), "estimate")


def test_a_handful_of_numbers_is_shown_as_categories_are():
    values = np.tile([0.5, 1.0, 2.0], 20)
    dose = replace(profile((0.5, 1.0, 2.0), name="dose", size=[20] * 3), spread=np.ones((3, 1)))
    picture = of_data.beside(dose, points(values, np.arange(60), name="dose"), [], "len")
    assert picture.x.names == ("0.5", "1", "2")
    assert not marks(picture, "curve")
    assert len(marks(picture, "box")) == 3
    assert marks(picture, "estimate")[0].columns[0].tolist() == [0.0, 1.0, 2.0]


def test_what_cannot_be_predicted_has_no_mark():
    some = profile((np.nan, np.nan), ("f", "m"), "sex")
    some.predicted[1] = np.nan
    rows = points([0, 0, 1, 1], [1, 2, 3, 4], ("f", "m"), "sex")
    assert "nan" not in drawn_beside(some, rows, [], "wage")
    gaps = profile((-3.0, -1.0, np.nan), ("", "", "missing"))
    gaps.predicted[2] = np.nan
    assert "nan" not in drawn_beside(gaps, points([-3, -2, -1, np.nan], [1, 2, 3, 4]), [], "wage")


def test_axes_of_dates_have_dates():
    unit = {"year": "days since 2012-03-01"}
    look = of_data.Look(units=unit)
    picture = of_data.beside(
        profile((100.0, 700.0, 1300.0)), points(np.arange(0.0, 1400.0, 20.0), np.arange(70.0)), [], "y", look=look
    )
    assert picture.x.texts == ("2012", "2013", "2014", "2015", "2016")
    assert picture.x.label == "year"
    alone = of_data.y_alone(points(np.arange(70.0), np.arange(0.0, 1400.0, 20.0)), {}, "year", look)
    assert alone.x.texts == ("2012", "2013", "2014", "2015", "2016")
    few = of_data.beside(profile((0.0, 31.0)), points(np.repeat([0.0, 31.0], 35), np.arange(70.0)), [], "y", look=look)
    assert few.x.texts == ("2012-03-01", "2012-04-01")


def test_a_column_of_whole_numbers_has_whole_ticks():
    years = DescribedColumn("year", "x", "numeric", 0, 3, "", bars=(110, 0, 114, 0, 120), quantiles=(2007, 2008, 2009))
    assert of_data.column_alone(years, 344).x.whole
    assert not of_data.column_alone(replace(years, quantiles=(2007.0, 2008.5, 2009.0)), 344).x.whole
