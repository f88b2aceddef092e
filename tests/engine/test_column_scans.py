"""Scans of columns against a loop over all cuts."""

import numba
import numpy as np
import pytest

from kmerf.engine.column_scans import scan_classes, scan_four_of_all_rows, scan_two_of_all_rows


@numba.njit
def two(*args):
    """Call a helper, which only compiled code can."""
    return scan_two_of_all_rows(*args)


@numba.njit
def four(*args):
    """Do the same for several outputs."""
    return scan_four_of_all_rows(*args)


@numba.njit
def classes(*args):
    """Do the same for classes."""
    return scan_classes(*args)


def best_score(order, z, w, min_leaf):
    """Return the best score by trying every cut between two rows of weight."""
    rows = [i for i in order if w[i] > 0]
    best = -1.0
    for cut in range(min_leaf, len(rows) - min_leaf + 1):
        left = rows[:cut]
        weight = w[left].sum()
        best = max(best, float((z[left].sum(axis=0) ** 2).sum() * (1.0 / weight + 1.0 / (w.sum() - weight))))
    return best


def drawn(seed, n=40, q=1):
    """Return the orders of two columns, and outputs and weights of rows, some of which are out of bag."""
    rng = np.random.default_rng(seed)
    w = rng.poisson(1.0, n).astype(np.uint32)
    z = rng.normal(size=(n, q)) * w[:, None]
    z[w > 0] -= z.sum(axis=0) / (w > 0).sum()
    total = int(w.sum())
    inverses = np.zeros(total + 1)
    inverses[1:-1] = 1.0 / np.arange(1, total) + 1.0 / np.arange(total - 1, 0, -1)
    orders = np.array([rng.permutation(n), rng.permutation(n)], np.int32)
    return orders, z, w, inverses


@pytest.mark.parametrize("min_leaf", [1, 2, 5, 9])
@pytest.mark.parametrize("seed", range(6))
def test_two_columns_side_by_side(seed, min_leaf):
    (one, other), z, w, inverses = drawn(seed)
    found = two(one, other, z.ravel(), w, inverses, min_leaf)
    assert found == pytest.approx([best_score(order, z, w, min_leaf) for order in (one, other)])


@pytest.mark.parametrize("q", [2, 3, 4])
@pytest.mark.parametrize("min_leaf", [1, 5])
def test_several_outputs(q, min_leaf):
    (order, _), z, w, inverses = drawn(7, q=q)
    padded = np.hstack([z, np.zeros((len(z), 4 - q))]).ravel()
    found = four(order, padded, w, inverses, min_leaf)
    assert found == pytest.approx(best_score(order, z, w, min_leaf))


def test_where_one_cut_is_allowed():
    order = np.arange(4, dtype=np.int32)
    z, w = np.array([1.0, -1.0, 0.0, 0.0]), np.array([1, 1, 0, 0], np.uint32)
    inverses = np.array([0.0, 2.0, 0.0])
    assert two(order, order[::-1].copy(), z, w, inverses, 1) == (2.0, 2.0)


def best_of_classes(rows, ranks, n_missing, missing_left, label, w, min_leaf):
    """Return the best score and its place by the definition: one-hot columns, each cut in turn."""
    y = (label[:, None] == np.arange(label.max() + 1)) * w[:, None].astype(float)
    mean, weight = y[rows].sum(axis=0) / w[rows].sum(), w[rows].sum()
    known, missing = rows[: rows.size - n_missing], rows[rows.size - n_missing :]
    scores = {}
    for cut in range(known.size if n_missing and not missing_left else known.size - 1):
        left = np.concatenate([known[: cut + 1], missing]) if missing_left else known[: cut + 1]
        equal = ranks.size > 0 and cut + 1 < rows.size and ranks[rows[cut]] == ranks[rows[cut + 1]]
        if min(left.size, rows.size - left.size) >= min_leaf and not equal:
            w_left = w[left].sum()
            apart = ((y[left].sum(axis=0) - w_left * mean) ** 2).sum()
            scores[cut] = apart / w_left + apart / (weight - w_left)
    return max(scores.items(), key=lambda item: item[1], default=(-1, -1.0))[::-1]


@pytest.mark.parametrize("min_leaf", [1, 4])
@pytest.mark.parametrize(
    ("ties", "n_missing", "missing_left"), [(False, 0, False), (True, 0, False), (True, 5, False), (True, 5, True)]
)
def test_classes_are_counted_as_their_columns_would_be(ties, n_missing, missing_left, min_leaf):
    rng = np.random.default_rng(3)
    n, k = 60, 9
    label, w = rng.integers(0, k, n).astype(np.int32), rng.integers(1, 4, n).astype(np.uint32)
    x = np.round(rng.normal(size=n), 0 if ties else 9)
    rows = np.argsort(x, kind="stable").astype(np.uint16)[10:50]  # a node with some of the rows
    ranks = np.unique(x, return_inverse=True)[1].astype(np.int32) if ties else np.empty(0, np.int32)
    if n_missing:
        ranks[rows[-n_missing:]] = 2**31 - 1
    whole, left = np.bincount(label[rows], w[rows], k), np.zeros(k)
    args = whole, left, float((whole**2).sum()), float(w[rows].sum()), min_leaf
    found = classes(rows, ranks, 0, rows.size, n_missing, missing_left, label, w, *args)
    expected = best_of_classes(rows, ranks, n_missing, missing_left, label, w, min_leaf)
    assert found[0] == pytest.approx(expected[0])
    assert found[1] == expected[1]
    assert not left.any()  # ready for the next column


def test_a_helper_called_by_python_raises():
    with pytest.raises(MemoryError):
        scan_two_of_all_rows(*(np.zeros(2, np.int32),) * 2, np.zeros(2), np.ones(2, np.uint32), np.zeros(3), 1)
