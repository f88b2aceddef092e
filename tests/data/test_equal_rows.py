"""Keys of rows, and the smallest p-value that equal rows allow, against counting every order."""

import itertools
import math

import numpy as np
import pytest

import kmerf
from kmerf.data.exchangeability import exchange, log_arrangements, log_orders, row_keys, sizes
from kmerf.reading.samples import read_independence


def same(a, b):
    """Return whether two arrays put the same rows together."""
    return np.array_equal(a[:, None] == a[None], b[:, None] == b[None])


@pytest.mark.parametrize("p", [1, 2, 7])
def test_equal_rows_have_equal_keys_and_no_others(p):
    rng = np.random.default_rng(p)
    values = rng.integers(-1, 2, size=(300, p)).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    codes = np.unique(np.where(np.isnan(values), 9.0, values), axis=0, return_inverse=True)[1].reshape(-1)
    assert same(row_keys(values), codes)


def test_keys_know_the_column_of_a_value_and_parts_of_wide_tables():
    assert row_keys(np.array([[1.0, 2.0], [2.0, 1.0]])).tolist()[0] != row_keys(np.array([[2.0, 1.0]])).tolist()[0]
    wide = np.zeros((3, (1 << 20) + 5))
    wide[1, -1] = 1.0
    keys = row_keys(wide)
    assert keys[0] == keys[2] != keys[1]


def test_small_whole_numbers_do_not_collide():
    grid = np.array(list(itertools.product(range(100), range(100), range(20))), dtype=float)
    assert sizes(row_keys(grid)).size == len(grid)


def chance(x, y, orders):
    """Return the share of orders of y that give the observed rows, in whatever order."""

    def rows(order):
        return sorted(zip(map(tuple, x.tolist()), map(tuple, y[list(order)].tolist()), strict=True))

    observed = rows(range(len(x)))
    return np.mean([rows(order) == observed for order in orders])


@pytest.mark.parametrize("seed", range(10))
def test_the_smallest_p_value_is_the_share_of_orders_that_change_nothing(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, size=(6, 2)).astype(float)
    y = rng.integers(0, 3, size=(6, 1)).astype(float)
    share = chance(x, y, itertools.permutations(range(6)))
    assert math.exp(-log_arrangements(x, y)) == pytest.approx(share)
    assert log_arrangements(x, y, paired=False) >= log_arrangements(x, y) - 1e-9


def drawn(allowed, n):
    """Return all orders of an exchange, each as often as it is drawn; there are few."""
    return [allowed.order(n, np.random.default_rng(seed)) for seed in range(4000)]


@pytest.mark.parametrize("seed", range(4))
def test_within_blocks(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 2, size=(9, 1)), rng.integers(0, 2, size=9).astype(float)
    y[:2] = 0.0, 1.0
    sample = read_independence(x, y, blocks=[0, 0, 0, 0, 1, 1, 1, 2, 2], y_kind="numeric")
    allowed = exchange(sample.blocks, "within", sample.y, x=sample.x)
    counted = 1.0
    for rows in allowed.units:
        parts = sample.x.values[rows[:, 0]], sample.y.values[rows[:, 0]]
        counted *= chance(*parts, itertools.permutations(range(len(rows))))
    assert math.exp(-allowed.log_arrangements) == pytest.approx(counted)


def test_whole_blocks_are_equal_if_all_their_rows_are():
    x = np.array([1.0, 2, 1, 2, 2, 1, 5, 6])  # blocks of two rows: the first two are equal, the third is not
    y = np.arange(8.0)
    sample = read_independence(x, y, blocks=np.repeat(range(4), 2))
    allowed = exchange(sample.blocks, "whole", sample.y, x=sample.x)
    assert math.exp(-allowed.log_arrangements) == pytest.approx(2 / 24)
    shares = chance(sample.x.values, sample.y.values, drawn(allowed, 8))
    assert shares == pytest.approx(2 / 24, abs=0.02)


def test_whole_blocks_of_different_sizes_are_equal_in_any_order_of_their_rows():
    x = np.array([1.0, 2, 2, 1, 1, 2, 3, 4])
    block = np.array([0, 0, 1, 1, 2, 2, 2, 3])
    sample = read_independence(x, np.array([5.0, 6, 7, 8])[block], blocks=block)
    allowed = exchange(sample.blocks, "whole", sample.y, x=sample.x)
    assert allowed.first is not None
    assert math.exp(-allowed.log_arrangements) == pytest.approx(2 / 24)


