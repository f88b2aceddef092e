"""x and y side by side."""

import numpy as np
import polars as pl

from kmerf.reading.samples import read_independence
from sample_tables import ARM, SCORE, VISITS, N


def test_a_name_that_x_and_y_share_is_x():
    x, y = pl.DataFrame({"g": [c % 3 for c in range(N)]}), pl.Series("g", VISITS)
    s = read_independence(x, y, categorical="g")
    assert s.x.kinds == ("categorical",)
    assert s.y.kind == "numeric"


def test_several_y_columns_become_one_numeric_matrix():
    table = pl.DataFrame({"x": SCORE, "visits": VISITS, "old": [v > 4 for v in VISITS], "arm": ARM})
    y = read_independence(table, ["visits", "old", "arm"]).y
    assert y.kind == "numeric"
    assert y.codes is None
    assert y.names == ("visits", "old", "arm")
    expected = [[v, v > 4, *(a == c for c in "abc")] for v, a in zip(VISITS, ARM, strict=True)]
    np.testing.assert_array_equal(y.values, np.array(expected, float))
    only = read_independence(table, ["visits", "arm"], categorical="visits").y
    assert only.q == len(set(VISITS)) + 3
