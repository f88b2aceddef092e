"""Rows that have labels are paired by them."""

import numpy as np
import pandas as pd
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.named_columns import align
from kmerf.reading.samples import read_independence

X = pd.DataFrame({"a": np.arange(30.0) ** 2}, index=[f"r{i}" for i in range(30)])
Y = pd.Series(np.arange(30.0) + 0.5, index=X.index, name="y")


def test_a_shuffled_series_is_put_in_order():
    mixed = Y.sample(frac=1.0, random_state=1)
    sample = read_independence(X, mixed)
    np.testing.assert_array_equal(sample.y.values[:, 0], Y)
    assert sample.notes == ("The rows of y were reordered to match the index of x.",)
    np.testing.assert_array_equal(read_independence(X, mixed.to_numpy()).y.values[:, 0], mixed)
    sample = read_independence({"a": X["a"], "b": mixed * 2.0}, Y)
    np.testing.assert_array_equal(sample.x.values[:, 1], Y * 2.0)


def test_blocks_are_aligned_too():
    blocks = pd.Series(np.arange(30) // 2, index=X.index)
    sample = read_independence(X, Y, blocks=blocks.sample(frac=1.0, random_state=2))
    expected = np.unique((np.arange(30) // 2).astype(str), return_inverse=True)[1]
    assert sample.blocks.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("index", "why"), [(range(30), "are not the same"), (["r0"] * 30, "repeat")], ids=["others", "repeated"]
)
def test_labels_that_differ_are_refused(index, why):
    with pytest.raises(InputError, match=f"y and x have indexes that differ, and whose labels {why}: give both"):
        read_independence(X, Y.set_axis(list(index)))


def test_the_same_labels_may_repeat():
    twice = X.set_axis(["r"] * 30)
    assert read_independence(twice, Y.set_axis(["r"] * 30)).n == 30
    assert align([1, 2], Y, "y")[0] is Y
