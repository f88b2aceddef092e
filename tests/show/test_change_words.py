"""What changes, in words."""

from dataclasses import replace

import pytest

from kmerf.results.parts import Change, Effect, GroupNumbers, Kind, Margin
from kmerf.show.change_words import amounts, at_most_text, change_text, kinds_text, margin_text, short_change
from kmerf.show.numbers import PLAIN, TYPESET
from views import result

GROUPS = (GroupNumbers("A", 181, 108_548.0, 30_538.0), GroupNumbers("B", 216, 118_029.0, 29_459.0))


def change(**fields):
    usual = {
        "column": "discipline",
        "what": "salary",
        "by": "discipline",
        "measure": "mean",
        "shape": "differs",
        "first": "A",
        "second": "B",
        "estimate": 9480.3,
        "low": 3544.0,
        "high": 15416.6,
        "n": 397,
        "groups": GROUPS,
    }
    return Change(**(usual | fields))


def test_two_groups():
    assert change_text(change(), PLAIN) == (
        "salary is 9,500 higher for discipline B than for discipline A (3,500 to 15,400)",
        "mean (sd, n) A: 108,500 (30,500, 181); B: 118,000 (29,500, 216)",
    )
    lower = change(estimate=-9480.3, low=-15416.6, high=-3544.0, first="Applied", second="Theory", unit="USD")
    words = "salary is 9,500 USD lower for discipline Theory than for Applied (3,500 to 15,400)"
    assert change_text(lower, PLAIN)[0] == words
    asked = replace(lower, column="salary")  # of groups, which are in the question
    assert change_text(asked, PLAIN)[0] == words.replace("discipline ", "")
    named = replace(lower, first="Discipline A", second="Discipline B")
    assert "for Discipline B than for Discipline A" in change_text(named, PLAIN)[0]
    bare = change(first="<=20", second=">50")
    assert "for discipline >50 than for discipline <=20" in change_text(bare, PLAIN)[0]


def test_weekdays_and_months_have_their_names():
    groups = tuple(GroupNumbers(label, 20, 7.0, 1.0) for label in ("2", "3"))
    weekday = change(
        column="aired (weekday)", by="aired (weekday)", first="2", second="3", by_unit="weekday", groups=groups
    )
    text, numbers = change_text(weekday, PLAIN)
    assert text == "salary is 9,500 higher for Wednesday than for Tuesday (3,500 to 15,400)"
    assert numbers.startswith("mean (sd, n) Tuesday: ")
    ends = {"first": "3 or less", "second": "10 or more", "by_unit": "month", "shape": "rises"}
    month = replace(weekday, by="aired (month)", **ends)
    assert "from March or before to October or after" in change_text(month, PLAIN)[0]


@pytest.mark.parametrize(("middle", "words"), [(13.0, ", highest in between"), (2.0, ", lowest in between"), (8.0, "")])
def test_a_middle_beyond_both_ends_is_said(middle, words):
    groups = tuple(GroupNumbers("", 30, mean, 2.0) for mean in (5.0, middle, 10.0))
    ends = {"by": "age", "first": "30 or less", "second": "50 or more", "shape": "rises"}
    rises = change(estimate=5.0, low=4.0, high=6.0, groups=groups, **ends)
    assert change_text(rises, PLAIN)[0].partition("(4.0 to 6.0)")[2] == words


