"""Kaplan and Meier's curves on the page."""

import numpy as np
import pandas as pd

import kmerf
from kmerf.report import html
from kmerf.report.survival_chart import survival_chart, survival_section
from kmerf.results.views import SurvivalCurve, SurvivalCurves

CURVES = SurvivalCurves(
    "age <b>",
    "days",
    (
        SurvivalCurve("up to 50", 4, 2, np.array([1.0, 2.0]), np.array([0.75, 0.5])),
        SurvivalCurve("above 50", 3, 1, np.array([4.0]), np.array([0.0])),
    ),
)


def test_curves_are_steps_on_one_scale():
    drawn = str(survival_chart(CURVES))
    assert drawn.count("<polyline") == 2
    assert "age &lt;b&gt;" in drawn
    # 460 wide less margins of 40 and 12, up to 4 days; from one share of 1 down
    assert 'points="40.0,30.0 142.0,30.0 142.0,77.5 244.0,77.5 244.0,125.0"' in drawn


def test_the_page_of_a_censored_outcome_has_them():
    x = np.arange(60.0)
    y = np.column_stack([100 - x, np.arange(60) % 3 > 0])
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    null = kmerf.Permutation(19)
    result = kmerf.independence(x, y, y_kind="censored", method=method, null=null, details=True, rng=1)
    page = html(result)
    assert 'id="survival"' in page
    assert "How long rows last, by x1" in page
    section = survival_section(result)
    assert [name.split(" (")[0] for _, name in section["legend"]] == [c.label for c in result.details.survival.curves]
    assert "y_kind=&#34;censored&#34;, rng=1)" in page  # without it, the call would be another test
    assert "A high log-rank score is an event sooner" in page
    plain = kmerf.independence(x, x, method=method, null=null, rng=1)
    assert survival_section(plain) is None
    assert 'id="survival"' not in html(plain)


def test_the_page_names_the_time_and_not_its_scores():
    rng = np.random.default_rng(0)
    age = rng.normal(size=80)
    table = pd.DataFrame({"age": age, "days": rng.exponential(np.exp(-age)), "dead": rng.random(80) < 0.8})
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    asked = {"y_kind": "censored", "method": method, "null": kmerf.Permutation(19), "rng": 1}
    page = html(kmerf.independence(table, ("days", "dead"), details=True, **asked))
    assert "Does days depend on age?" in page
    assert "of the variance of the ranks of the log-rank scores of days" in page
