"""Kaplan and Meier's curves on the page."""

from dataclasses import replace

import numpy as np
import pandas as pd

import kmerf
import views
from kmerf.pictures.of_answers import survival
from kmerf.report import html
from kmerf.report.svg import draw, frame_of
from kmerf.report.tested import survival_section
from kmerf.results.views import Details, SurvivalCurve, SurvivalCurves

CURVES = SurvivalCurves(
    "age <b>",
    "days",
    (
        SurvivalCurve("up to 50", 4, 2, np.array([1.0, 2.0]), np.array([0.75, 0.5])),
        SurvivalCurve("above 50", 3, 1, np.array([4.0]), np.array([0.0])),
    ),
)


def test_curves_are_steps_on_one_scale():
    picture = survival(CURVES)
    drawn, frame = str(draw(picture)), frame_of(picture)
    assert drawn.count("<polyline") == 2
    assert "age &lt;b&gt;" in drawn
    steps = [(0, 1.0), (1, 1.0), (1, 0.75), (2, 0.75), (2, 0.5)]
    assert f'points="{" ".join(f"{frame.across(x):.1f},{frame.up(y):.1f}" for x, y in steps)}"' in drawn


def test_the_page_of_a_censored_outcome_has_them():
    x = np.arange(60.0)
    y = np.column_stack([100 - x, np.arange(60) % 3 > 0])
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    null = kmerf.Permutation(19)
    result = kmerf.independence(x, y, y_kind="censored", method=method, null=null, details=True, rng=1)
    page = html(result)
    assert 'id="survival"' in page
    assert "Time until the event, by x1" in page
    section = survival_section(result)
    assert [name.split(" (")[0] for _, name in section["legend"]] == [c.label for c in result.details.survival.curves]
    assert "y_kind=&#34;censored&#34;, rng=1)" in page  # without it, the call would be another test
    assert 'id="views"' not in page  # the only column is that of the curves
    plain = kmerf.independence(x, x, method=method, null=null, rng=1)
    assert survival_section(plain) is None
    assert 'id="survival"' not in html(plain)


def test_the_page_names_the_time_and_the_event_and_says_what_is_measured():
    rng = np.random.default_rng(0)
    age = rng.normal(size=80)
    table = pd.DataFrame({"age": age, "days": rng.exponential(np.exp(-age)), "dead": rng.random(80) < 0.8})
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    asked = {"y_kind": "censored", "method": method, "null": kmerf.Permutation(19), "rng": 1}
    result = kmerf.independence(table, ("days", "dead"), details=True, **asked)
    page = html(result)
    assert "Does days until dead depend on age?" in page
    assert "days until dead is related to age" in page
    assert "of the variance of the ranks of the log-rank scores of days until dead" in page
    cut = result.details.survival.curves[0].label.removeprefix("up to ")
    assert f"Events come sooner if age is above {cut}." in page
    assert f"y time-to-event: {table['dead'].sum()} events, {80 - table['dead'].sum()} censored" in page
    older = result.to_dict()
    for name in ("event", "left_out", "soonest"):
        del older["details"]["survival"][name]
    del older["events"], older["names"]
    assert "Does days until the event depend on age?" in html(kmerf.Result.from_dict(older))


def test_questions_of_members_are_about_the_scores():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    table = {"a": x[:, 0], "b": x[:, 1], "days": rng.exponential(np.exp(-2 * x[:, 0])), "dead": rng.random(60) < 0.8}
    method = kmerf.Portfolio().with_trees(10)
    result = kmerf.independence(
        pd.DataFrame(table), ("days", "dead"), y_kind="censored", method=method, details=True, rng=1
    )
    page = html(result)
    assert "Does the level or the spread of the log-rank scores of days until dead change along some column?" in page
    assert "their level, spread or shape, or how they depend on each other" in page
    assert "the share of the variance of the log-rank scores of days until dead that the trees no longer" in page
    assert "of time " not in page


def test_curves_that_are_not_drawn_are_counted():
    section = survival_section(views.result(details=Details(None, None, (), survival=replace(CURVES, left_out=9))))
    assert section["note"] == "9 smaller categories are not drawn."
    assert section["caption"] == "Lines: the share of rows without an event (Kaplan-Meier)."  # no bands are drawn
    cut = survival_section(views.result(details=Details(None, None, (), survival=replace(CURVES, cut=True))))
    assert cut["note"].startswith("The column is cut where the two sides differ most")
    page = html(views.result(y_kind="censored", details=Details(None, None, (), survival=replace(CURVES, left_out=9))))
    assert "(Kaplan-Meier). 9 smaller categories are not drawn.</figcaption>" in page
