"""Pictures, tables and pages of an answer as files of their own."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.app import answers
from kmerf.app.calls import Asked

DATA = {"file": "t.csv", "format": "text", "columns": [], "y": ["y"], "notes": [], "rows_read": 60, "rows_used": 60}
SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"=HYPERLINK(1)": rng.normal(size=60), "b": rng.normal(size=60)})
    return table.assign(y=table["b"] ** 2 + 0.1 * rng.normal(size=60))


def test_a_test_becomes_a_report_with_pictures_and_tables(table):
    result = kmerf.independence(table, "y", method=SMALL, null=kmerf.Permutation(19), details=True, rng=1)
    shown = answers.show(result, Asked("independence", "t.csv", y="y", seed=1), DATA)
    assert shown.pvalue == result.pvalue
    assert not shown.scripted
    assert not shown.interrupted
    assert len(shown.pictures) == len(re.findall('<svg class="chart', shown.page)) >= 3
    for picture in shown.pictures:
        root = ElementTree.fromstring(picture.svg)
        assert root.get("width")
        assert "var(" not in picture.svg
        assert "@media" not in picture.svg
        assert picture.title
    assert shown.tables["features"].splitlines()[0].startswith("feature,")
    assert "'=HYPERLINK(1)" in shown.tables["features"]  # not a formula
    assert {"answer", "features"} <= set(shown.tables)


def test_a_screen_has_its_table_and_a_paragraph(table):
    shown = answers.show(kmerf.screen(table, "y", rng=1), Asked("screen", "t.csv", y="y", seed=1), DATA)
    assert shown.scripted
    assert "Benjamini" in shown.methods
    assert "related" in shown.headline or "selected" in shown.headline
    assert len(shown.tables["screen"].splitlines()) == 3


def test_a_plan_has_its_curve(table):
    curve = kmerf.power_curve(table, "y", method="dcorr", rng=1)
    shown = answers.show(curve, Asked("plan", "t.csv", y="y", method="dcorr", seed=1), DATA)
    assert "kmerf plan t.csv --y y" in shown.page
    assert shown.pictures[0].svg.startswith("<svg")
    assert "rows give power 0.8" in shown.headline
    assert shown.title.startswith("How many rows are needed to detect a relation of ")
    assert "pilot of 60 rows" in shown.methods
    assert "<script" not in shown.page


def test_a_comparison_has_its_columns(table):
    asked = Asked("compare", "new.csv", other="old.csv", seed=1)
    shown = answers.show(kmerf.compare(table, table, rng=1), asked, DATA)
    assert shown.pvalue == 1.0
    assert shown.tables["columns"].count("\n") == 4
    assert "60 rows of new.csv with 60 rows of old.csv" in shown.methods
    assert "\n" not in shown.headline


def test_the_history_goes_with_a_report():
    entry = {
        "number": 1,
        "sentence": "<b>?",
        "command": "kmerf",
        "headline": "",
        "status": "stopped",
        "p": "",
        "holm": 0.5,
    }
    page = answers.with_history("<main><p>it</p></main>", [entry | {"holm": 0.5}], "One question.")
    assert page.endswith("</section></main>")
    assert "&lt;b&gt;?" in page
