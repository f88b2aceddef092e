"""A random sample of the rows."""

import numpy as np
import pytest

import kmerf
from kmerf.data.read_sample import read_independence
from kmerf.data.row_sample import some_rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))


def test_a_sample_is_seeded_and_named():
    sample = read_independence(X, X[:, 0])
    part, seed = some_rows(sample, 50, 3)
    again, _ = some_rows(sample, 50, 3)
    other, _ = some_rows(sample, 50, 4)
    assert (part.n, seed) == (50, 3)
    np.testing.assert_array_equal(part.x.values, again.x.values)
    assert not np.array_equal(part.x.values, other.x.values)
    np.testing.assert_array_equal(part.x.values[:, 0], part.y.values[:, 0])
    assert some_rows(sample, 200, 3)[0] is sample
    assert some_rows(sample, None, None) == (sample, None)


def test_classes_keep_their_shares():
    y = np.array(["a"] * 180 + ["b"] * 17 + ["c"] * 3)
    part, _ = some_rows(read_independence(X, y), 40, 1)
    assert np.bincount(part.y.codes).tolist() == [36, 3, 2]


def test_refusals():
    with pytest.raises(kmerf.InputError, match="rows=3 must be a whole number of at least 4"):
        some_rows(read_independence(X, X[:, 0]), 3, 1)
    with pytest.raises(kmerf.InputError, match="rows=40 would tear blocks apart"):
        some_rows(read_independence(X, X[:, 0], blocks=np.arange(200) // 2), 40, 1)
    rare = np.zeros(200)
    rare[:2] = [5.0, 7.0]
    with pytest.raises(kmerf.InputError, match="rows=4 drew a single value of y: ask for more rows"):
        some_rows(read_independence(X, rare), 4, 1)


def test_the_answer_names_the_sample():
    result = kmerf.independence(X, X[:, 0] ** 2, rows=60, method="dcorr", null=kmerf.Permutation(19), rng=1)
    assert (result.n, result.notes) == (60, ("A random sample of 60 of 200 rows was tested.",))
    groups = kmerf.ksample(X, groups=X[:, 0] > 0, rows=60, method="dcorr", null=kmerf.Permutation(19), rng=1)
    assert groups.n == 60
    screen = kmerf.screen(X, X[:, 0], rows=60, method="dcorr", rng=1)
    assert screen.n == 60