def one_hot(rng, ones=1, n=40):
    """Return y, and x that is 1 where |y| is largest."""
    y = rng.standard_t(3, size=n)
    x = np.zeros(n)
    x[np.argsort(-np.abs(y))[:ones]] = 1.0
    return x, y


@pytest.mark.parametrize(("ones", "arrangements"), [(1, 40), (2, 780), (3, 9880)])
def test_no_p_value_is_below_one_over_the_arrangements_of_x(ones, arrangements):
    for seed in range(1, 3):
        x, y = one_hot(np.random.default_rng(seed), ones)
        found = kmerf.independence(x, 1e6 * y * (x == 1.0) + y, method="dcorr", null=kmerf.Extrapolated(), rng=seed)
        assert found.pvalue >= 1 / arrangements - 1e-12


def test_the_default_does_not_go_below_either():
    x, y = one_hot(np.random.default_rng(1), ones=2)
    y[x == 1.0] = 50.0
    assert kmerf.independence(x, y, rng=1).pvalue == pytest.approx(1 / 780)


def test_x_and_y_together_can_allow_less_than_each_alone():
    x, y = np.repeat([1.0, 0.0], [2, 38]), np.repeat(["a", "b"], [5, 35])
    found = kmerf.independence(x, y, method="dcorr", null=kmerf.Extrapolated(), rng=1)
    assert found.pvalue >= 10 / 780 - 1e-12


def test_blocks_in_which_x_is_constant_do_not_count():
    block = np.repeat(range(10), 4)
    x, y = np.zeros(40), np.random.default_rng(0).normal(size=40)
    x[:12:4], y[:12:4] = 1.0, 1000.0  # in three blocks of four rows: 64 arrangements
    for seed in range(4):
        found = kmerf.independence(x, y, blocks=block, method="dcorr", null=kmerf.Extrapolated(), rng=seed)
        assert found.pvalue >= 1 / 64 - 1e-12


@pytest.mark.parametrize("method", [None, "dcorr"])
def test_screens_count_pairs_too(method):
    x = np.repeat([1.0, 0.0], [2, 38])[:, None]
    y = np.repeat(["a", "b"], [5, 35])
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=10)) if method is None else method
    found = kmerf.screen(x, y, method=method, null=kmerf.Extrapolated(19), rng=1)
    assert found.pvalues[0] >= 10 / 780 - 1e-12


def test_studies_count_them():
    from kmerf.study import design
    from kmerf.study.design import StudyTest

    x, y = one_hot(np.random.default_rng(3))
    y[x == 1.0] = 1e6
    sample = read_independence(x, y)
    test = StudyTest(kmerf.baselines.Dcorr(), kmerf.Extrapolated())
    rows = design._rows(test, 0, 0, sample, np.arange(40)[::-1].copy(), 5)
    assert rows[0].pvalue >= 1 / 40 - 1e-12


def test_calibration_has_a_bound_for_every_order():
    x, y = np.repeat([1.0, 0.0], [3, 37]), np.repeat(["a", "b"], [5, 35])
    check = kmerf.check_calibration(x, y, method="dcorr", null=kmerf.Extrapolated(), replicates=200, rng=1)
    assert check.pvalues.min() >= 1 / 9880


@pytest.mark.parametrize("kind", ["two columns", "censored"])
def test_every_kind_of_y(kind):
    rng = np.random.default_rng(0)
    x, y = one_hot(rng, ones=2)
    extreme = np.where(x == 1.0, 1e6, y)
    options = {"y_kind": "censored"} if kind == "censored" else {}
    values = (np.exp(-x) * rng.uniform(1, 2, size=40), np.ones(40)) if options else np.column_stack([extreme, y])
    found = kmerf.independence(x, values, method="dcorr", null=kmerf.Extrapolated(), rng=1, **options)
    assert found.pvalue >= 1 / 780 - 1e-12


def test_pairs_of_groups_count_their_own_rows():
    x = np.zeros(30)
    x[[0, 1]] = 1e6  # in the first of three groups of ten rows
    found = kmerf.ksample(
        x, groups=np.repeat(["a", "b", "c"], 10), method="dcorr", null=kmerf.Extrapolated(19), pairwise=True, rng=1
    )
    least = {"a": 45 / 190, "b": 1.0}  # two of ten rows of 20, or no row at all
    assert all(pair.pvalue >= least[pair.first] - 1e-12 for pair in found.pairwise)


def test_orders_of_keys():
    assert math.exp(log_orders(np.array([3, 3, 5, 5, 5], dtype=np.uint64))) == pytest.approx(12)
