"""The page of a screen."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import reports
import views
from kmerf import report
from kmerf.pictures.of_studies import pvalue_histogram
from kmerf.report import screened
from kmerf.report.svg import draw
from kmerf.results.views import ColumnEffects


def values(html):
    return json.loads(re.search(r'id="values">(.*?)</script>', html, re.DOTALL)[1])


@pytest.mark.parametrize(
    ("pvalues", "says"),
    [
        ((0.2, 0.3), "None of 2 columns is clearly related to y."),
        ((1e-6, 0.3), "1 of 2 columns is related to y: g0."),
        ((1e-6, 1e-5, np.nan), "2 of 2 columns are related to y: g0, g1."),
    ],
)
def test_the_headline_counts(pvalues, says):
    assert f'<p class="verdict">{says}</p>' in report.html(views.screen(pvalues))


def test_the_title_names_y_and_groups():
    assert "<h1>Which columns are related to y?</h1>" in report.html(views.screen())
    arm = {"name": "arm", "role": "groups", "kind": "text", "missing": 0, "distinct": 2, "remark": ""}
    page = report.html(views.screen(groups={"a": 30, "b": 20}), {"columns": [arm]})
    assert "<h1>In which columns do the groups of arm differ?</h1>" in page


def test_the_question_and_the_headline_name_what_is_given():
    given = views.screen((1e-6, 0.3), settings={"given": ["age", "sex"]})
    page = report.html(given)
    assert "<h1>Which columns are related to y, given age and sex?</h1>" in page
    assert '<p class="verdict">1 of 2 columns is related to y, given age and sex: g0.</p>' in page
    assert "Screen of 2 columns, given age and sex (" in page
    assert "How many are more than chance?" not in page  # two p-values have no distribution
    many = report.html(views.screen(np.linspace(0.01, 1.0, 60), settings={"given": ["age", "sex"]}))
    assert "If y depended on no column, given age and sex, all bars" in many


def test_a_censored_y_has_words_of_its_own():
    columns = [
        {"name": name, "role": "y", "kind": "numeric", "missing": 0, "distinct": 2, "remark": ""}
        for name in ("status", "time")
    ]
    censored = effects(y_kind="censored", events=30)
    page = report.html(censored, {"columns": columns, "y": ["time", "status"]})
    assert "<h1>Which columns are related to time until status?</h1>" in page
    assert "explain in the log-rank scores of time until status" in page
    assert "Direction: whether events come sooner or later as the column rises" in page
    assert "y time-to-event: 30 events, 20 censored" in page


def test_the_first_rows_are_those_of_the_script():
    page = report.html(views.screen())
    table = values(page)
    assert table["name"] == ["g1", "g3", "g0", "g2"]
    assert table["p"] == [0.01, 0.03, 0.2, None]
    rows = re.findall(r'<td class="w"><bdi>(\w+)</bdi>', page)
    assert rows == table["name"]
    assert '≤ 0.01<span class="star">*</span>' in page
    assert table["bound"] == [0.01, None, None, None]
    assert "≤ 0.01" in page
    assert page.count('<tr class="chosen">') == 2
    assert table["page"] == screened.PAGE


def test_a_page_lists_fifty_columns_and_errors_by_their_reason():
    page = report.html(reports.screen(60))
    assert len(re.findall(r'<tr[^>]*><td class="n"></td>', page)) == 50
    broken = views.screen(errors={f"e{i}": "why" for i in range(23)})
    assert "<dt>e0, e1, e2, e3, e4 and 18 more</dt><dd>why</dd>" in report.html(broken)


def effects(pvalues=(0.2, 1e-6, np.nan, 0.03), **fields):
    sketches = {"g1": ((0.0, 1.0), (1.0, 3.0)), "g3": ((0.0, 2.0), (1.0, 1.0))}
    sizes = np.array([0.01, 0.5, np.nan, 0.2])
    found = ColumnEffects(sizes, ("neither", "rises", "", "falls"), sketches)
    return views.screen(pvalues, effects=found, source="Permuted as often as needed.", **fields)


def test_columns_have_an_effect_a_direction_and_a_picture():
    page = report.html(effects())
    table = values(page)
    assert table["effect"] == [0.5, 0.2, 0.01, None]
    assert table["direction"] == ["rises", "falls", "neither", ""]
    assert table["sketch"] == {"0": [[2.0, 18.0], [62.0, 2.0]], "1": [[2.0, 2.0], [62.0, 18.0]]}
    assert "Direction: whether y rises or falls along the column" in page
    assert 'data-key="statistic"' not in page
    assert 'data-key="effect"' not in report.html(views.screen())  # sets of columns, or an older file


def test_how_p_values_were_made_is_no_warning():
    page = report.html(effects())
    assert "Permuted as often as needed." in page
    assert "Before you rely on this" not in page


def test_the_histogram_has_the_line_that_chance_would_follow():
    drawn = draw(pvalue_histogram(views.screen(np.linspace(0.005, 0.995, 100))))
    assert "by chance alone about 5 would be in each bar" in drawn
    assert drawn.count("<rect") == 20
    assert len(set(re.findall(r'<rect[^>]* height="([\d.]+)"', drawn))) == 1  # even p-values make even bars
    level = float(re.search(r'<line [^>]*y1="([\d.]+)"[^>]*class="threshold"', drawn)[1])
    assert level == float(re.search(r'<rect[^>]* y="([\d.]+)"', drawn)[1])


def test_the_page_names_the_test():
    page = report.html(views.screen())
    assert "Screen of 4 columns (Dcorr)" in page
    assert "<dt>Test</dt><dd><b>Dcorr</b>" in page


def test_effects_are_rounded_once():
    assert screened._digits(np.array([0.13447]), 7) == [0.13447]
