"""The column that goes best with y."""

import numpy as np
import pytest
from scipy.stats import rankdata

import kmerf
from kmerf.data.read_sample import read_independence, read_ksample
from kmerf.methods.best_column import BestColumn
from kmerf.methods.protocol import observe


@pytest.mark.parametrize("classes", [False, True])
def test_the_best_column_is_found_one_at_a_time(classes):
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(45, 6)) ** 3, rng.normal(size=45)
    groups = rng.permutation(np.repeat(["a", "b", "c"], 15))
    sample = read_ksample(x, groups=groups) if classes else read_independence(x, y)
    sides = [groups == name for name in "abc"] if classes else [rankdata(y)]
    ranks = np.column_stack([rankdata(column) for column in x.T])
    middle = (2 * (ranks - 0.5) / 45 - 1) ** 2
    slow = max(
        np.corrcoef(column, side.astype(float))[0, 1] ** 2 for column in np.c_[ranks, middle].T for side in sides
    )
    assert observe(BestColumn().prepare(sample, 0)).statistic == pytest.approx(slow, rel=1e-9)


def test_a_column_that_widens_in_one_group_is_found():
    rng = np.random.default_rng(7)
    groups = np.arange(150) % 5
    x = rng.normal(size=(150, 8))
    x[groups == 2, 3] *= 4.0
    found = kmerf.ksample(x, groups=groups, method=BestColumn(), null=kmerf.Permutation(199), rng=0)
    assert found.pvalue <= 0.01
