"""Pages of power: a study, and the curve of a pilot."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import kmerf
import reports
from kmerf import report
from kmerf.pictures.of_studies import simulation_title
from kmerf.report import curves
from kmerf.study import Power, Simulated
from pages import read
from power_curves import made_curve


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


def text(html):
    return " ".join("".join(read(html).texts).split())


def test_a_plan_has_the_answer_the_curve_and_all_numbers():
    curve = made_curve(low=(0.1, 0.3, 0.85), tried_sizes=(25, 50, 100), tried_power=(0.2, 0.5, 1.0))
    html = report.html(curve)
    assert "<h1>How many rows are needed to detect a relation of y to x with power 0.8?</h1>" in html
    months = report.html(made_curve(y_names=("months", "relapse"), events=40))
    assert "a relation of months until relapse to x" in months
    shown = text(html)
    assert "About 200 rows give power 0.8" in shown
    assert "one <note>" in shown
    assert re.findall(r'<section id="(\w+)"', html) == ["curve", "table", "again"]
    assert html.count('class="chosen"') == int((curve.power >= curve.target).sum())
    for said in (
        "Line and band: the power and its 95 % interval.",
        "Points: the share of parts",
        "Diamond: the 200 rows",
    ):
        assert said in shown.replace("\u00a0", " ")
    chart = re.search(r'<svg class="chart.*?</svg>', html, re.DOTALL)[0]
    assert chart.count("<circle") == 2  # the pilot itself is found or not, which is not a share
    assert chart.count('class="apart"') == 3
    assert "kmerf.power_curve(x, y, rng=1)" in html


def test_a_pilot_that_is_too_small_marks_no_rows():
    html = report.html(made_curve())
    assert "too small to estimate" in text(html)
    assert "Diamond" not in html
    assert '<div class="answer none">' in html


def test_a_plan_of_times_and_events_is_repeated_as_one():
    assert "y_kind=&#34;censored&#34;" in report.html(made_curve(events=40))