def test_medians_have_no_idle_zeros_and_small_means_are_not_zero():
    counts = tuple(GroupNumbers(label, 300, 1.7, 2.0, 1.0, 0.0, upper) for label, upper in (("A", 2.0), ("B", 2.75)))
    order = change(measure="pairs", estimate=0.6, low=0.55, high=0.65, groups=counts)
    assert change_text(order, PLAIN)[1] == "median (quartiles, n) A: 1 (0 to 2, 300); B: 1 (0 to 2.75, 300)"
    times = {"measure": "ratio", "estimate": 2.89, "low": 2.28, "high": 3.67}
    sums = tuple(GroupNumbers(label, 198, 12e3, 9e3, 11691.0, 7336.25, 20571.75) for label in "AB")
    assert "A: 11,690 (7,340 to 20,570, 198)" in change_text(change(groups=sums, **times), PLAIN)[1]
    skewed = change(groups=(GroupNumbers("A", 16, 0.213, 0.151), GroupNumbers("B", 16, 9480.0, 3000.0)))
    assert change_text(skewed, PLAIN)[1] == "mean (sd, n) A: 0.21 (0.15, 16); B: 9,500 (3,000, 16)"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"shape": "rises"},
            "salary rises with age: by 9,500 from 30 years or less to 50 years or more (3,500 to 15,400)",
        ),
        (
            {"shape": "falls", "estimate": -9480.3, "low": -15416.6, "high": -3544.0},
            "salary falls with age: by 9,500 from 30 years or less to 50 years or more (3,500 to 15,400)",
        ),
        (
            {"shape": "hump"},
            "salary is hump-shaped in age: 9,500 higher in the middle than at the ends (3,500 to 15,400)",
        ),
        (
            {"shape": "U", "estimate": -9480.3, "low": -15416.6, "high": -3544.0},
            "salary is U-shaped in age: 9,500 lower in the middle than at the ends (3,500 to 15,400)",
        ),
        (
            {"shape": "unclear", "low": -544.0},
            "salary: no clear change with age: 9,500 from 30 years or less to 50 years or more (-500 to 15,400)",
        ),
        (
            {"shape": "rises", "measure": "slope", "step": 10.0, "about": "within blocks"},
            "salary rises with age: by 9,500 per 10 years of age (3,500 to 15,400), within blocks",
        ),
        (
            {"shape": "U", "measure": "slope", "step": 10.0, "about": "given z"},
            "salary is lowest in the middle of age; on a line +9,500 per 10 years of age (3,500 to 15,400), adjusted",
        ),
        (
            {"shape": "unclear", "measure": "slope", "step": 10.0, "low": -544.0},
            "salary: no clear rise or fall with age: 9,500 per 10 years of age (-500 to 15,400)",
        ),
    ],
)
def test_along_numbers(fields, words):
    usual = {"by": "age", "by_unit": "years", "first": "30 or less", "second": "50 or more"}
    assert change_text(change(**(usual | fields)), PLAIN)[0] == words


def test_shares_are_in_points():
    groups = (GroupNumbers("no", 2000, 0.0926), GroupNumbers("yes", 340, 0.2832))
    share = change(
        what="deny",
        by="afam",
        first="no",
        second="yes",
        of="yes",
        measure="share",
        estimate=0.1906,
        low=0.144,
        high=0.241,
    )
    words = "share with deny = yes is 19.1 points higher for afam yes than for afam no (14.4 to 24.1)"
    assert change_text(Change(**(vars(share) | {"groups": groups})), PLAIN) == (
        words,
        "share (n) no: 9.3 % (2,000); yes: 28.3 % (340)",
    )
    adjusted = Change(**(vars(share) | {"groups": groups, "about": "given z"}))
    assert change_text(adjusted, PLAIN) == (
        f"{words}, adjusted",
        "unadjusted share (n) no: 9.3 % (2,000); yes: 28.3 % (340)",
    )


def hazard(**fields):
    groups = (GroupNumbers("1", 138, median=270.0, events=112), GroupNumbers("2", 90, events=53))
    usual = {"what": "time", "by": "sex", "measure": "hazard ratio", "first": "1", "second": "2", "groups": groups}
    return change(**(usual | {"estimate": 0.588, "low": 0.424, "high": 0.816} | fields))


def test_hazards_say_where_events_come_sooner():
    assert change_text(hazard(), PLAIN) == (
        "events come sooner with sex 1: hazard 1.70 times that of sex 2 (1.23 to 2.36)",
        "median time (events, n) 1: 270 (112, 138); 2: not reached (53, 90)",
    )
    along = hazard(by="age", first="50 or less", second="70 or more", shape="rises", estimate=2.0, low=1.2, high=3.0)
    assert change_text(along, PLAIN)[0] == (
        "events come sooner with age of 70 or more: hazard 2.00 times that of 50 or less (1.20 to 3.00)"
    )
    unclear = hazard(
        by="age", first="50 or less", second="70 or more", shape="unclear", estimate=1.2, low=0.9, high=1.6
    )
    assert change_text(unclear, PLAIN)[0] == (
        "events: no clear change with age: hazard 1.20 times as high for 70 or more as for 50 or less (0.90 to 1.60)"
    )
    step = hazard(by="age", first="", second="", step=10.0, shape="falls")
    assert (
        change_text(step, PLAIN)[0] == "events come later with age: hazard divided by 1.70 per 10 of age (1.23 to 2.36)"
    )


