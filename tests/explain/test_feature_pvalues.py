"""The p-values of features: against a slow version, and exact at every level where nothing is real."""

import numpy as np
import pytest

import kmerf
from kmerf.core.errors import KmerfError
from kmerf.explain.feature_importances import find_features, rank, reached, typical_spread

SIZE = 40  # fits, observed and permuted


def normal(rng):
    return rng.normal(size=(SIZE, 2, 8))


def mostly_zero(rng):
    """Shares of rare features: a few fits of each have any, and some of those have much."""
    shares = np.where(rng.random((SIZE, 1, 150)) < 0.03, rng.exponential(size=(SIZE, 1, 150)) ** 3, 0.0)
    shares[:, 0, -1] = 0.0
    return shares


def correlated(rng):
    """Blocks of ten features that are nearly the same."""
    return np.repeat(rng.exponential(size=(SIZE, 1, 6)), 10, axis=2) + 0.01 * rng.normal(size=(SIZE, 1, 60))


def unlike(rng):
    """Half of the features have far heavier tails than the others."""
    return np.concatenate([rng.normal(size=(SIZE, 2, 20)), rng.standard_cauchy(size=(SIZE, 2, 20))], axis=2)


KINDS = (normal, mostly_zero, correlated, unlike)


def judged(shares, observed=0, fewest=0.0):
    names = [f"x{j}" for j in range(shares.shape[2])]
    forests = [f"forest{f}" for f in range(shares.shape[1])]
    return find_features(shares[observed], np.delete(shares, observed, axis=0), names, forests, fewest)


def slow_statistics(shares):
    """Standardise every share by the other fits, one at a time."""
    size, forests, p = shares.shape
    z = np.zeros(shares.shape)
    for f in range(forests):
        spreads = [np.std(sorted(shares[:, f, j])[:-1], ddof=1) for j in range(p)]
        varying = [spread for spread in spreads if spread > 0]
        typical = np.median(varying) if varying else 0.0
        for j in range(p):
            column = shares[:, f, j]
            for b in range(size):
                others = np.delete(column, b)
                spread = max(others.std(ddof=1), 0.01 * column.std(ddof=1))
                z[b, f, j] = (column[b] - others.mean()) / (spread + typical) if np.ptp(column) > 0 else 0.0
    return z


def slow_discoveries(top, b):
    """Adjust row b for the false discovery rate: the smaller of Benjamini-Hochberg by pooled ranks and of max-T."""
    size, p = top.shape
    found = []
    for j in range(p):
        thresholds = [t for t in top[b] if t <= top[b, j] + 1e-12]
        step_up = min((top >= t - 1e-12).sum() / (size * (top[b] >= t - 1e-12).sum()) for t in thresholds)
        family = (top.max(axis=1) >= top[b, j] - 1e-12).mean()
        found.append(min(step_up, family))
    return np.array(found)


@pytest.mark.parametrize("kind", KINDS)
def test_pvalues_against_their_definition(kind):
    shares = kind(np.random.default_rng(1))[:, :, :30]
    shares[0, :, 3] += 2.0
    found, z = judged(shares), slow_statistics(shares)
    top = z.max(axis=1)
    for j in range(shares.shape[2]):
        assert found.pvalues[j] == pytest.approx((top[:, j] >= top[0, j] - 1e-12).mean())
        assert found.adjusted_fwer[j] == pytest.approx((top.max(axis=1) >= top[0, j] - 1e-12).mean())
        for f, pvalues in enumerate(found.forests.values()):
            assert pvalues[j] == pytest.approx((z[:, f, j] >= z[0, f, j] - 1e-12).mean())
    every = [slow_discoveries(top, b) for b in range(SIZE)]
    turn = np.mean([each.min() <= every[0].min() + 1e-12 for each in every])
    assert found.adjusted_fdr == pytest.approx(np.maximum(every[0], turn))
    assert (found.adjusted_fwer >= found.pvalues).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_where_nothing_is_real_no_level_is_exceeded(kind, seed):
    """Every fit takes its turn as the observed one; they are as likely as each other."""
    shares = kind(np.random.default_rng(seed))
    turns = [judged(shares, b) for b in range(SIZE)]
    family, fdr = (np.sort([getattr(turn, name).min() for turn in turns]) for name in ("adjusted_fwer", "adjusted_fdr"))
    ranks = np.arange(1, SIZE + 1) / SIZE
    assert (family >= ranks - 1e-12).all()
    assert (fdr >= ranks - 1e-12).all()
    single = np.sort([turn.pvalues for turn in turns], axis=0)
    assert (single >= ranks[:, None] - 1e-12).all()


def test_where_nothing_is_real_levels_are_used_up():
    shares = normal(np.random.default_rng(0))
    turns = [judged(shares, b) for b in range(SIZE)]
    assert sorted(turn.adjusted_fwer.min() for turn in turns) == pytest.approx(np.arange(1, SIZE + 1) / SIZE)
    assert np.mean([turn.adjusted_fdr.min() <= 0.1 for turn in turns]) == pytest.approx(0.1)


