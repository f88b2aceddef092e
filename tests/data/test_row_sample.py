"""A random sample of the rows."""

import numpy as np
import pytest

import kmerf
from kmerf.data.sample import some_rows, take_rows, untestable
from kmerf.reading.samples import read_independence

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
    with pytest.raises(kmerf.InputError, match="rows=40 would split blocks"):
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


def test_a_sample_without_variation_is_refused_as_the_whole_would_be():
    rare = np.zeros(200)
    rare[7] = 1.0
    with pytest.raises(kmerf.InputError, match="rows=10 drew a single value of every column of x: ask for more rows"):
        kmerf.independence(rare, X[:, 0], rows=10, method="rv", rng=1)
    holes = np.where(rare == 1.0, np.nan, 1.0)  # a missing cell differs from a number, and all are the same without it
    with pytest.raises(kmerf.InputError, match="rows=10 drew a single value of every column of x"):
        kmerf.screen(holes, X[:, 0], rows=10, rng=1)
    assert untestable(read_independence(holes, X[:, 0])) is None
    with pytest.raises(kmerf.InputError, match="rows=10 drew a single value of every covariate"):
        some_rows(read_independence(X, X[:, 0] ** 2, given=rare), 10, 1)
    with pytest.raises(kmerf.InputError, match="rows=10 drew a single value of every column of x"):
        kmerf.ksample(rare, groups=np.arange(200) % 2, rows=10, method="rv", rng=1)


@pytest.mark.parametrize(("events", "found"), [([0, 1], "no events"), ([0, 5], "1 event")])
def test_a_sample_needs_events(events, found):
    event = np.zeros(200)
    event[events] = 1.0
    y = np.column_stack([np.arange(200.0) + 1.0, event])
    sample = read_independence(X, y, y_kind="censored")
    kept = np.arange(1, 200) if found == "1 event" else np.arange(2, 200)
    assert untestable(take_rows(sample, kept)) == f"{found}, and a test needs 2"
    with pytest.raises(kmerf.InputError, match=r"rows=10 drew (no events|1 event), and a test needs 2: ask for more"):
        kmerf.independence(X, y, y_kind="censored", rows=10, method="rv", rng=1)
