"""Kaplan and Meier's curves on the page."""

import numpy as np

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
    assert 'points="40.0,24.0 142.0,24.0 142.0,73.0 244.0,73.0 244.0,122.0"' in drawn


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
    plain = kmerf.independence(x, x, method=method, null=null, rng=1)
    assert survival_section(plain) is None
    assert 'id="survival"' not in html(plain)
