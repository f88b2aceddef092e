"""The page of a comparison, and of windows."""

import re

import numpy as np
import pytest

import kmerf
from changed_tables import CHANGES, table
from kmerf.report import html


@pytest.fixture(scope="module")
def comparison():
    changes = dict(CHANGES[kind] for kind in ("level", "missingness", "new levels"))
    new = table(200, 2, **changes) | {"<script>": np.arange(200.0) ** 2, "id": np.arange(200.0)}
    return kmerf.compare(table(200, 1) | {"gone": np.arange(200.0) ** 2, "id": np.arange(200.0)}, new)


def test_the_page_has_the_verdict_and_every_section(comparison):
    page = html(comparison, command="kmerf compare old.csv new.csv")
    for section in ("schema", "columns", "rows", "again"):
        assert f'<section id="{section}">' in page
    assert "Different: p ≤ 0.001" in page
    assert page.count("<svg") >= len(comparison.columns)
    assert "&lt;script&gt;" in page
    assert "not compared: counts the rows" in page
    assert "kmerf compare old.csv new.csv" in page
    assert "mean" in page


def test_the_page_of_two_columns_that_no_longer_go_together():
    c = kmerf.compare(table(300, 1), table(300, 2, b=lambda v, rng: rng.permutation(v)))
    page = html(c)
    assert '<section id="pairs">' in page
    assert "only jointly" in page


def test_the_page_of_windows(tmp_path):
    line = kmerf.compare(table(100, 1), table(150, 2, a=lambda v, rng: v + np.repeat([0.0, 30.0], 75)), window=25)
    line.report(tmp_path / "w.html")
    page = (tmp_path / "w.html").read_text()
    assert '<section id="windows-chart">' in page
    assert "began: rows 75 to 99" in page
    assert page.count('<tr class="chosen">') == len(line.alarms) == 3


def test_the_first_changes_are_in_the_answer(comparison):
    answer = re.search(r'<div class="answer.*?</div>', html(comparison), re.DOTALL)[0]
    assert [item.split(":")[0] for item in re.findall("<li>(.*?)</li>", answer)] == list(comparison.changed[:3])
    assert answer.count("95\u00a0%: ") == 1


def test_the_picture_of_windows_has_letters_that_can_be_read():
    line = kmerf.compare(table(100, 1), table(150, 2, a=lambda v, rng: v + np.repeat([0.0, 30.0], 75)), window=25)
    page = html(line)
    assert '<svg class="chart wide"' in page
    assert "<li>Changed most often: a (in 3 of 3)" in page
