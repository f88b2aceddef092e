"""What print shows."""

import textwrap
from dataclasses import replace

import numpy as np

import kmerf
import views
from kmerf.results.views import DescribedColumn, Description
from kmerf.show.text import lines
from kmerf.show.verdict import curve_answer
from power_curves import made_curve


def test_a_result_prints_its_first_lines():
    assert str(views.result(1e-5, 0.4, notes=("be careful",))).splitlines() == [
        "Does y depend on these columns?",
        "There is evidence that y is related to these columns.",
        "  p-value  p = 1.0e-05 (1,200 rows; 19 permutations, standard error 0.001)",
        "  effect   strong: R2 0.400",
        "note: be careful",
        "(more: print(result.in_full()), .paragraph())",
    ]


def test_in_full_a_result_has_its_facts_and_tables_too():
    members = (views.AVERAGE, views.LOCAL)
    result = views.result(1e-5, 0.4, members=members, notes=("be careful",))
    text = result.in_full()
    assert text.splitlines()[:4] == str(result).splitlines()[:4]
    assert text[text.index("Test of") :].splitlines() == [
        "Test of independence (KMERF)",
        "",
        "  p-value       1.0e-05   19 permutations; standard error 0.001",
        "  effect          0.400   strong: R2, the share of the variance explained",
        "  statistic      11.602   soft maximum of the scores",
        "  data       1,200 rows   3 features; y numeric",
        "  seed                7",
        "",
        "  member  score  share  p alone",
        "  -----------------------------------------------------",
        "  mean     9.00   0.90  <= 0.05  Does the average move?",
        "  local    1.00   0.08    0.200  Are neighbours near?",
        "",
        "  feature  importance   95 % of trees        p  p, family",
        "  -----------------------------------------------------------------------------",
        "  x2            0.700  0.650 to 0.750  2.0e-04    4.0e-04  ████████████████████",
        "  x3            0.200  0.150 to 0.250    0.025      0.050  ██████",
        "  x1            0.100  0.050 to 0.150    0.150      0.300  ███",
        "",
        "note: be careful",
    ]


def test_groups_of_features_and_pairs_of_groups_are_tables_too():
    pairs = tuple(views.pair(f"g{i}", "other", 0.01 * i) for i in range(1, 24))
    text = views.grouped(pairwise=pairs, feature_groups=views.features(("a", "b", "c"))).in_full()
    assert "  features together  features  importance" in text
    assert "  g1 - other     0.12346  0.010    0.030" in text
    assert "  ... and 3 more pairs" in text


def test_long_and_hostile_names_are_cut_and_spelled_out():
    text = views.result(importances=views.importances(("a" * 60, "\x1b[31m", "x3")), features=None).in_full()
    assert "\x1b" not in text
    assert "  \\x1b[31m " in text
    assert f"  {'a' * 14}…{'a' * 13}  " in text


def test_a_screen_prints_its_best_columns():
    lines = str(views.screen()).splitlines()
    assert lines[:3] == [
        "Which columns are related to y?",
        "2 of 3 columns are related to y: g1, g3.",
        "Screen of 4 columns (Dcorr)",
    ]
    assert lines[4].startswith("  selected        2   at a false discovery rate of 0.05 (Benjamini-Hochberg)")
    assert "  g1            0.5  <= 0.01  <= 0.01*  <= 0.01*  selected" in lines
    assert "  g0            0.3    0.200    0.300     0.600" in lines
    assert lines[-1] == "note: not tested: g2: the same in every row"


def test_of_many_columns_10_are_listed_or_up_to_50_that_are_selected():
    few = str(views.screen(np.linspace(0.2, 0.9, 40)))
    assert "... and 30 more columns" in few
    many = str(views.screen(np.linspace(1e-9, 1e-8, 40)))
    assert "more columns" not in many
    assert all(f"\n  g{k} " in many for k in range(40))
    long = str(views.screen(np.linspace(1e-9, 1e-8, 90)))
    assert "\n  ... and 40 more columns" in long


def test_lines_have_at_most_80_letters():
    wordy = replace(
        views.AVERAGE, question="Does the shape of the distribution change with x: its skew, its tails, its peaks?"
    )
    long = views.importances(("a_name_of_some_length_indeed", "x2", "x3"))
    lines = views.result(members=(wordy, views.LOCAL), importances=long).in_full().splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(" " * 33) and line.endswith("its peaks?") for line in lines)  # below its first words


def test_one_of_a_kind_is_singular():
    assert "(1 row; " in str(views.result(n=1, p=1))
    assert "1 feature;" in views.result(n=1, p=1).in_full()
    assert "Screen of 1 column (Dcorr)" in str(views.screen((0.2,)))


