"""Curves of a censored outcome by one column."""

from dataclasses import replace

import numpy as np
import pandas as pd

from kmerf.data.sample import life_table
from kmerf.explain.closer_look import MOST_CURVES, best_cut, led_by, survival_curves
from kmerf.reading.samples import read_independence
from kmerf.results.parts import Change
from kmerf.results.views import Details, SurvivalCurves

RNG = np.random.default_rng(0)
N = 80
TABLE = pd.DataFrame({"age": RNG.normal(50, 10, N), "cell": RNG.choice(list("abcdefg"), N)})
TABLE["days"] = RNG.exponential(np.where(TABLE["age"] > 55, 1.0, 9.0))
TABLE["died"] = RNG.random(N) < 0.8


def sample():
    return read_independence(TABLE, ["days", "died"], y_kind="censored")


def test_numbers_are_cut_where_the_sides_differ_most():
    s = sample()
    curves = survival_curves(s.x, s.y, 0)
    low, high = curves.curves
    assert (curves.feature, curves.time, curves.event) == ("age", "days", "died")
    cut = float(low.label.removeprefix("up to "))
    assert abs(cut - 55) < 3
    assert high.label == f"above {cut:.4g}"
    rows = np.flatnonzero(TABLE["age"].to_numpy() <= best_cut(TABLE["age"].to_numpy(), s.y.values))
    expected = life_table(s.y.followed.take(rows))
    assert (low.size, low.events) == (rows.size, int(TABLE["died"].to_numpy()[rows].sum()))
    np.testing.assert_array_equal(low.surviving, expected.surviving)


def test_categories_have_a_curve_each_the_largest_ones():
    s = sample()
    curves = survival_curves(s.x, s.y, 1)
    counts = TABLE["cell"].value_counts()
    assert len(curves.curves) == MOST_CURVES
    assert all(curve.size == counts[curve.label] for curve in curves.curves)
    assert min(curve.size for curve in curves.curves) >= counts.iloc[MOST_CURVES - 1]
    assert curves.left_out == counts.size - MOST_CURVES == 2
    assert survival_curves(s.x, s.y, 0).left_out == 0


def test_categories_that_are_missing_have_a_curve_too():
    table = TABLE.assign(cell=np.where(np.arange(N) < 30, None, TABLE["cell"]))
    s = read_independence(table, ["days", "died"], y_kind="censored")
    curves = survival_curves(s.x, s.y, 1)
    assert [(curve.label, curve.size) for curve in curves.curves][-1] == ("missing", 30)


def test_it_is_told_where_events_come_sooner_if_that_is_clear():
    s = sample()
    curves = survival_curves(s.x, s.y, 0)
    assert curves.soonest == curves.curves[1].label  # of the older
    assert survival_curves(s.x, s.y, 1).soonest == ""
    turned = read_independence(TABLE.assign(age=-TABLE["age"]), ["days", "died"], y_kind="censored")
    curves = survival_curves(turned.x, turned.y, 0)
    assert curves.soonest == curves.curves[0].label


def test_missing_values_have_a_curve_of_their_own_and_json_holds_all():
    table = TABLE.assign(age=TABLE["age"].where(np.arange(N) > 9))
    s = read_independence(table, ["days", "died"], y_kind="censored")
    curves = survival_curves(s.x, s.y, 0)
    assert [curve.label for curve in curves.curves][-1] == "missing"
    assert curves.curves[-1].size == 10
    assert SurvivalCurves.from_dict(curves.to_dict()).to_dict() == curves.to_dict()
    older = {name: curves.to_dict()[name] for name in ("feature", "time", "curves")}
    assert SurvivalCurves.from_dict(older).left_out == 0


def test_other_outcomes_have_none():
    s = read_independence(TABLE[["age"]], TABLE["days"])
    assert survival_curves(s.x, s.y, 0) is None


def test_the_curves_are_of_the_column_that_is_told_first():
    s = sample()
    details = Details(None, None, (), None, None, survival_curves(s.x, s.y, 0))
    ends = {"column": "cell", "what": "days", "by": "cell", "measure": "hazard ratio", "shape": "differs"}
    clear = Change(**ends, first="a", second="b", estimate=3.0, low=1.5, high=6.0, n=N)
    unclear = replace(clear, column="age", by="age", low=0.5, shape="unclear")
    assert led_by((unclear, clear), details, s, evident=True).survival.feature == "cell"
    assert led_by((unclear, clear), details, s, evident=False).survival is details.survival
    assert led_by((unclear,), details, s, evident=True).survival is details.survival
