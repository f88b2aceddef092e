"""The largest of several standardised statistics."""

from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import kstest

from kmerf.nulls.combining import by_the_others, largest, largest_of_many, weights

LEVELS = np.array([1.0, 0.5, 2.0])


def test_each_row_is_standardised_by_all_the_others():
    t = np.random.default_rng(0).normal(size=(12, 3)) ** 3
    slow = [(t[i] - np.delete(t, i, 0).mean(0)) / np.delete(t, i, 0).std(0, ddof=1) for i in range(12)]
    np.testing.assert_allclose(by_the_others(t), slow, rtol=1e-10)


def test_a_column_that_never_varies_says_nothing():
    t = np.c_[np.full(20, 0.3), np.arange(20.0)]
    assert (by_the_others(t)[:, 0] == 0.0).all()
    observed, permuted = largest_of_many(t[:5], t[5:], np.ones(2))
    assert np.isfinite(np.r_[observed, permuted]).all()


def test_one_statistic_stays_as_it_is():
    permuted = np.random.default_rng(1).normal(size=(30, 1))
    statistic, distribution = largest(np.array([0.7]), permuted, np.ones(1))
    assert statistic == 0.7
    assert distribution.tolist() == permuted[:, 0].tolist()


def test_units_do_not_matter():
    rng = np.random.default_rng(2)
    observed, permuted = rng.normal(size=3), rng.normal(size=(99, 3))
    scale, shift = np.array([1e-6, 1.0, 1e6]), np.array([5.0, 0.0, -3.0])
    plain = largest(observed, permuted, LEVELS)
    scaled = largest(observed * scale + shift, permuted * scale + shift, LEVELS)
    assert scaled[0] == pytest.approx(plain[0], rel=1e-6)
    np.testing.assert_allclose(scaled[1], plain[1], rtol=1e-6)


def test_an_outlier_does_not_set_the_scale_on_which_it_is_judged():
    permuted = np.random.default_rng(3).normal(size=(99, 2))
    far, farther = (largest(np.array([size, 0.0]), permuted, np.ones(2)) for size in (30.0, 300.0))
    np.testing.assert_array_equal(far[1], farther[1])
    assert farther[0] == pytest.approx(10 * far[0], rel=0.1)


def test_ranks_are_uniform_when_rows_are_exchangeable():
    """Heavy tails in one column, a skew one in another, and columns that go together: p-values must not care."""
    rng = np.random.default_rng(4)
    pvalues = []
    for _ in range(2000):
        shared = rng.normal(size=(20, 1))
        t = np.c_[rng.standard_t(2, size=20), rng.exponential(size=20), shared, shared + 0.1 * rng.normal(size=(20, 1))]
        statistic, distribution = largest(t[0], t[1:], np.array([1.0, 0.2, 3.0, 1.0]))
        pvalues.append((1 + (distribution >= statistic).sum() - rng.random()) / 20)
    # where the observed one is above all, the others are standardised without it, which may only raise p
    assert np.mean(np.array(pvalues) <= 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)
    assert np.mean(np.array(pvalues) <= 0.05) > 0.02
    assert kstest(np.array(pvalues)[np.array(pvalues) > 0.15], "uniform", args=(0.15, 0.85)).pvalue > 0.001


@pytest.mark.parametrize("draw", ["normal", "exponential"])
def test_each_column_is_large_by_chance_as_often_as_its_level_says(draw):
    """Of independent columns with levels 1, 0.5 and 2: two, one and four of seven rejections."""
    t = getattr(np.random.default_rng(5), draw)(size=(400_000, 3))
    z = (t - t.mean(axis=0)) / t.std(axis=0)
    scores = z * weights(z, LEVELS)
    top = scores.max(axis=1)
    own = (scores >= np.quantile(top, 0.95)).mean(axis=0)
    np.testing.assert_allclose(own / own.sum(), LEVELS / LEVELS.sum(), atol=0.02 if draw == "normal" else 0.06)


def test_the_unit_of_levels_does_not_matter():
    rng = np.random.default_rng(6)
    observed, permuted = rng.normal(size=3), rng.normal(size=(99, 3))
    one, other = (largest(observed, permuted, unit * LEVELS) for unit in (1.0, 1000.0))
    assert one[0] == pytest.approx(other[0], rel=1e-12)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-12)


def test_a_skewness_is_taken_to_be_two_and_a_half_at_most():
    """One row in a hundred far out has a skewness of nearly ten."""
    out = np.zeros(100)
    out[0] = 1.0
    even = np.linspace(-1.0, 1.0, 100)
    q = NormalDist().inv_cdf(1 - 0.05 / 2)
    wanted = q / (q + (q**2 - 1) * 2.5 / 6)
    np.testing.assert_allclose(weights(np.c_[out, even], np.ones(2)), [wanted, 1.0], rtol=1e-12)


def test_where_all_others_agree_their_sd_is_a_hundredth_of_that_of_all():
    t = np.zeros((20, 1))
    t[0] = 1.0
    assert by_the_others(t)[0, 0] == pytest.approx(1.0 / (0.01 * t.std(ddof=1)), rel=1e-12)
