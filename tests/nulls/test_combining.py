"""Several statistics as one: a soft maximum of scores."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import kstest

from kmerf.nulls.definitions import (
    by_the_others,
    combine,
    combine_many,
    combine_pvalues,
    scores,
    scores_among,
    shares,
    soft_maximum,
)

WEIGHTS = np.array([1.0, 0.5, 2.0])


def slow_scores(t):
    """Take each row among all others, one at a time."""
    found = np.empty_like(t)
    for i, row in enumerate(t):
        others = np.delete(t, i, axis=0)
        away = others - others.mean(axis=0)
        g = np.clip((away**3).mean(axis=0) / (away**2).mean(axis=0) ** 1.5, 1e-3, 2.5)
        z = (row - others.mean(axis=0)) / others.std(axis=0, ddof=1)
        found[i] = 6 / g * (np.cbrt(np.maximum(1 + g * z / 2, 0)) - 1) + g / 6
    return np.maximum(found, -3.0)


def test_each_row_is_standardised_by_all_the_others():
    t = np.random.default_rng(0).normal(size=(12, 3)) ** 3
    slow = [(t[i] - np.delete(t, i, 0).mean(0)) / np.delete(t, i, 0).std(0, ddof=1) for i in range(12)]
    np.testing.assert_allclose(by_the_others(t), slow, rtol=1e-10)


def test_each_row_is_scored_among_all_the_others():
    t = np.random.default_rng(0).gamma(2.0, size=(40, 4)) * [1.0, 1e-6, 1e6, 1.0] + [0.0, 1.0, 0.0, 1e3]
    np.testing.assert_allclose(scores(t), slow_scores(t), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(scores_among(t[:1], t[1:]), slow_scores(t)[:1], rtol=1e-6)


@pytest.mark.parametrize("shape", [0.5, 1.0, 4.0, 1e6])
def test_scores_of_gammas_are_about_normal(shape):
    found = scores(np.random.default_rng(1).gamma(shape, size=(20_000, 1))).ravel()
    for quantile, normal in ((0.5, 0.0), (0.95, 1.645), (0.99, 2.326), (0.999, 3.090)):
        assert np.quantile(found, quantile) == pytest.approx(normal, abs=0.12 if shape >= 1.0 else 0.35)


def test_a_column_that_never_varies_says_nothing():
    t = np.c_[np.full(20, 0.3), np.arange(20.0)]
    assert (by_the_others(t)[:, 0] == 0.0).all()
    assert (scores(t)[:, 0] == 0.0).all()
    observed, permuted = combine_many(t[:5], t[5:], np.ones(2))
    assert np.isfinite(np.r_[observed, permuted]).all()


def test_where_all_others_agree_a_row_has_a_finite_score():
    t = np.r_[[1.0], np.zeros(19)][:, None]
    assert np.isfinite(scores(t)).all()
    assert scores(t)[0] > 5.0


def test_one_statistic_stays_as_it_is():
    permuted = np.random.default_rng(1).normal(size=(30, 1))
    statistic, distribution = combine(np.array([0.7]), permuted, np.ones(1))
    assert statistic == 0.7
    assert distribution.tolist() == permuted[:, 0].tolist()


def test_the_statistic_is_a_soft_maximum():
    rng = np.random.default_rng(7)
    observed, permuted = rng.normal(size=3), rng.normal(size=(99, 3))
    u = slow_scores(np.vstack([observed, permuted]))
    statistic, distribution = combine(observed, permuted, WEIGHTS)
    slow = np.log(np.exp(1.3 * u) @ WEIGHTS / WEIGHTS.sum()) / 1.3
    assert statistic == pytest.approx(slow[0], rel=1e-9)
    np.testing.assert_allclose(distribution, slow[1:], rtol=1e-9, atol=1e-12)
    terms = WEIGHTS * np.exp(1.3 * u[0])
    np.testing.assert_allclose(shares(u[0], WEIGHTS), terms / terms.sum(), rtol=1e-12)


def test_scores_without_bound_have_a_finite_soft_maximum():
    assert soft_maximum(np.array([[1e5, 0.0]]), np.ones(2))[0] == pytest.approx(1e5, rel=1e-4)
    assert shares(np.array([1e5, 0.0]), np.ones(2)).tolist() == [1.0, 0.0]


def test_the_statistic_rises_with_every_member():
    rng = np.random.default_rng(8)
    observed, permuted = rng.normal(size=3), rng.normal(size=(99, 3))
    for k in range(3):
        more = observed + 0.5 * (np.arange(3) == k)
        assert combine(more, permuted, WEIGHTS)[0] > combine(observed, permuted, WEIGHTS)[0]


def test_units_do_not_matter():
    rng = np.random.default_rng(2)
    observed, permuted = rng.normal(size=3), rng.normal(size=(99, 3))
    scale, shift = np.array([1e-6, 1.0, 1e6]), np.array([5.0, 0.0, -3.0])
    plain = combine(observed, permuted, WEIGHTS)
    scaled = combine(observed * scale + shift, permuted * scale + shift, WEIGHTS)
    assert scaled[0] == pytest.approx(plain[0], rel=1e-6)
    np.testing.assert_allclose(scaled[1], plain[1], rtol=1e-5)


def test_an_outlier_does_not_set_the_scale_on_which_it_is_judged():
    permuted = np.random.default_rng(3).normal(size=(99, 2))
    far, farther = (combine(np.array([size, 0.0]), permuted, np.ones(2)) for size in (30.0, 300.0))
    np.testing.assert_array_equal(far[1], farther[1])
    assert farther[0] > far[0]


def test_ranks_are_uniform_when_rows_are_exchangeable():
    """Heavy tails in one column, a skew one in another, and columns that go together: p-values must not care."""
    rng = np.random.default_rng(4)
    pvalues = []
    for _ in range(2000):
        shared = rng.normal(size=(20, 1))
        t = np.c_[rng.standard_t(2, size=20), rng.exponential(size=20), shared, shared + 0.1 * rng.normal(size=(20, 1))]
        statistic, distribution = combine(t[0], t[1:], np.array([1.0, 0.2, 3.0, 1.0]))
        pvalues.append((1 + (distribution >= statistic).sum() - rng.random()) / 20)
    # where the observed one is above all, the others are scored without it, which may only raise p
    assert np.mean(np.array(pvalues) <= 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)
    assert np.mean(np.array(pvalues) <= 0.05) > 0.02
    assert kstest(np.array(pvalues)[np.array(pvalues) > 0.15], "uniform", args=(0.15, 0.85)).pvalue > 0.001


def test_the_unit_of_weights_does_not_matter():
    rng = np.random.default_rng(6)
    observed, permuted = rng.normal(size=3), rng.normal(size=(99, 3))
    one, other = (combine(observed, permuted, unit * WEIGHTS) for unit in (1.0, 1000.0))
    assert one[0] == pytest.approx(other[0], rel=1e-12)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-12)


def test_where_all_others_agree_their_sd_is_a_hundredth_of_that_of_all():
    t = np.zeros((20, 1))
    t[0] = 1.0
    assert by_the_others(t)[0, 0] == pytest.approx(1.0 / (0.01 * t.std(ddof=1)), rel=1e-12)


def test_a_skewness_is_taken_to_be_two_and_a_half_at_most():
    """One row in a hundred far out has a skewness of nearly ten."""
    t = np.r_[np.zeros(99), 1.0][:, None]
    z = (1.0 - t.mean()) / t.std(ddof=1)
    wanted = 6 / 2.5 * (np.cbrt(1 + 2.5 * z / 2) - 1) + 2.5 / 6
    assert scores_among(np.ones((1, 1)), t)[0, 0] == pytest.approx(wanted, rel=1e-12)


def test_pvalues_are_combined_as_cauchy_variables():
    pvalues = np.array([0.02, 0.3, 0.9])
    expected = stats.cauchy.sf(stats.cauchy.isf(pvalues).mean())
    assert combine_pvalues(pvalues, np.ones(3)) == pytest.approx(expected, rel=1e-9)
    assert combine_pvalues(pvalues[::-1], np.ones(3)) == pytest.approx(expected, rel=1e-9)
    assert combine_pvalues(np.array([0.2, 0.2]), np.array([3.0, 1.0])) == pytest.approx(0.2)
    assert combine_pvalues(np.array([1e-200, 0.5]), np.ones(2)) == pytest.approx(2e-200, rel=1e-6)
    assert combine_pvalues(np.array([1e-300, 1e-300]), np.ones(2)) == pytest.approx(1e-300, rel=1e-6)
    assert combine_pvalues(np.array([1e-6, 1.0]), np.ones(2)) == pytest.approx(2e-6, rel=1e-3)
    assert combine_pvalues(np.array([1.0, 1.0]), np.ones(2)) == pytest.approx(0.99)  # one of 1 would outweigh all


def test_combined_pvalues_keep_the_level_where_components_go_together():
    """As shapes, which contain the levels, do."""
    rng = np.random.default_rng(10)
    squares = rng.normal(size=(40_000, 8)) ** 2
    pvalues = stats.chi2.sf(np.column_stack([squares[:, 0], squares.sum(axis=1)]), [1, 8])
    rates = [(combine_pvalues(pvalues, np.array([0.65, 0.1])) <= level).mean() / level for level in (0.1, 0.05, 0.01)]
    assert max(rates) <= 1.1
    assert min(rates) >= 0.9


def test_combined_pvalues_keep_the_level_where_components_are_independent():
    found = combine_pvalues(np.random.default_rng(9).uniform(size=(40_000, 3)), np.array([0.4, 0.2, 0.4]))
    levels = np.array([0.01, 0.05, 0.1, 0.2])
    rates = (found[:, None] <= levels).mean(axis=0)
    assert np.all(np.abs(rates - levels) <= 3.0 * np.sqrt(levels * (1.0 - levels) / 40_000))