def skewed(**fields):
    groups = (GroupNumbers("A", 79, 12.0, 40.0, 1.59, 1.13, 2.28), GroupNumbers("B", 83, 30.0, 90.0, 3.58, 1.52, 8.17))
    return change(**({"measure": "ratio", "estimate": 2.23, "low": 1.59, "high": 3.11, "groups": groups} | fields))


ENDS = {"by": "age", "first": "40 or less", "second": "60 or more"}


def test_ratios_say_how_many_times_and_show_medians():
    words, numbers = change_text(skewed(), PLAIN)
    assert words.endswith(" is typically 2.23 times as high for discipline B as for discipline A (1.59 to 3.11)")
    assert numbers == "median (quartiles, n) A: 1.59 (1.13 to 2.28, 79); B: 3.58 (1.52 to 8.17, 83)"
    assert short_change(skewed(), PLAIN) == "higher in B: 2.23 times (1.59 to 3.11)"
    falls = skewed(estimate=0.5, low=0.25, high=0.8, shape="falls", **ENDS)
    assert change_text(falls, PLAIN)[0].endswith(
        " falls with age: typically divided by 2.00 from 40 or less to 60 or more (1.25 to 4.00)"
    )
    assert short_change(falls, PLAIN) == "falls, divided by 2.00 (1.25 to 4.00)"
    values = skewed(estimate=0.5, low=0.25, high=0.8, shape="falls", by="arm", first="0", second="1")
    assert change_text(values, PLAIN)[0].endswith(
        " is typically 2.00 times as high for arm 0 as for arm 1 (1.25 to 4.00)"
    )


def test_the_order_of_pairs_is_a_share_of_pairs():
    pairs = {"measure": "pairs", "estimate": 0.3, "low": 0.22, "high": 0.38}
    assert change_text(skewed(**pairs), PLAIN)[0].endswith(
        " tends to be higher for discipline A than for discipline B: in 70 % of pairs of rows (62 to 78)"
    )
    assert short_change(skewed(**pairs), PLAIN) == "higher in A in 70 % of pairs (62 to 78)"
    falls = skewed(**pairs, **ENDS, shape="falls")
    assert change_text(falls, PLAIN)[0].endswith(
        " tends to fall with age: lower at 60 or more than at 40 or less in 70 % of pairs of rows (62 to 78)"
    )
    assert short_change(falls, PLAIN) == "tends to fall: 70 % of pairs (62 to 78)"


def test_two_values_of_a_column_are_compared_like_two_groups():
    words, _ = change_text(change(by="PC", first="0", second="1", shape="rises"), PLAIN)
    assert " higher for PC 1 than for PC 0 (" in words


def test_the_first_interval_says_what_it_is():
    assert change_text(change(), PLAIN, named=True)[0].endswith("(95 %: 3,500 to 15,400)")
    assert "(95 %: 1.23 to 2.36)" in change_text(hazard(), PLAIN, named=True)[0]
    assert "(95 %: 1.59 to 3.11)" in change_text(skewed(), PLAIN, named=True)[0]
    pairs = skewed(measure="pairs", estimate=0.7, low=0.62, high=0.78)
    assert "(95 %: 62 to 78)" in change_text(pairs, PLAIN, named=True)[0]


def test_in_tables_direction_and_size_are_short():
    assert short_change(change(), PLAIN) == "higher in B: 9,500 (3,500 to 15,400)"
    three = change(groups=(*change().groups, GroupNumbers("C", 9, 1.0)))
    assert short_change(three, PLAIN) == "highest in B: 9,500 (3,500 to 15,400)"
    assert short_change(change(shape="U", estimate=-2.0, low=-3.0, high=-1.0), PLAIN) == "U-shaped, by 2.0 (1.0 to 3.0)"
    assert (
        short_change(change(shape="unclear", estimate=-2.0, low=-3.0, high=1.0), PLAIN) == "unclear, -2.0 (-3.0 to 1.0)"
    )
    assert short_change(hazard(), PLAIN) == "sooner in 1, 1.70 times (1.23 to 2.36)"
    assert short_change(hazard(shape="falls", step=10.0), PLAIN) == "later, 1.70 times per 10 (1.23 to 2.36)"


