"""One small table of mixed columns, and every container that it can come in."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

N = 12
AGE = [31.0, 45.5, None, 28.0, 60.0, 33.0, 41.0, 52.0, None, 38.0, 29.0, 47.0]
VISITS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
SITE = ["rome", "bern", "oslo", None, "bern", "rome", "oslo", "oslo", "rome", "bern", "bern", "rome"]
SCORE = [0.5, 1.5, 2.25, 3.0, 0.1, 9.0, 7.5, 6.0, 5.5, 4.0, 3.5, 2.0]
ARM = ["b", "a", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c"]
SERIES = {
    "numpy": np.array,
    "list": list,
    "tuple": tuple,
    "pandas": pd.Series,
    "polars": lambda v: pl.Series(list(v)),
    "pyarrow": lambda v: pa.chunked_array([list(v)]),
    "pyarrow-array": pa.array,
    "column": lambda v: np.array(v)[:, None],
    "frame": lambda v: pl.DataFrame({"y": list(v)}),
}


def assert_same_features(a, b):
    np.testing.assert_array_equal(a.values, b.values)
    np.testing.assert_array_equal(a.column_of, b.column_of)
    assert (a.kinds, a.missing, a.categories) == (b.kinds, b.missing, b.categories)


# Refusals
X = np.column_stack([VISITS, SCORE])


def assert_same_response(a, b):
    np.testing.assert_array_equal(a.values, b.values)
    assert (a.kind, a.labels) == (b.kind, b.labels)
    assert (a.codes is None) == (b.codes is None)
    if a.codes is not None:
        np.testing.assert_array_equal(a.codes, b.codes)
