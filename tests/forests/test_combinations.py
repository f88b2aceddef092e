"""Combinations of columns, behind which trees split obliquely."""

import numpy as np
import pytest

from kmerf.forests.growing import MOST_PARTS, Combinations, draw_combinations, presort

RNG = np.random.default_rng(1)
X = RNG.normal(size=(50, 7)) * [1, 10, 1e3, 1, 1, 1, 1] + 5
X[RNG.random(50) < 0.2, 3] = np.nan


def drawn(x=X, count=40, seed=1, levels=None):
    return draw_combinations(presort(x, levels), count, seed)


def test_a_combination_is_a_signed_sum_of_columns_in_units_of_their_spread():
    combined = drawn()
    spread = np.nanstd(X, axis=0)
    wide = combined.widen(X)
    np.testing.assert_array_equal(wide[:, :7], X)
    for c, signs in enumerate(combined.signs):
        chosen = np.flatnonzero(signs)
        assert 2 <= chosen.size <= MOST_PARTS
        assert set(signs[chosen]) <= {-1.0, 1.0}
        expected = ((X - np.nanmean(X, axis=0)) / spread)[:, chosen] @ signs[chosen]
        np.testing.assert_allclose(wide[:, 7 + c], expected, rtol=1e-9, atol=1e-9)  # missing where a part is


def test_sizes_signs_and_columns_are_spread_out():
    signs = drawn(count=2000).signs
    sizes = np.bincount(np.abs(signs).sum(axis=1).astype(int))
    assert (sizes[2:] > 400).all()
    assert sizes.size == MOST_PARTS + 1
    assert abs(signs.sum()) < 5 * np.sqrt(np.abs(signs).sum())
    assert np.ptp(np.abs(signs).sum(axis=0)) < 200


def test_the_seed_decides():
    np.testing.assert_array_equal(drawn().signs, drawn().signs)
    assert (drawn().signs != drawn(seed=2).signs).any()


def test_columns_are_sorted_as_if_they_had_been_there():
    levels = np.array([0, 0, 9, 0, 0, 0, 0])
    x = X.copy()
    x[:, 2] = RNG.integers(0, 9, 50)
    columns, combined = presort(x, levels), drawn(x, levels=levels)
    assert not combined.signs[:, 2].any()  # codes are no numbers
    wide = combined.widen_columns(columns)
    expected = presort(combined.widen(x), np.concatenate([levels, np.zeros(40, int)]))
    for name in columns._fields:
        np.testing.assert_array_equal(getattr(wide, name), getattr(expected, name))


def test_what_a_combination_did_is_shared_out():
    combined = Combinations(np.array([[1.0, -1.0, 0.0], [1.0, 1.0, 1.0]]), np.ones(3), np.zeros(3))
    by_column = np.array([[1.0, 2.0, 3.0, 10.0, 9.0]])
    np.testing.assert_allclose(combined.share_out(by_column), [[1 + 5 + 3, 2 + 5 + 3, 3 + 3]])


@pytest.mark.parametrize("x", [X[:, :1], np.column_stack([X[:, 0], np.full(50, np.nan)])], ids=["one", "one known"])
def test_a_single_column_has_nothing_to_be_combined_with(x):
    assert drawn(x) is None


def test_none_are_drawn_unless_wanted():
    assert drawn(count=0) is None


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_units_do_not_matter(unit):
    wide, plain = drawn(X * unit).widen(X * unit), drawn().widen(X)
    np.testing.assert_allclose(wide[:, 7:], plain[:, 7:], rtol=1e-9, atol=1e-12)
