"""A sample: its arrays cannot be written to, and some of its rows are a sample again."""

import numpy as np
import pytest

from kmerf.data.sample import take_rows
from kmerf.reading.samples import read_independence


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("width", [1, 3])
def test_outputs_are_read_only_copies(order, width):
    x = np.array(np.random.default_rng(0).normal(size=(6, width)), order=order)
    y = np.arange(6.0)
    before = x.copy()
    s = read_independence(x, y)
    for out in (s.x.values, s.x.column_of, s.y.values):
        assert not out.flags.writeable
        assert out.flags.c_contiguous
        assert not np.shares_memory(out, x)
        assert not np.shares_memory(out, y)
    assert s.x.column_of.dtype == np.int64
    assert not read_independence(x, ["a", "b"] * 3).y.codes.flags.writeable
    np.testing.assert_array_equal(x, before)
    assert x.flags.writeable
    assert y.flags.writeable


def test_some_rows_are_a_sample_again():
    s = read_independence(np.arange(8.0), ["a", "b"] * 4, blocks=[5, 5, 6, 6, 7, 7, 8, 8])
    some = take_rows(s, np.array([6, 2, 7]))
    assert some.x.values[:, 0].tolist() == [6.0, 2.0, 7.0]
    assert some.y.codes.tolist() == [0, 0, 1]
    assert some.blocks.tolist() == [1, 0, 1]  # numbered from 0 again
    assert (some.n, some.x.p, some.y.q) == (3, 1, 2)
    assert not some.x.values.flags.writeable


def test_some_rows_have_their_own_count_of_missing_cells():
    """Halves of the rows without any hole were refused by members that cannot use holes."""
    sample = read_independence(
        {"a": [1.0, None, 2.0, 4.0, 3.0, 1.0], "g": ["u", "v", "v", "u", "v", None]}, [1.0, 2, 3, 4, 5, 6]
    )
    assert sample.x.missing == (1, 1)
    assert take_rows(sample, np.array([0, 2, 3])).x.missing == (0, 0)
    assert take_rows(sample, np.array([1, 2, 5])).x.missing == (1, 1)
