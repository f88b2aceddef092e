"""What print shows."""

from dataclasses import replace

import numpy as np

import views


def test_a_result_prints_its_facts_and_tables():
    members = (views.AVERAGE, views.LOCAL)
    assert str(views.result(1e-5, 0.4, members=members, notes=("be careful",))).splitlines() == [
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
    text = str(views.grouped(pairwise=pairs, feature_groups=views.features(("a", "b", "c"))))
    assert "  features together  features  importance" in text
    assert "  g1 - other     0.12346  0.010    0.030" in text
    assert "  ... and 3 more pairs" in text


def test_long_and_hostile_names_are_cut_and_spelled_out():
    text = str(views.result(importances=views.importances(("a" * 60, "\x1b[31m", "x3")), features=None))
    assert "\x1b" not in text
    assert "  \\x1b[31m " in text
    assert f"  {'a' * 14}…{'a' * 13}  " in text


def test_a_screen_prints_its_best_columns():
    lines = str(views.screen()).splitlines()
    assert lines[0] == "Screen of 4 columns (Dcorr)"
    assert lines[2].startswith("  selected        2   at a false discovery rate of 0.05 (Benjamini-Hochberg)")
    assert "  g1            0.5  <= 0.01  1.5e-06*  3.0e-06*  selected" in lines
    assert "  g0            0.3    0.200    0.300     0.600" in lines
    assert lines[-1] == "note: not tested: g2: the same in every row"


def test_of_many_columns_at_least_10_and_at_most_30_are_listed():
    few = str(views.screen(np.linspace(0.2, 0.9, 40)))
    assert "... and 30 more columns" in few
    many = str(views.screen(np.linspace(1e-9, 1e-8, 40)))
    assert "... and 10 more columns" in many


def test_what_could_not_be_tested_is_listed_up_to_five():
    outcome = replace(views.screen(), errors={f"e{i}": "why" for i in range(7)})
    assert "note: and 2 more were not tested, see `errors`." in str(outcome)


def test_lines_have_at_most_80_letters():
    wordy = replace(
        views.AVERAGE, asks="Does the form of the distribution change with x: its skew, its tails, its peaks?"
    )
    long = views.importances(("a_name_of_some_length_indeed", "x2", "x3"))
    lines = str(views.result(members=(wordy, views.LOCAL), importances=long)).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(" " * 33) and line.endswith("its peaks?") for line in lines)  # below its first words


def test_one_of_a_kind_is_singular():
    assert "  1 row" in str(views.result(n=1, p=1)).replace("      ", "  ").replace("    ", "  ")
    assert "1 feature;" in str(views.result(n=1, p=1))
    assert str(views.screen((0.2,))).startswith("Screen of 1 column (Dcorr)")


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
