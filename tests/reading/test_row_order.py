"""Signs that rows are ordered in time or repeated per subject."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kmerf.reading import row_order


def test_the_limit_is_a_two_sided_p_of_one_in_a_thousand():
    """Sequences with a lag-one correlation just below and just above it: only the latter are called serial."""
    n, limit = 400, 3.29
    rng = np.random.default_rng(0)
    below, above = [], []
    while len(below) < 5 or len(above) < 5:
        shocks = rng.normal(size=n)
        y = shocks.copy()
        y[1:] += 0.17 * shocks[:-1]
        z = row_order.lag_correlation(y) * math.sqrt(n)
        if abs(z - limit) < 0.005:
            (below if z < limit else above).append(y)
    assert [row_order.serial(y, []) for y in below] == [None] * len(below)
    assert all(row_order.serial(y, []) is not None for y in above)
    assert math.erfc(limit / math.sqrt(2)) == pytest.approx(0.001, rel=0.01)


def test_sorted_and_grouped_values():
    assert row_order.is_sorted(np.array([1.0, 1.0, np.nan, 2.0]))
    assert row_order.is_sorted(np.array([3.0, 2.0, np.inf, 1.0]))
    assert not row_order.is_sorted(np.array([1.0, 1.0]))
    assert not row_order.is_sorted(np.array([1.0, 3.0, 2.0]))
    assert row_order.is_grouped(np.array([2.0, 2, 1, 1]))
    assert not row_order.is_grouped(np.array([2.0, 1, 2, 1]))
    assert not row_order.is_grouped(np.array([1.0, 1, 1]))


def test_infinite_values_do_not_disturb_the_search():
    y = np.cumsum(np.random.default_rng(1).normal(size=200))
    y[3:5] = np.inf
    assert row_order.serial(y, [("a", y)]) is not None
    assert not row_order.is_sorted(y)


@pytest.mark.parametrize("name", ["acid", "width", "video", "age", "identity", "grid"])
def test_names_that_only_contain_such_words_are_not(name):
    assert not row_order.looks_like_subject(name, 60, 20)


def chicks():
    """Return some of ChickWeight: 8 chicks, weighed at 6 times each but for one that died."""
    who, when = np.repeat(np.arange(8.0), 6)[:-2], np.tile(np.arange(6.0) * 2, 8)[:-2]
    return {"Chick": who, "Time": when, "weight": 40.0 + when * (5.0 + who)}


def test_subjects_are_found_by_their_times():
    assert row_order.subjects(chicks(), []) == ["Chick"]
    order = np.random.default_rng(0).permutation(46)
    assert row_order.subjects({name: codes[order] for name, codes in chicks().items()}, []) == ["Chick"]
    gapminder = {"country": np.repeat(np.arange(10.0), 4), "year": np.tile([1952.0, 1957, 1962, 1967], 10)}
    assert row_order.subjects(gapminder, ["country"]) == ["country"]


def test_what_is_not_crossed_with_time_is_no_subject():
    rng = np.random.default_rng(0)
    table = {"dose": rng.integers(0, 6, 60).astype(float), "month": rng.integers(1, 13, 60).astype(float)}
    assert row_order.subjects(table, []) == []
    assert row_order.subjects({}, []) == []


def test_days_in_order_are_noticed_though_rows_are_missing():
    """airquality: days of five months in order, some of them without a measurement."""
    rng = np.random.default_rng(1)
    season = np.sin(np.arange(150) / 150 * np.pi) * 2 + rng.normal(size=150)
    month = np.arange(150) // 30
    assert row_order.serial(season, [("Month", month.astype(float)), ("Temp", rng.normal(size=150))]) > 0.2


def test_what_is_alike_inside_of_long_groups_is_noticed():
    rng = np.random.default_rng(2)
    groups = np.repeat([0.0, 1.0, 2.0], 60)
    walk = np.concatenate([np.cumsum(rng.normal(size=60)) for _ in range(3)])
    assert row_order.serial(walk, [("site", groups)]) > 0.5
    assert row_order.serial(groups * 3.0 + rng.normal(size=180), [("site", groups)]) is None


@pytest.mark.parametrize(
    ("name", "rows", "distinct"),
    [
        ("students", 420, 412),  # CASchools: how many there are
        ("customer_type", 1500, 4),
        ("personSearch", 1500, 3),
        ("economic.cond.household", 1525, 5),
    ],
)
def test_what_is_only_called_after_people_is_no_subject(name, rows, distinct):
    assert not row_order.looks_like_subject(name, rows, distinct)


def test_durations_are_no_times_of_measurement():
    """Laryngoscope: scores of ease and the seconds that it took."""
    rng = np.random.default_rng(0)
    table = {"ease": rng.integers(0, 19, 90).astype(float), "intubation_time": rng.integers(1, 40, 90) + 0.5}
    assert row_order.subjects(table, []) == []
