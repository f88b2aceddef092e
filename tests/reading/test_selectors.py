"""Columns by name, pattern and position."""

from __future__ import annotations

import pytest

from kmerf.core.errors import InputError
from kmerf.reading.roles import exact, select, select_one

NAMES = ["id", "gene_a", "gene_b", "age", "#2", "a,b", "x*"]


@pytest.mark.parametrize(
    ("selectors", "chosen"),
    [
        (["age"], ["age"]),
        (["gene_*"], ["gene_a", "gene_b"]),
        (["gene_?", "id"], ["id", "gene_a", "gene_b"]),
        (["gene_[b]"], ["gene_b"]),
        (["#1"], ["id"]),
        (["#2:4"], ["gene_a", "gene_b", "age"]),
        (["#6:"], ["a,b", "x*"]),
        (["#2"], ["#2"]),
        (["a,b"], ["a,b"]),
        (["x*"], ["x*"]),
        (["age,id"], ["id", "age"]),
        (["gene_*, #1"], ["id", "gene_a", "gene_b"]),
        ([], []),
    ],
)
def test_selectors(selectors, chosen):
    assert select("x", selectors, NAMES) == chosen


@pytest.mark.parametrize(
    ("selector", "says"),
    [
        ("gen_a", "did you mean 'gene_a'"),
        ("zz*", "matches no column"),
        ("#0", "from #1 to #7"),
        ("#8", "from #1 to #7"),
        ("#5:3", "from #1 to #7"),
        ("#99999999999999999999", "from #1 to #7"),
        ("", "there is no such column"),
        (",", "there is no such column"),
    ],
)
def test_wrong_selectors(selector, says):
    with pytest.raises(InputError, match=says):
        select("x", [selector], NAMES)


def test_one_column():
    assert select_one("groups", "#4", NAMES) == "age"
    with pytest.raises(InputError, match="means 2 columns"):
        select_one("groups", "gene_*", NAMES)


def test_which_columns_are_meant_one_by_one():
    assert exact(["gene_*", "id,age", "#3", "#1:5"], NAMES) == {"id", "age", "gene_b"}
