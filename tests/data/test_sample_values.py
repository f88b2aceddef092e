"""A sample: its arrays cannot be written to, and some of its rows are a sample again."""

import numpy as np
import pytest

from kmerf.data.read_sample import read_independence


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
