"""The page of all pairs of columns."""

import re

import numpy as np
import pytest

import kmerf
from kmerf import report

RNG = np.random.default_rng(5)
A = RNG.normal(size=60)


@pytest.fixture(scope="module")
def page():
    table = {"<b>bold</b>": A, "b": A + RNG.normal(size=60), "c": RNG.normal(size=60), "same": np.ones(60)}
    return report.html(kmerf.associations(table, keep=["same"], rng=1))


def test_it_has_a_heat_map_and_a_table(page):
    assert "<h1>Which columns are related to each other?</h1>" in page
    assert "1 of 3 pairs is related" in page
    assert page.count('fill-opacity="') == 6
    assert "rise together" in page
    assert re.search(r"kmerf\.associations\(table, rng=1\)", page)


def test_names_are_escaped_and_what_was_not_tested_is_listed(page):
    assert "<b>bold" not in page
    assert "Not tested" in page
    assert "same: constant" in page


def test_the_answer_has_directions_and_effects(page):
    answer = re.search(r'<div class="answer.*?</div>', page, re.DOTALL)[0]
    assert re.search(r"<li>.*and b: rise together, effect 0\.\d\d\.</li>", answer)
