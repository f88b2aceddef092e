"""What a forest is specified by, and that it is the same whoever grows it, and when."""

import numpy as np
import pytest

from grown_forests import COLUMNS, NUMBERS, RNG, SPEC, X, grow, leaves
from kmerf.forests.growing import presort
from kmerf.forests.spec import ForestSpec


def assert_same(one, other):
    for name in ("codes", "counts", "n_leaves", "gains"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("classes", [False, True], ids=["numbers", "classes"])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_a_forest_is_the_same_with_any_number_of_threads(classes, n_jobs):
    assert_same(leaves(classes=classes), leaves(classes=classes, n_jobs=n_jobs))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_forest_does_not_depend_on_how_many_trees_follow(n_jobs):
    few, many = (leaves(ForestSpec(n_trees=m), n_jobs=n_jobs) for m in (100, 500))
    for name in ("codes", "counts", "n_leaves", "gains"):
        np.testing.assert_array_equal(getattr(few, name), getattr(many, name)[:100])


@pytest.mark.parametrize("other", [{"seed": 2}, {"refit": 1}, {"seed": 2**63}], ids=str)
def test_another_seed_or_refit_gives_another_forest(other):
    one, two = leaves(), leaves(**other)
    assert not (one.counts == two.counts).all(axis=1).any()
    assert not (one.codes == two.codes).all(axis=1).any()


def test_seed_and_refit_are_not_interchangeable():
    assert not np.array_equal(leaves(seed=1, refit=2).counts, leaves(seed=2, refit=1).counts)


def test_every_tree_is_different():
    grown = leaves()
    assert len(np.unique(grown.counts, axis=0)) == len(np.unique(grown.codes, axis=0)) == grown.n_trees


def test_draws_of_neighbouring_trees_seeds_and_refits_are_uncorrelated():
    n = X.shape[0]
    counts = np.array([leaves(seed=s, refit=r).counts - 1.0 for s in range(3) for r in range(3)]).reshape(-1, n)
    correlation = np.corrcoef(counts)[np.triu_indices(len(counts), 1)]
    # Independent draws have correlations with mean 0 and variance 1 / (n - 1) over the rows.
    assert abs(correlation.mean()) < 5 / np.sqrt(n * correlation.size)
    assert (correlation**2).mean() == pytest.approx(1 / (n - 1), rel=0.03)
    assert np.abs(correlation).max() < 6 / np.sqrt(n)


def test_refits_share_columns_without_changing_them():
    before = [array.copy() for array in COLUMNS]
    leaves(n_jobs=2)
    for array, copy in zip(COLUMNS, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_the_order_of_two_class_columns_changes_nothing():
    y = np.eye(2)[RNG.integers(0, 2, 120)]
    one, two = (grow(SPEC, COLUMNS, target, classes=True, seed=1) for target in (y, y[:, ::-1]))
    np.testing.assert_array_equal(one.codes, two.codes)


def test_adding_a_constant_to_y_changes_nothing():
    y = np.round(NUMBERS * 64) / 64
    one, two = (grow(SPEC, COLUMNS, y + shift, classes=False, seed=1) for shift in (0.0, 1024.0))
    np.testing.assert_array_equal(one.codes, two.codes)
    np.testing.assert_allclose(one.gains, two.gains, rtol=1e-9)


def test_presort_orders_ranks_and_marks_plain_columns():
    x = np.array([[3.0, 1.0, np.nan], [1.0, 1.0, 2.0], [2.0, 0.0, 1.0]])
    columns = presort(x)
    assert columns.order.tolist() == [[1, 2, 0], [2, 0, 1], [2, 1, 0]]
    assert columns.rank.tolist() == [[2, 0, 1], [1, 1, 0], [2**31 - 1, 1, 0]]
    assert columns.plain.tolist() == [True, False, False]


def test_few_rows_of_many_are_sorted_as_all_rows_are(monkeypatch):
    """Few drawn rows are sorted anew, many are picked out of the sorted columns: either way in the same order."""
    n = 5000
    x = np.round(np.random.default_rng(3).normal(size=(n, 4)), 1)
    x[:, 0] = np.random.default_rng(4).permutation(n)
    x[::7, 1] = np.nan
    y = np.random.default_rng(5).normal(size=(n, 1))
    some = grow(ForestSpec(n_trees=3, max_samples=50), presort(x), y, classes=False, seed=0)
    for w in range(3):
        rows = np.flatnonzero(some.counts[w])
        small = np.repeat(rows, some.counts[w][rows])
        alone = grow(ForestSpec(n_trees=1, bootstrap=False, max_features="all"), presort(x[small]), y[small],
                     classes=False, seed=0)  # fmt: skip
        errors = [
            ((y[small] - _leaf_means(codes, y[small])) ** 2).sum() for codes in (some.codes[w][small], alone.codes[0])
        ]
        assert errors[0] == pytest.approx(errors[1], abs=1e-9)


def _leaf_means(codes, y):
    return (np.bincount(codes, y[:, 0]) / np.maximum(np.bincount(codes), 1))[codes][:, None]
