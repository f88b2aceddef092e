"""Effects of pairs of columns: against scipy's measures, their signs, curves, and the order of clusters."""

import numpy as np
import pytest
from scipy.stats import contingency, kruskal, spearmanr

from kmerf.explain.pair_effects import cluster_order, pair_effect

LEVELS = ("low", "middle", "high")


def drawn(seed=0, n=300):
    rng = np.random.default_rng(seed)
    return rng, rng.normal(size=n), rng.normal(size=n)


def test_a_line_has_the_adjusted_rank_correlation():
    _, x, e = drawn()
    y = -0.5 * x + e
    rho, n = spearmanr(x, y).statistic, x.size
    found = pair_effect(x, (), np.exp(y), ())
    assert found.size == pytest.approx(np.sqrt(1 - (1 - rho**2) * (n - 1) / (n - 2)))
    assert (found.sign, found.direction) == (-1, "falls")
    assert pair_effect(y, (), x, ()).size == pytest.approx(found.size)


def test_a_curve_is_found_in_one_direction_or_the_other():
    _, x, e = drawn()
    there, back = pair_effect(x, (), x**2 + 0.3 * e, ()), pair_effect(x**2 + 0.3 * e, (), x, ())
    assert there == back
    assert (there.size > 0.8, there.sign, there.direction) == (True, 0, "curved")


def test_numbers_and_a_category_have_epsilon_squared():
    rng, x, _ = drawn()
    codes = rng.integers(3, size=x.size).astype(float)
    x = x + codes
    h, n = kruskal(*(x[codes == k] for k in range(3))).statistic, x.size
    found = pair_effect(codes, LEVELS, x, ())
    assert found.size**2 == pytest.approx((h - 3 + 1) / (n - 3), rel=1e-9)
    assert found.direction == "highest in high"
    assert pair_effect(x, (), codes, LEVELS) == found


def test_two_categories_have_the_adjusted_v_of_cramer():
    rng, *_ = drawn()
    a = rng.integers(3, size=300)
    b = np.where(rng.random(300) < 0.5, a, rng.integers(3, size=300))
    counts = contingency.crosstab(a, b).count
    found = pair_effect(a.astype(float), LEVELS, b.astype(float), LEVELS)
    assert found.size == pytest.approx(contingency.association(counts, "cramer"), abs=0.02)
    assert found.sign == 0


def test_what_is_not_related_has_almost_no_effect():
    sizes = []
    for seed in range(60):
        rng, x, y = drawn(seed, 100)
        codes = rng.integers(3, size=100).astype(float)
        sizes.append([pair_effect(x, (), y, ()).size, pair_effect(codes, LEVELS, y, ()).size])
    assert np.mean(sizes, axis=0).max() < 0.09


def test_all_of_it_is_one():
    x = np.arange(30.0)
    assert pair_effect(x, (), x**3, ()) == (1.0, 1, "rises")
    codes = np.repeat([0.0, 1.0, 2.0], 10)
    assert pair_effect(codes, LEVELS, codes, LEVELS).size == pytest.approx(1.0)
    assert pair_effect(codes, LEVELS, codes, ()).size == pytest.approx(1.0)


def test_columns_that_belong_together_are_neighbours():
    effects = np.eye(6)
    for group in ((0, 3, 5), (1, 2, 4)):
        for i in group:
            for j in group:
                effects[i, j] = 1.0 if i == j else 0.8
    effects[0, 1] = effects[1, 0] = np.nan
    order = cluster_order(effects).tolist()
    assert {frozenset(order[:3]), frozenset(order[3:])} == {frozenset((0, 3, 5)), frozenset((1, 2, 4))}
    assert cluster_order(np.eye(2)).tolist() == [0, 1]
