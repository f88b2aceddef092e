"""When a y is classes."""

import numpy as np
import polars as pl

from kmerf.data.read_sample import read_independence
from sample_tables import SCORE, VISITS, N, assert_same_response


def test_classes_of_y(plain):
    x = plain[0]
    codes = [c % 3 for c in range(N)]
    y = read_independence(x, codes, y_kind="categorical").y
    assert y.labels == ("0", "1", "2")
    assert y.codes.tolist() == codes
    np.testing.assert_array_equal(y.values, np.eye(3)[codes])
    assert_same_response(y, read_independence(x, np.array(codes, float), y_kind="categorical").y)
    assert_same_response(y, read_independence(x, list(map(str, codes)), y_kind="categorical").y)
    table = pl.DataFrame({"a": SCORE, "y": codes})
    assert_same_response(y, read_independence(table, "y", categorical=["y"]).y)


def test_boolean_y_is_classes_unless_declared_numeric(plain):
    flags = [v > 4 for v in VISITS]
    assert read_independence(plain[0], flags).y.labels == ("False", "True")
    assert read_independence(plain[0], flags, y_kind="numeric").y.values[:, 0].tolist() == flags
