"""The page of a test: its sections, and what stands in them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

import kmerf
import reports
import views
from kmerf import report
from kmerf.report import tested
from kmerf.report.page import PAPER
from pages import outcome, page, read


def test_the_page_of_a_test_has_every_section():
    assert re.findall(r'<section id="(\w+)"', page("numeric")) == [
        *("meaning", "views", "features", "together", "null", "members", "map", "rows", "data", "again")
    ]
    sections = re.findall(r'<section id="(\w+)"', page("grouped"))
    assert "pairs" in sections
    assert "data" not in sections
    texts = "".join(read(page("numeric")).texts)
    assert "Before you rely on this" in texts
    assert "The line is a 95 % interval, for samples of this size." in texts
    assert "it is not a confidence interval" in report.html(views.result())  # whose importances are gains
    assert "2 had no value of </style>" in texts  # y by its name, as text
    assert "The seed was drawn: add --seed 1" in texts
    assert PAPER in texts
    assert f"kmerf {kmerf.__version__}" in texts
    assert "kmerf.ksample(table, groups=groups, pairwise=True, rng=1)" in page("grouped")


def test_reports_work_with_little_to_tell():
    x = np.random.default_rng(0).normal(size=(24, 2))
    plain = kmerf.independence(x, x[:, 0], method=kmerf.baselines.Dcorr(), null=kmerf.Permutation(19), rng=1)
    assert re.findall(r'<section id="(\w+)"', report.html(plain)) == ["meaning", "null", "again"]
    square = kmerf.independence(x, x, method=kmerf.baselines.Dcorr(), null=kmerf.ChiSquare(), rng=1)
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
    assert "Question" in shown
    assert "Does the spread?" in shown
    assert "Statistic: mean: a share of variance; spread, local: a correlation. Score:" in shown
    assert "Clearly answered yes: Does the average move?" in shown  # one of three is clear
    assert "What kind of relation" not in texts(report.html(views.result(0.4, members=members)))  # nothing was found
    silent = tuple(replace(member, question="", measures="") for member in members)
    old = texts(report.html(views.result(members=silent)))  # as loaded from a file of an older version
    assert "Question" not in old
    assert "Statistic:" not in old


def test_features_beyond_the_fold_and_beyond_the_most():
    names = [f"f{i}" for i in range(tested.MAX_FEATURES + 5)]
    many = views.importances(names, np.linspace(1.0, 0.0, len(names)))
    html = report.html(views.result(importances=many, features=None, p=len(names)))
    assert f"<summary>{tested.MAX_FEATURES - tested.FEATURES_SHOWN} more columns</summary>" in html
    assert "... and 5 more features" in html
    assert html.count('class="b"><svg') == tested.MAX_FEATURES
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
    assert tested.legend(["a", "b"]) == [("c0", "a"), ("c1", "b")]
    assert tested.legend([str(k) for k in range(9)])[-1] == ("c6", "3 more")


def test_rows_that_carry_it_are_counted_from_one():
    section = tested.row_section(outcome("numeric"))
    assert len(section["most"]) == tested.MAX_ROWS
    assert section["most"] == sorted(section["most"], key=lambda entry: -entry[1])
    assert tested.row_section(views.result()) is None
    assert tested.map_section(views.result()) is None
    assert tested.view_section(views.result(), ()) is None


def test_rows_have_the_numbers_of_the_file():
    result = outcome("numeric")
    numbers = np.arange(101, 101 + result.n)
    plain, of_file = tested.row_section(result), tested.row_section(result, numbers)
    assert [row + 100 for row, _ in plain["most"]] == [row for row, _ in of_file["most"]]
    data = reports.data() | {"row_numbers": numbers}
    assert "Rows are numbered as in the file" in report.html(result, data)


def test_sections_with_nothing_to_say_are_not_there():
    details = outcome("numeric").details
    even = replace(details, rows=np.full(50_000, 1e-5))
    assert tested.row_section(views.result(details=even)) is None  # no row stands out
    assert tested.row_section(views.result(0.4, details=details)) is None  # nothing was found
    narrow = replace(details.embedding, shares=(0.006, 0.004))
    assert tested.map_section(views.result(details=replace(details, embedding=narrow))) is None
    few = replace(details.embedding, points=np.round(details.embedding.points / np.ptp(details.embedding.points)))
    assert tested.map_section(views.result(details=replace(details, embedding=few))) is None  # rows on few places
    assert tested.map_section(views.result(details=details)) is not None
    one = views.result(importances=views.importances(("height",), (1.0,)), features=None, p=1)
    assert tested.feature_section(one) is None  # it has all of the importance
    alone = replace(details, rows=np.array([5.0, *[0.1] * 30]))
    assert tested.row_section(views.result(details=alone))["against"] == ""


def test_columns_have_their_real_names():
    result = outcome("numeric")
    columns = [{"name": "price", "role": "y", "kind": "numeric", "missing": 0, "distinct": 40, "remark": ""}]
    section = re.search(r'<section id="views">.*?</section>', report.html(result, {"columns": columns}), re.DOTALL)[0]
    assert section.count(">price<") == len(result.details.profiles) + 1
    points = replace(result.details.points, y_names=("cost",))
    named = replace(result, names=None, details=replace(result.details, points=points))
    assert "<h1>Does cost depend on " in report.html(named)


def test_what_the_file_and_the_result_both_warn_of_is_said_once():
    page = report.html(views.result(notes=("rows look ordered",)), {"warnings": ["rows look ordered"], "columns": []})
    assert page.count("rows look ordered") == 1


def test_no_picture_but_the_first_is_alone_in_its_row_of_two():
    result = outcome("numeric")
    profiles = [replace(result.details.profiles[0], feature=f"x{k}") for k in range(4)]
    for count in range(1, 5):
        details = replace(result.details, profiles=tuple(profiles[:count]))
        shown = tested.view_section(replace(result, details=details), ("height",))
        sizes = [re.search(r'viewBox="0 0 (\d+) ', panel.chart)[1] for panel in (*shown["leads"], *shown["panels"])]
        assert len(shown["leads"]) == len(sizes) % 2
        assert sizes == ["400"] * (len(sizes) % 2) + ["310"] * len(shown["panels"])
        assert len(sizes) == (1 if count == 1 else count + 1)  # with y alone, if there are several
