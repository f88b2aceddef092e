"""The page of a screen."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import reports
import views
from kmerf import report
from kmerf.report import screened


def values(html):
    return json.loads(re.search(r'id="values">(.*?)</script>', html, re.DOTALL)[1])


@pytest.mark.parametrize(
    ("pvalues", "says"),
    [
        ((0.2, 0.3), "None of 2 tested was selected."),
        ((1e-6, 0.3), "1 of 2 tested is selected."),
        ((1e-6, 1e-5, np.nan), "2 of 2 tested are selected."),
    ],
)
def test_the_headline_counts(pvalues, says):
    assert f'<p class="verdict">{says}</p>' in report.html(views.screen(pvalues))


def test_the_title_names_y_and_groups():
    assert "<h1>Which columns is y related to?</h1>" in report.html(views.screen())
    arm = {"name": "arm", "role": "groups", "kind": "text", "missing": 0, "distinct": 2, "remark": ""}
    page = report.html(views.screen(), {"columns": [arm]})
    assert "<h1>In which columns do the groups of arm differ?</h1>" in page


def test_the_first_rows_are_those_of_the_script():
    page = report.html(views.screen())
    table = values(page)
    assert table["name"] == ["g1", "g3", "g0", "g2"]
    assert table["p"] == [1e-6, 0.03, 0.2, None]
    rows = re.findall(r'<td class="w"><bdi>(\w+)</bdi>', page)
    assert rows == table["name"]
    assert '1.0 × 10⁻⁶<span class="star">*</span>' in page
    assert page.count('<tr class="chosen">') == 2
    assert table["page"] == screened.PAGE


def test_a_page_lists_fifty_columns_and_twenty_errors():
    page = report.html(reports.screen(60))
    assert len(re.findall(r'<tr[^>]*><td class="n"></td>', page)) == 50
    broken = views.screen(errors={f"e{i}": "why" for i in range(23)})
    assert "And 3 more." in report.html(broken)
