"""The page of a power study."""

from __future__ import annotations

from dataclasses import replace

import pytest

import kmerf
import reports
from kmerf import report
from kmerf.pictures.of_studies import simulation_title
from kmerf.report import curves
from kmerf.study import Power, Simulated


def cell(test="KMERF", name="linear", n=100, p=3, rule="published", power=0.5):
    return Power(test, Simulated(name, n=n, p=p), rule, 0.05, 99, round(99 * power), 0.04, (0.4, 0.6), (0.4, 0.6))


def test_a_study_without_powers_is_refused():
    with pytest.raises(kmerf.InputError, match="run the study first"):
        report.html([])


def test_a_panel_for_each_simulation_and_a_line_for_each_test_and_rule():
    values = curves.context(reports.powers(), None)
    assert [name for name, _ in values["panels"]] == ["Linear", "Spiral"]
    assert [label for _, label in values["entries"]] == [
        *("KMERF, empirical null", "KMERF, own p-value", f"{reports.HOSTILE[0]}, empirical null")
    ]
    assert values["level"] == 0.05


def test_lines_are_named_by_their_test_where_there_is_one_rule():
    assert curves.context([cell(), cell("MGC")], None)["entries"] == [("c0", "KMERF"), ("c1", "MGC")]


def test_what_varies_most_is_across_and_the_other_size_makes_panels():
    by_rows = [cell(n=n, p=p) for n in (50, 100, 200) for p in (3, 5)]
    panels = curves.context(by_rows, None)["panels"]
    assert [name for name, _ in panels] == ["Linear, p = 3", "Linear, p = 5"]
    assert all("sample size n" in chart for _, chart in panels)


def test_simulations_of_others_keep_their_names():
    assert simulation_title("my_own_data") == "my own data"


def test_replicates_are_a_range_where_they_differ():
    def shown(powers):
        return {name: number for name, number, _ in curves.context(powers, None)["figures"]}["Replicates"]

    assert shown([cell(), cell("MGC")]) == "99"
    assert shown([cell(), replace(cell("MGC"), replicates=2000)]) == "99 to 2,000"
