"""Each column of x by itself."""

import numpy as np
import pytest
from scipy.stats import rankdata

import kmerf
from kmerf.methods.column_tests import EachColumn
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence, read_ksample


def slow(x, functions, degree):
    """The statistic from least squares, one column and one function at a time."""
    n = len(x)
    roots = []
    for column in x.T:
        z = 2 * (rankdata(column) - 0.5) / n - 1
        design = np.column_stack([z**k for k in range(degree + 1)])
        for y in functions:
            fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
            left = ((y - fitted) ** 2).sum() / ((y - y.mean()) ** 2).sum()
            roots.append(left ** (-n / 4))
    return np.log(np.mean(roots))


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("classes", [False, True])
def test_the_statistic_is_the_mean_over_single_regressions(degree, classes):
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(45, 6)) ** 3, rng.normal(size=45)
    x[:, 2] = x[:, 2] > 0.5  # two values: its square says nothing more
    groups = rng.permutation(np.repeat(["a", "b", "c"], 15))
    sample = read_ksample(x, groups=groups) if classes else read_independence(x, y)
    z = 2 * (rankdata(y) - 0.5) / 45 - 1
    functions = [(groups == name).astype(float) for name in "abc"] if classes else [z, 3 * z**2 - 1]
    statistic = observe(EachColumn(degree).prepare(sample, 0)).statistic
    assert statistic == pytest.approx(slow(x, functions, degree), rel=1e-9)


def test_a_column_that_is_y_has_a_finite_statistic():
    y = np.arange(40.0)
    sample = read_independence(np.c_[y, np.ones(40)], y)
    assert np.isfinite(observe(EachColumn().prepare(sample, 0)).statistic)


def test_a_column_that_widens_in_one_group_is_noticed():
    rng = np.random.default_rng(7)
    groups = np.arange(150) % 5
    x = rng.normal(size=(150, 8))
    x[groups == 2, 3] *= 4.0
    result = kmerf.ksample(x, groups=groups, method=EachColumn(), null=kmerf.Permutation(199), rng=0)
    assert result.pvalue <= 0.01


def test_the_correlation_of_two_columns_of_y_that_moves_is_noticed():
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(150, 2)), rng.normal(size=(150, 2))
    r = np.tanh(1.5 * x[:, 0])
    y[:, 1] = r * y[:, 0] + np.sqrt(1 - r**2) * y[:, 1]
    result = kmerf.independence(x, y, method=EachColumn(1, "joint"), null=kmerf.Permutation(199), rng=0)
    assert result.pvalue <= 0.01
    alone = kmerf.independence(x, y, method=EachColumn(1, "location"), null=kmerf.Permutation(199), rng=0)
    assert alone.pvalue > 0.05


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"degree": 3}, "degree=3 must be 1"), ({"target": "mean"}, "target='mean' must be one of 'location'")],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(kmerf.InputError, match=message):
        EachColumn(**settings)
