"""A test on ranks."""

import numpy as np
import pytest

import kmerf
from kmerf.data.read_sample import read_independence
from kmerf.methods.protocol import observe
from kmerf.methods.ranked import Ranked


def test_ranks_forget_units_and_outliers():
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    method = Ranked(kmerf.rivals.Dcorr())
    plain = observe(method.prepare(read_independence(x, y), 0)).statistic
    other = observe(method.prepare(read_independence(np.c_[np.exp(5 * x[:, 0]), x[:, 1] * 1e6], 7 * y), 0)).statistic
    assert other == pytest.approx(plain, rel=1e-12)
    assert method.most_rows == kmerf.rivals.Dcorr().most_rows
    with pytest.raises(kmerf.InputError, match="missing values"):
        method.prepare(read_independence(np.where(x > 1, np.nan, x), y), 0)