def test_repr_is_five_lines():
    for outcome in (views.result(1e-5, 0.4), views.result(), views.screen()):
        assert len(repr(outcome).splitlines()) == 5
    assert "p-value 1.0e-05" in repr(views.result(1e-5, 0.4))
    assert "best: g1, g3, g0" in repr(views.screen())


def test_losses_that_are_all_negative_have_no_bars():
    from kmerf.show.tables import Share, ShownRow, ShownTable
    from kmerf.show.text import table_lines

    rows = tuple(
        ShownRow((name,), (f"{loss}",), share=Share(loss, loss, 0.0)) for name, loss in (("a", -0.2), ("b", -0.1))
    )
    assert table_lines(ShownTable(("feature", "importance"), rows))[2:] == [
        "  a              -0.2",
        "  b              -0.1",
    ]


def test_columns_stand_under_each_other_and_long_names_are_cut():
    columns = (
        DescribedColumn("a" * 300, "x", "numeric", 0, 12, ""),
        DescribedColumn("films", "left out", "other", 3, None, "holds lists"),
    )
    size, heads, first, second = lines(Description(20, columns))
    assert size == "20 rows, 2 columns"
    assert len(first) < 150
    assert heads.index("used as") == first.index(" x ") + 1 == second.index("left out")
    assert second.endswith("holds lists")
    assert first.endswith("12")


def test_the_answer_names_the_rows_and_those_on_the_safe_side():
    curve = made_curve(low=(0.1, 0.3, 0.85))
    assert curve_answer(curve) == "About 200 rows give power 0.8; 353 to be on the safe side."


def test_a_pilot_that_is_too_small_is_called_so():
    text = curve_answer(made_curve())
    assert text.startswith("The pilot of 100 rows is too small to estimate the rows for power 0.8: 100 may be enough")
    assert text.endswith("100 may be enough, and 400 may not. Collect a larger pilot first.")
    nothing = curve_answer(made_curve(low=(0.05, 0.05, 0.06)))
    assert nothing.endswith("may not, because the pilot may contain no relation at all. Collect a larger pilot first.")


def test_where_no_size_may_do_that_is_said():
    text = curve_answer(made_curve(power=(0.1, 0.1, 0.2), high=(0.1, 0.2, 0.3), low=(0.05, 0.05, 0.05)))
    assert text.endswith("power 0.8: more than 400, if there is a relation at all.")


def test_print_shows_the_curve():
    assert str(made_curve()).splitlines() == [
        "How many rows are needed to detect a relation of y to x with power 0.8?",
        *textwrap.wrap(curve_answer(made_curve()), 80),
        "Plan for power 0.8 (Dcorr, level 0.05)",
        "",
        "  rows needed       200   95 % interval 100 and up",
        "  pilot        100 rows   60 subsamples of each of 2 sizes",
        "  seed                1",
        "",
        "  rows  power  95 % interval",
        "  ----------------------------------------------",
        "  25     0.25   0.10 to 0.50  █████",
        "  100    0.70   0.30 to 0.80  ██████████████",
        "  400    0.90   0.60 to 0.99  ██████████████████",
        "",
        "note: one <note>",
    ]


def test_events_of_a_pilot_are_counted():
    assert "pilot        100 rows, 40 events   60 subsamples" in str(made_curve(events=40))


def test_repr_is_short_and_html_is_escaped():
    assert repr(made_curve()).splitlines()[:2] == [
        "<kmerf.PowerCurve: Plan for power 0.8 (Dcorr, level 0.05)",
        "  200 rows, 95 % interval 100 and up; pilot of 100 rows, seed 1",
    ]
    html = made_curve()._repr_html_()
    assert "one &lt;note&gt;" in html
    assert "<td>0.70</td><td>0.30 to 0.80</td>" in html
    both = made_curve(low=(0.1, 0.3, 0.85))
    assert "200 rows, 95 % interval 100 to 353;" in repr(both)
    assert "> 400 rows, 95 % interval > 400;" in repr(made_curve(power=(0.1, 0.1, 0.2), high=(0.1, 0.2, 0.3)))


def test_features_and_importances_print_as_tables():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    method = kmerf.KMERF(kmerf.ForestSpec(10))
    groups = {"both": ["x1", "x2"]}
    result = kmerf.independence(x, x[:, 1], method=method, null=kmerf.Permutation(19), feature_groups=groups, rng=1)
    lines = repr(result.features).splitlines()
    assert lines[0].split() == ["feature", "importance", "p", "p,", "family"]
    assert [line.split()[0] for line in lines[2:]] == ["x2", "x1"]
    assert "both" in str(result.feature_groups)
    assert " to " in str(result.importances)