def test_many_features_without_a_relation_are_not_discovered():
    """With a model of each feature's tail, more than half of such data sets had a discovery."""
    rng = np.random.default_rng(5)
    discovered = 0
    for _ in range(20):
        shares = np.where(rng.random((100, 1, 300)) < 0.05, rng.exponential(size=(100, 1, 300)) ** 2, 0.0)
        found = judged(shares)
        discovered += found.adjusted_fdr.min() <= 0.05
        assert found.pvalues.min() >= 0.01
    assert discovered <= 3


def test_forests_of_many_features_show_no_pvalue_that_ranks_cannot_support():
    rng = np.random.default_rng(8)
    x, y = (rng.random((60, 150)) < 0.05).astype(float), rng.normal(size=60)
    found = kmerf.independence(x, y, method=kmerf.KMERF(kmerf.ForestSpec(n_trees=15)), rng=1).features
    for pvalues in (found.pvalues, found.adjusted_fwer, found.adjusted_fdr):
        assert pvalues.min() >= 0.01
    assert found.adjusted_fdr.min() > 0.05


def test_real_features_are_discovered_among_many():
    shares = mostly_zero(np.random.default_rng(2))
    shares[0, 0, :4] += 1000.0 * shares.max()
    found = judged(shares)
    assert (found.adjusted_fdr[:4] == 1 / SIZE).all()
    assert (found.adjusted_fwer[:4] == 1 / SIZE).all()
    assert (found.adjusted_fdr[4:] > 0.05).all()


def test_several_features_that_are_large_together_are_discovered_before_each_is_called():
    """One such feature comes up in a tenth of the refits, but ten never do together."""
    shares = np.random.default_rng(3).normal(size=(100, 1, 100))
    shares[0, 0, :10] = 3.1
    found = judged(shares)
    assert (found.adjusted_fdr[:10] <= 0.05).all()
    assert (found.adjusted_fwer[:10] > 0.05).all()


def test_a_share_that_one_fit_alone_has_does_not_hide_a_real_feature():
    """Its own sd is next to nothing, so that its z would be in the hundreds."""
    shares = np.random.default_rng(4).normal(size=(SIZE, 1, 20)) * 0.01
    for b in range(1, SIZE):
        shares[:, 0, b % 10] = 0.0
    shares[np.arange(1, 11), 0, np.arange(10)] = 0.005
    shares[0, 0, 15] = 0.2
    assert judged(shares).adjusted_fwer[15] == 1 / SIZE


def test_what_the_observed_fit_found_does_not_widen_the_scale_of_others():
    shares = np.random.default_rng(6).normal(size=(SIZE, 1, 3))
    before = typical_spread(shares[1:])
    shares[0] = 1000.0
    assert typical_spread(shares) == pytest.approx(np.median(shares[1:, 0].std(axis=0, ddof=1)))
    assert typical_spread(shares) < 1.2 * before


def test_features_without_any_share_have_no_small_pvalue():
    found = judged(np.zeros((SIZE, 2, 3)))
    for pvalues in (found.pvalues, found.adjusted_fwer, found.adjusted_fdr):
        assert (pvalues == 1.0).all()


def test_no_pvalue_is_below_one_over_the_number_of_arrangements():
    shares = normal(np.random.default_rng(7))
    shares[0] += 50.0
    found = judged(shares, fewest=0.3)
    for pvalues in (found.pvalues, found.adjusted_fwer, found.adjusted_fdr, *found.forests.values()):
        assert (pvalues == 0.3).all()


def test_with_few_arrangements_of_y_the_test_says_so():
    x = np.random.default_rng(0).normal(size=(24, 3))
    y = np.r_[np.zeros(23), 1.0]
    x[-1] = 9.0
    found = kmerf.independence(x, y, method=kmerf.KMERF(kmerf.ForestSpec(n_trees=10)), rng=1).features
    assert min(found.pvalues.min(), found.adjusted_fwer.min(), found.adjusted_fdr.min()) >= 1 / 24 - 1e-12


def test_shares_that_are_not_numbers_are_refused():
    shares = normal(np.random.default_rng(0))
    shares[3, 1, 2] = np.nan
    with pytest.raises(KmerfError, match="importances are not finite numbers.*look for extreme values"):
        judged(shares)


def test_counting_against_plain_counting():
    rng = np.random.default_rng(9)
    values, levels = rng.integers(0, 9, size=(7, 11)).astype(float), rng.integers(0, 9, size=(3, 5)).astype(float)
    assert (reached(values, levels) == (values.ravel() >= levels[..., None]).sum(axis=-1)).all()
    assert rank(values) == pytest.approx((values >= values[0]).mean(axis=0))
    assert reached(np.array([0.1 + 0.2]), np.array([0.3])) == reached(np.array([0.3]), np.array([0.1 + 0.2])) == 1
