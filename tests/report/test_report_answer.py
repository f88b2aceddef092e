"""The page of a test: its sections, and what stands in them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

import kmerf
import views
from kmerf import report
from kmerf.report import answer, records
from pages import outcome, page, read


def test_the_page_of_a_test_has_every_section():
    assert re.findall(r'<section id="(\w+)">', page("numeric")) == [
        *("null", "members", "features", "together", "profiles", "map", "rows", "data", "again")
    ]
    sections = re.findall(r'<section id="(\w+)">', page("grouped"))
    assert "pairs" in sections
    assert "data" not in sections
    texts = "".join(read(page("numeric")).texts)
    assert "Before you rely on this" in texts
    assert "not a confidence interval" in texts
    assert "2 had no value of y" in texts
    assert "The seed was drawn: add --seed 1" in texts
    assert records.PAPER in texts
    assert f"kmerf {kmerf.__version__}" in texts
    assert "kmerf.ksample(table, groups=groups, rng=1)" in page("grouped")


def test_reports_work_with_little_to_tell():
    x = np.random.default_rng(0).normal(size=(24, 2))
    plain = kmerf.independence(x, x[:, 0], method=kmerf.rivals.Dcorr(), null=kmerf.Permutation(19), rng=1)
    assert re.findall(r'<section id="(\w+)">', report.html(plain)) == ["null", "again"]
    square = kmerf.independence(x, x, method=kmerf.rivals.Dcorr(), null=kmerf.ChiSquare(), rng=1)
    assert "chi-square approximation" in report.html(square)


def texts(html):
    return " ".join("".join(read(html).texts).split())


def test_the_verdict_is_the_one_of_the_terminal():
    shown = texts(report.html(views.result(0.4, 0.01)))
    assert "There is no clear evidence that y is related to these columns." in shown
    assert "a strong relation" in texts(report.html(views.result(0.001, 0.4)))


def test_members_say_what_they_ask_and_what_their_statistics_are():
    members = (views.AVERAGE, views.SPREAD, views.LOCAL)
    shown = texts(report.html(views.result(members=members)))
    assert "What it asks" in shown
    assert "Does the spread?" in shown
    assert "Statistic: mean: a share of variance; spread, local: a correlation. Score:" in shown
    silent = tuple(replace(member, asks="", measures="") for member in members)
    old = texts(report.html(views.result(members=silent)))  # as loaded from a file of an older version
    assert "What it asks" not in old
    assert "Statistic:" not in old


def test_features_beyond_the_fold_and_beyond_the_most():
    names = [f"f{i}" for i in range(answer.MOST + 5)]
    many = views.importances(names, np.linspace(1.0, 0.0, len(names)))
    html = report.html(views.result(importances=many, features=None, p=len(names)))
    assert f"<summary>{answer.MOST - answer.SHOWN} more columns</summary>" in html
    assert "... and 5 more features" in html
    assert html.count('class="b"><svg') == answer.MOST
    assert "highlighted" not in html


def test_pairs_and_groups_of_features_are_highlighted_at_the_level():
    pairs = (views.pair("a", "b", 0.01), views.pair("a", "c", 0.5))
    html = report.html(views.grouped(groups="abc", pairwise=pairs, feature_groups=views.features(("s", "t", "u"))))
    section = re.search(r'<section id="pairs">.*?</section>', html, re.DOTALL)[0]
    assert section.count('<tr class="chosen">') == 1
    assert "those at or below 0.05" in section
    together = re.search(r'<section id="together">.*?</section>', html, re.DOTALL)[0]
    assert together.count('<tr class="chosen">') == 2


def test_groups_that_share_a_colour_share_an_entry():
    assert answer.legend(["a", "b"]) == [("c0", "a"), ("c1", "b")]
    assert answer.legend([str(k) for k in range(9)])[-1] == ("c6", "3 more")


def test_rows_that_carry_it_are_counted_from_one():
    section = answer.row_section(outcome("numeric"))
    assert len(section["most"]) == answer.ROWS
    assert section["most"] == sorted(section["most"], key=lambda entry: -entry[1])
    assert answer.row_section(views.result()) is None
    assert answer.map_section(views.result()) is None
    assert answer.profile_section(views.result()) is None
