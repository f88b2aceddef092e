"""How much columns say the same."""

import numpy as np
import pytest
from scipy import stats

from kmerf.methods.portfolio import REDUNDANCY_ROWS, redundancy


def slow(x):
    """Return the same by loops over pairs of columns."""
    n, p = x.shape
    squares = [stats.spearmanr(x[:, j], x[:, k]).statistic ** 2 for j in range(p) for k in range(p) if j != k]
    return 1.0 + (p - 1) * max(0.0, np.mean(squares) - 1.0 / (n - 1))


@pytest.mark.parametrize(("n", "p"), [(40, 5), (12, 30), (200, 2)])
def test_it_is_the_mean_squared_rank_correlation(n, p):
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    x[:, 0] = np.round(x[:, 0])
    assert redundancy(x) == pytest.approx(slow(x))
    assert redundancy(x) > 1.0


def test_independent_columns_say_nothing_twice():
    rng = np.random.default_rng(1)
    wide = [redundancy(rng.normal(size=(50, 400))) for _ in range(20)]
    assert np.mean(wide) == pytest.approx(1.0, abs=0.1)  # though each pair of 50 rows is correlated by chance


def test_columns_that_are_the_same_say_one_thing():
    x = np.random.default_rng(2).normal(size=(30, 1))
    assert redundancy(np.hstack([x, x**3, np.exp(x), -x])) == pytest.approx(4.0 - 3.0 / 29)


@pytest.mark.parametrize("x", [np.zeros((9, 3)), np.arange(9.0)[:, None], np.array([[1.0, 2.0], [2.0, 1.0]])])
def test_where_nothing_can_be_the_same(x):
    assert redundancy(x) == 1.0


def test_of_many_rows_some_are_looked_at():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3000, 1000))
    x[:, 1:3] = x[:, :1]
    few = x[np.linspace(0, 2999, 1000).astype(int)]
    assert redundancy(x) == redundancy(few)
    assert REDUNDANCY_ROWS < 1000
