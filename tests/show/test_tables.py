"""Tables as values."""

from dataclasses import replace

import pytest

import views
from kmerf.results.parts import Change
from kmerf.show.numbers import PLAIN, TYPESET
from kmerf.show.tables import (
    STAR,
    feature_table,
    group_table,
    measures_text,
    member_table,
    pair_table,
    screen_table,
)

MEMBERS = (views.AVERAGE, views.SPREAD, views.LOCAL)


def test_members_with_what_they_ask_and_the_one_that_leads():
    outcome = replace(views.result(), members=MEMBERS)
    table = member_table(outcome, PLAIN, question=True)
    assert table.heads == ("member", "statistic", "score", "share", "p alone")
    assert [row.cells for row in table.rows] == [
        ("0.7082", "9.00", "0.90", "<= 0.05"),  # the smallest that 19 permutations can give
        ("0.2", "-0.76", "0.02", "0.700"),
        ("1.1559e+05", "1.00", "0.08", "0.200"),
    ]
    assert [row.chosen for row in table.rows] == [True, False, False]
    assert table.rows[1].remark == "Does the spread?"
    assert not any(row.remark for row in member_table(outcome, PLAIN).rows)
    assert member_table(views.result(), PLAIN) is None


def test_members_that_agree_are_named_together():
    agreeing = replace(views.LOCAL, share=0.4, score=8.0)
    outcome = replace(views.result(), members=(replace(views.AVERAGE, share=0.6), agreeing, views.SPREAD))
    table = member_table(outcome, PLAIN)
    assert [row.chosen for row in table.rows] == [True, True, False]
    assert table.note == "mean and local agree: which of them leads may change with the seed."
    assert member_table(replace(outcome, pvalue=0.2), PLAIN).note == ""


def test_p_values_at_the_smallest_that_refits_can_give_are_bounds():
    tests = replace(views.features(family=(0.3, 0.02, 0.05)), smallest=0.01)
    cells = feature_table(views.result(features=tests), TYPESET, 1).rows[0].cells
    assert cells[-2:] == ("≤ 0.01", "0.020")
    pairs = [replace(views.pair("a", "b", 0.001), bound=0.001), views.pair("a", "c", 0.002)]
    assert [row.cells[1:] for row in pair_table(pairs, PLAIN, 2).rows] == [("<= 0.001", "<= 0.003"), ("0.002", "0.006")]


def test_pairs_with_equal_p_values_are_in_the_order_of_their_statistics():
    pairs = [replace(views.pair(name, "z", 0.001), statistic=t) for name, t in (("a", 2.0), ("b", 9.0), ("c", 4.0))]
    assert [row.names[0] for row in pair_table(pairs, PLAIN, 3).rows] == ["b", "c", "a"]


def test_members_whose_statistics_are_alike_are_named_together():
    assert measures_text(MEMBERS) == "mean: a share of variance; spread, local: a correlation"
    assert measures_text([replace(views.LOCAL, measures="")]) == ""


def test_features_by_importance():
    table = feature_table(views.result(details=views.details()), PLAIN, 2, lost=True)
    assert table.heads == ("feature", "importance", "95 % of trees", "p", "p, family", "lost if permuted")
    assert [row.names for row in table.rows] == [("x2",), ("x3",)]
    assert table.rows[0].cells == ("0.700", "0.650 to 0.750", "2.0e-04", "4.0e-04", "0.500")
    assert [row.chosen for row in table.rows] == [True, True]  # at 0.05, the level itself
    assert (table.peak, table.more, table.note) == (0.7, "... and 1 more", "")
    assert table.rows[0].share == pytest.approx((0.7, 0.65, 0.75))


def test_features_without_p_values():
    plain = feature_table(views.result(features=None), TYPESET, 10, spread=False)
    assert plain.heads == ("feature", "importance")
    assert (plain.more, plain.note) == ("", "")
    assert not any(row.chosen for row in plain.rows)
    assert feature_table(views.result(importances=None, features=None), PLAIN, 3) is None
    assert feature_table(views.result(), PLAIN, 3, lost=True).heads[-1] == "p, family"


def test_groups_of_features():
    tests = replace(views.features(("a", "b", "c")), members={"b": ("x1", "x2")})
    table = group_table(tests, PLAIN)
    assert [row.names[0] for row in table.rows] == ["a", "b", "c"]
    assert table.rows[1].cells == ("2", "0.700", "2.0e-04", "4.0e-04")
    assert [row.chosen for row in table.rows] == [False, True, True]
    assert group_table(None, PLAIN) is None


def test_pairs_with_the_smallest_p_first():
    pairs = [views.pair("a", "b", 0.2), views.pair("a", "c", 0.01), views.pair("b", "c", 0.1)]
    table = pair_table(pairs, PLAIN, 2)
    assert [row.names for row in table.rows] == [("a", "c"), ("b", "c")]
    assert table.rows[0].cells == ("0.12346", "0.010", "0.030")
    assert [row.chosen for row in table.rows] == [True, False]
    assert table.more == "... and 1 more"
    assert pair_table((), PLAIN, 2) is None


def test_a_screen_with_what_could_not_be_tested_last():
    table = screen_table(views.screen(), TYPESET, 10)
    assert [row.names[0] for row in table.rows] == ["g1", "g3", "g0", "g2"]
    assert table.rows[0].cells == ("0.5", "≤ 0.01", "≤ 0.01*", "≤ 0.01*")  # of 99 permutations
    assert [row.remark for row in table.rows] == ["selected", "selected", "", ""]
    assert table.rows[3].cells == ("–", "–", "–", "–")
    assert (table.more, table.note) == ("", STAR)
    assert screen_table(views.screen(), PLAIN, 1).more == "... and 2 more columns"  # of the three tested
    assert screen_table(views.screen((0.2, 0.3)), PLAIN, 1).note == ""


def test_features_have_their_change_and_the_share_that_is_missing():
    change = Change("x2", "y", "x2", "mean", "rises", "1 or less", "3 or more", 2.0, 1.5, 2.5, 90, missing=10)
    table = feature_table(views.result(changes=(change,)), PLAIN, 2, ways=True)
    assert table.heads[-2:] == ("change (95 % interval)", "missing")
    assert [row.cells[-2:] for row in table.rows] == [("rises by 2.00 (1.50 to 2.50)", "10 %"), ("", "")]
    assert "95 % of trees" not in table.heads
    whole = feature_table(views.result(changes=(replace(change, missing=0),)), PLAIN, 2, ways=True)
    assert whole.heads[-1] == "change (95 % interval)"
