"""What holds for all rivals: against hyppo and slow oracles, and through the questions that users ask."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import rankdata

import kmerf
import oracles_baselines as oracle
from kmerf import InputError, baselines
from kmerf.baselines import CCA, HHG, MGC, RV, Dcorr, Hsic, NormalisedCovariance
from kmerf.methods import mgc
from kmerf.methods.protocol import matrices, observe, rescaled
from kmerf.reading.samples import read_independence, read_ksample

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated
    import hyppo.independence as hyppo
    from hyppo.ksample import KSample

from baseline_cases import METHODS, SHAPES, groups, make, make_tied, names, statistic

HYPPO = [
    (Dcorr("units"), hyppo.Dcorr),
    (Hsic("hyppo", "units"), hyppo.Hsic),
    (MGC("units"), hyppo.MGC),
    (HHG("units"), hyppo.HHG),
    (NormalisedCovariance(), hyppo.CCA),
    (RV("units"), hyppo.RV),
]
NO_CHI_SQUARE = [MGC(), HHG(), CCA(), NormalisedCovariance(), RV()]


@pytest.mark.parametrize(("p", "q"), SHAPES)
@pytest.mark.parametrize(("ours", "theirs"), HYPPO, ids=names)
def test_equals_hyppo(ours, theirs, p, q):
    x, y = make(p, q)
    assert statistic(ours, x, y) == pytest.approx(theirs().statistic(x, y), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize(("ours", "theirs"), HYPPO, ids=names)
def test_k_sample_equals_hyppo(ours, theirs, k):
    samples = groups(k)
    found = kmerf.ksample(*samples, method=ours, null=kmerf.Permutation(1), rng=0).statistic
    assert found == pytest.approx(KSample(theirs.__name__).statistic(*samples), rel=1e-10)


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2)])
@pytest.mark.parametrize("make", [make, make_tied])
def test_kernel_correlations_equal_oracles(make, p, q):
    x, y = make(p, q, 25)
    a, b = oracle.distance_matrix(x), oracle.distance_matrix(y)
    assert statistic(Dcorr("units"), x, y) == pytest.approx(oracle.unbiased_correlation(a, b), rel=1e-10)
    s, t = oracle.median_distance(x), oracle.median_distance(y)
    own = oracle.unbiased_correlation(oracle.gaussian(x, s), oracle.gaussian(y, t))
    shared = oracle.unbiased_correlation(oracle.gaussian(x, s), oracle.gaussian(y, s))
    assert statistic(Hsic(scale="units"), x, y) == pytest.approx(own, rel=1e-10)
    assert statistic(Hsic("hyppo", "units"), x, y) == pytest.approx(shared, rel=1e-10)


@pytest.mark.parametrize("make", [make, make_tied])
@pytest.mark.parametrize("method", METHODS, ids=names)
def test_order_of_rows_does_not_matter(method, make):
    x, y = make(2, 1)
    order = np.random.default_rng(0).permutation(len(x))
    assert statistic(method, x[order], y[order]) == pytest.approx(statistic(method, x, y), rel=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=names)
def test_order_of_groups_does_not_matter(method):
    samples = groups(4)
    found = [observe(method.prepare(read_ksample(*s), 0)).statistic for s in (samples, samples[::-1])]
    assert found[0] == pytest.approx(found[1], rel=1e-9)


@pytest.mark.parametrize("method", [Dcorr(), Hsic(), MGC(), HHG(), CCA(), NormalisedCovariance(), RV()], ids=names)
def test_units_do_not_matter(method):
    x, y = make(3, 2)
    assert statistic(method, 1e3 * x, 1e-4 * y + 2.0) == pytest.approx(statistic(method, x, y), rel=1e-8)


SCALED = [Dcorr, lambda scale: Hsic(scale=scale), MGC, HHG, RV]


@pytest.mark.parametrize("make_method", SCALED)
def test_columns_are_standardised_by_default_or_ranked(make_method):
    x, y = make(3, 2)
    x = np.exp(x) * [1.0, 50.0, 1e-3]
    by_hand = {"standard": [z / z.std(axis=0) for z in (x, y)], "ranks": [rankdata(z, axis=0) for z in (x, y)]}
    for scale, data in by_hand.items():
        assert statistic(make_method(scale), x, y) == pytest.approx(statistic(make_method("units"), *data), rel=1e-6)
    assert statistic(make_method("standard"), 9.0 * x[:, ::-1], y) == pytest.approx(
        statistic(make_method("standard"), x, y)
    )


def test_a_category_counts_as_one_column():
    rng = np.random.default_rng(1)
    table = {"size": rng.normal(size=60), "town": rng.choice(list("abc"), size=60)}
    x, _ = matrices(read_independence(table, rng.normal(size=60)), "Dcorr", "standard")
    assert x.var(axis=0)[0] == pytest.approx(1.0)
    assert x.var(axis=0)[1:].sum() == pytest.approx(1.0, rel=1e-5)


def test_equal_differences_of_whole_numbers_stay_equal():
    x = np.random.default_rng(2).integers(0, 9, size=(50, 2)).astype(float)
    scaled = rescaled(x, np.arange(2), "standard")
    differences = [np.unique(np.abs(np.subtract.outer(z, z))).size for z in (x[:, 0], scaled[:, 0])]
    assert differences[0] == differences[1]


def test_an_unknown_scale_is_refused():
    with pytest.raises(InputError, match="scale"):
        Dcorr("z-scores")


@pytest.mark.parametrize("method", METHODS, ids=names)
@pytest.mark.parametrize("p", [1, 2])
def test_a_constant_says_nothing(method, p):
    sample = read_independence(np.random.default_rng(0).normal(size=(9, p)), np.arange(9.0))
    constant = replace(sample.x, values=np.full((9, p), 0.1))  # the door refuses one from users
    assert observe(method.prepare(replace(sample, x=constant), 0)).statistic == 0.0


@pytest.mark.parametrize("method", [Dcorr(), Hsic()], ids=names)
@pytest.mark.parametrize("p", [1, 2])
def test_no_spread_after_centring_says_nothing(method, p):
    x = np.zeros((9, p))
    x[4] = 0.3  # all of one outlier's distances go with its row
    assert statistic(method, x, np.arange(9.0)) == 0.0
    assert statistic(method, np.eye(9), np.arange(9.0)) == 0.0


@pytest.mark.parametrize("method", METHODS, ids=names)
def test_permutation_test(method):
    x, y = make(2, 1)
    result = kmerf.independence(x, y, method=method, null=kmerf.Permutation(99), rng=1, n_jobs=2)
    assert result.method == method.name
    assert result.pvalue == 0.01
    assert result.importances is None
    noise = np.random.default_rng(3).normal(size=(50, 2))
    assert kmerf.independence(noise, y, method=method, null=kmerf.Permutation(99), rng=1).pvalue > 0.05


@pytest.mark.parametrize("method", METHODS, ids=names)
def test_k_sample_test(method):
    rng = np.random.default_rng(0)
    samples = {"a": rng.normal(size=(20, 2)), "b": rng.normal(size=(25, 2)) + 2.0, "c": rng.normal(size=(15, 2)) - 2.0}
    result = kmerf.ksample(samples, method=method, null=kmerf.Permutation(99), rng=1)
    assert result.pvalue == 0.01
    assert result.groups == {"a": 20, "b": 25, "c": 15}


@pytest.mark.parametrize(("ours", "theirs"), HYPPO[:2], ids=names)
def test_chi_square_equals_hyppo(ours, theirs):
    x, y = make(3, 1)
    result = kmerf.independence(x, y, method=ours, null=kmerf.ChiSquare())
    assert result.pvalue == pytest.approx(theirs().test(x, y, auto=True).pvalue, rel=1e-9)


@pytest.mark.parametrize("method", [Dcorr(), Hsic()], ids=names)
def test_chi_square_is_valid_on_true_nulls(method):
    rng = np.random.default_rng(0)
    data = [(rng.normal(size=(40, 2)), rng.normal(size=(40, 1))) for _ in range(200)]
    rejected = sum(kmerf.independence(x, y, method=method, null=kmerf.ChiSquare()).pvalue <= 0.05 for x, y in data)
    assert rejected <= 19  # at a true rate of 0.05, more would come up once in 375


@pytest.mark.parametrize("method", NO_CHI_SQUARE, ids=names)
def test_no_chi_square_without_unbiased_correlation(method):
    with pytest.raises(InputError, match=r"null=Permutation\(\)"):
        kmerf.independence(*make(2, 1), method=method, null=kmerf.ChiSquare())


def test_other_errors():
    with pytest.raises(InputError, match="did you mean 'median'"):
        Hsic(bandwidth="medain")
    with pytest.raises(InputError, match="MGC needs at least 5"):
        kmerf.independence([1, 2, 3, 4], [1, 2, 3, 4], method=MGC())
    d = np.ones((6, 6))
    with pytest.raises(InputError, match="diagonal that is not zero"):
        mgc.multiscale(d, d)
    with pytest.raises(InputError, match="they differ"):
        mgc.multiscale(np.zeros((6, 6)), np.zeros((5, 5)))
    with pytest.raises(InputError, match=r"must be \(n, n\)"):
        mgc.multiscale(np.zeros((6, 5)), np.zeros((6, 6)))


def test_every_public_rival_has_a_name():
    checked = {type(method).__name__ for method in METHODS}
    assert set(baselines.__all__) == checked, (
        "METHODS in tests/baseline_cases.py has a value of every test in kmerf.baselines"
    )
    assert len({getattr(baselines, name)().name for name in baselines.__all__}) == len(baselines.__all__)