def test_amounts_have_the_digits_that_their_error_leaves():
    assert amounts([1.23456, -0.00001], 0.2, PLAIN) == ["1.23", "0.00"]
    assert amounts([3e12], 1e10, PLAIN) == ["3e+12"]
    assert amounts([-12.3], 1.0, TYPESET) == ["−12.3"]
    assert amounts([5.0], float("nan"), PLAIN) == ["5.000"]


def test_kinds_say_what_is_clear_and_what_is_not():
    kinds = [Kind("level", 0.2, 0.6), Kind("spread", 0.001, 0.004, bounded=True), Kind("joint", 0.002, 0.006)]
    assert kinds_text(kinds, PLAIN) == "spread (p <= 0.004), correlation (p = 0.006); not clear: level"
    assert kinds_text(kinds[1:], PLAIN, joint="interaction of columns", bound=0.004) == (
        "spread (p <= 0.004), interaction of columns (p = 0.006)"
    )
    assert kinds_text(kinds[:1], PLAIN) == "not clear: level"
    assert kinds_text([], PLAIN) == ""


def test_what_there_is_at_most():
    numbers = Effect(measure="R2", score=0.0, rank_score=0.0, rank_low=0.0, rank_high=0.0512)
    assert at_most_text(result(0.5, effect=numbers), PLAIN) == (
        "any dependence these forests can detect explains at most 6 % of the variance of ranks"
    )
    areas = Effect(measure="AUC", score=0.5, score_low=0.4, score_high=0.58)
    assert at_most_text(result(0.5, effect=areas), PLAIN) == (
        "any difference these forests can detect has an AUC of at most 0.58"
    )
    added = Effect(measure="AUC", score=0.0, score_low=0.0, score_high=0.021, about="beyond z")
    assert at_most_text(result(0.5, effect=added), PLAIN) == (
        "any dependence these forests can detect adds at most 0.02 to the AUC of the covariates"
    )
    assert at_most_text(result(0.5), PLAIN) == ""


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (
            "below",
            "the effect is below AUC 0.6 (0.500 to 0.580): equivalent for practical purposes, as far as these forests "
            "can detect",
        ),
        ("above", "the effect is above AUC 0.6 (0.500 to 0.580)"),
        ("undecided", "undecided: the effect may be below or above AUC 0.6 (0.500 to 0.580)"),
    ],
)
def test_margins(decision, words):
    assert margin_text(Margin(0.6, "AUC", decision, 0.5, 0.5, 0.58), PLAIN) == words
    assert margin_text(None, PLAIN) == ""


def test_dates_are_shown_as_dates_and_their_differences_as_times():
    unit = "days since 2012-03-01"
    along = Change(
        "hired (elapsed)", "salary", "hired (elapsed)", "mean", "rises", "2012-03-01 or earlier",
        "2019-06-30 or later", 4100.0, 3000.0, 5200.0, 90, by_unit=unit,
    )  # fmt: skip
    text, _ = change_text(along, PLAIN)
    assert text == (
        "salary rises with hired: by 4,100 from 2012-03-01 or earlier to 2019-06-30 or later (3,000 to 5,200)"
    )
    slope = replace(along, measure="slope", first="", second="", step=100.0)
    assert "per 100 days of hired (" in change_text(slope, PLAIN)[0]
    groups = (GroupNumbers("old", 40, 10.2, 3.0), GroupNumbers("new", 50, 41.6, 3.0))
    between = Change(
        "hired", "hired", "team", "mean", "differs", "old", "new", 31.4, 30.0, 32.8, 90, groups=groups, unit=unit
    )
    text, numbers = change_text(between, PLAIN)
    assert text == "hired is 31.4 days later for new than for old (30.0 to 32.8)"
    assert numbers == "mean (sd, n) old: 2012-03-11 (3.0 days, 40); new: 2012-04-11 (3.0 days, 50)"


def test_in_a_table_a_category_is_named_if_it_is_the_column_that_changes():
    share = {"measure": "share", "estimate": 0.4, "low": 0.3, "high": 0.5, "of": "Dream", "by": "species"}
    island = change(column="island", what="island", **share)
    assert short_change(island, PLAIN) == "Dream higher in B: 40 points (30 to 50)"
    assert short_change(replace(island, column="species"), PLAIN) == "higher in B: 40 points (30 to 50)"


def test_the_measure_of_a_margin_is_typeset():
    margin = Margin(0.1, "R2 of ranks", "below", 0.0, 0.0, 0.09)
    assert "below R² of ranks 0.1" in margin_text(margin, TYPESET)
