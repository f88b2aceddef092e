"""The rivals against hyppo, dcor, scipy and slow oracles, and through the questions that users ask."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multiscale_graphcorr

import kmerf
import oracles_rivals as oracle
from kmerf import InputError, rivals
from kmerf.core import arrays, parallel
from kmerf.data.read_sample import read_independence, read_ksample
from kmerf.methods import cca, multiscale
from kmerf.methods import pair_matrices as pairs
from kmerf.methods import rv as rv_module
from kmerf.methods.protocol import observe
from kmerf.rivals import CCA, HHG, MGC, RV, Dcorr, Hsic, NormalisedCovariance

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated
    import dcor
    import hyppo.independence as hyppo
    from hyppo.ksample import KSample

METHODS = [Dcorr(), Hsic(), Hsic(bandwidth="hyppo"), MGC(), HHG(), CCA(), NormalisedCovariance(), RV()]
HYPPO = [
    (Dcorr(), hyppo.Dcorr),
    (Hsic(bandwidth="hyppo"), hyppo.Hsic),
    (MGC(), hyppo.MGC),
    (HHG(), hyppo.HHG),
    (NormalisedCovariance(), hyppo.CCA),
    (RV(), hyppo.RV),
]
SHAPES = [(1, 1), (3, 1), (1, 3), (4, 2), (40, 30)]
NO_CHI_SQUARE = [MGC(), HHG(), CCA(), NormalisedCovariance(), RV()]


def names(value):
    return getattr(value, "name", getattr(value, "__name__", None))


def make(p, q, n=50, seed=0):
    """Continuous x and y of which y depends on x."""
    rng = np.random.default_rng([seed, n, p, q])
    x, y = rng.normal(size=(n, p)), rng.normal(size=(n, q))
    y[:, 0] += x[:, 0] ** 2 + x[:, 0]
    return x, 3.0 * y + 7.0


def make_tied(p, q, n=40, seed=0):
    """Small whole numbers: rows repeat, and so do distances."""
    rng = np.random.default_rng([seed, n, p, q])
    x = rng.integers(0, 4, size=(n, p)).astype(float)
    return x, (x[:, :1] > 1) + rng.integers(0, 3, size=(n, q)).astype(float)


def prepare(method, x, y):
    return method.prepare(read_independence(x, y, y_kind="numeric"), 0)


def statistic(method, x, y):
    return observe(prepare(method, x, y)).statistic


def groups(k, p=2, seed=0):
    rng = np.random.default_rng([seed, k, p])
    return [rng.normal(size=(12 + 3 * i, p)) * (1 + i) for i in range(k)]


# --- against others -----------------------------------------------------------------------------------------------


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


def test_k_sample_on_a_line_equals_hyppo():
    samples = groups(2, p=1)
    found = Dcorr().prepare(read_ksample(*samples), 0)
    assert type(found.statistic).__name__ == "OnLine"  # two groups are one column
    assert observe(found).statistic == pytest.approx(KSample("Dcorr").statistic(*samples), rel=1e-10)


@pytest.mark.parametrize("bandwidth", ["median", "hyppo"])
def test_bandwidth_does_not_matter_for_groups(bandwidth):
    samples = groups(3)
    found = kmerf.ksample(*samples, method=Hsic(bandwidth=bandwidth), null=kmerf.ChiSquare()).statistic
    assert found == pytest.approx(KSample("Hsic").statistic(*samples), rel=1e-10)


@pytest.mark.parametrize(("p", "q"), SHAPES)
@pytest.mark.parametrize("make", [make, make_tied])
def test_dcorr_equals_dcor(make, p, q):
    x, y = make(p, q)
    assert statistic(Dcorr(), x, y) == pytest.approx(dcor.u_distance_correlation_sqr(x, y), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("n", [4, 5, 17, 400])
@pytest.mark.parametrize("make", [make, make_tied])
def test_line_equals_dcor(make, n):
    x, y = make(1, 1, n)
    wanted = dcor.u_distance_correlation_sqr(x[:, 0], y[:, 0], method="naive")
    assert statistic(Dcorr(), x, y) == pytest.approx(wanted, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2)])
@pytest.mark.parametrize("make", [make, make_tied])
def test_mgc_equals_scipy(make, p, q):
    x, y = make(p, q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of few permutations
        wanted = multiscale_graphcorr(x, y, reps=0).statistic
    assert statistic(MGC(), x, y) == pytest.approx(wanted, rel=1e-12)


def distances_of(kind, n, rng):
    values = rng.normal(size=(n, 2))
    values = {"plain": values, "ties": np.round(values), "two values": (values[:, :1] > 0) * 1.0}[kind]
    return np.abs(values[:, None] - values).sum(axis=2)


@pytest.mark.parametrize("x", ["plain", "ties", "two values"])
@pytest.mark.parametrize("y", ["plain", "ties", "two values", "related"])
def test_multiscale_equals_scipy_in_any_order_of_y(x, y):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 45))
        dx = distances_of(x, n, rng)
        dy = np.sqrt(dx) if y == "related" else distances_of(y, n, rng)
        scales = multiscale.MultiscaleStatistic.of(dx, dy)
        for order in (np.arange(n), rng.permutation(n)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = multiscale_graphcorr(dx, dy[np.ix_(order, order)], compute_distance=None, reps=0).statistic
            assert scales(order) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_local_correlations_by_their_definition():
    """Every pair of scales with sums over the pairs of rows that count in both."""
    rng = np.random.default_rng(3)
    dx, dy = distances_of("plain", 9, rng), distances_of("ties", 9, rng)

    def ready(d):
        a = d - d.sum(axis=0) / 8
        np.fill_diagonal(a, 0.0)
        return a, np.column_stack([np.searchsorted(np.unique(column), column) for column in d.T])

    def covariance(a, k, b, m):
        return (a * k * b * m).sum() - (a * k).sum() * (b * m).sum() / 81

    (a, scale_a), (b, scale_b) = ready(dx), ready(dy)
    found = multiscale.MultiscaleStatistic.of(dx, dy).correlations(np.arange(9))
    assert found.shape == (scale_a.max() + 1, scale_b.max() + 1)
    for k, m in np.ndindex(found.shape):
        near_a, near_b = scale_a <= k, scale_b <= m
        spread = covariance(a, near_a, a.T, near_a.T) * covariance(b, near_b, b.T, near_b.T)
        positive = covariance(a, near_a, a.T, near_a.T) > 0 and covariance(b, near_b, b.T, near_b.T) > 0
        wanted = min(1.0, covariance(a, near_a, b.T, near_b.T) / np.sqrt(spread)) if positive else 0.0
        assert found[k, m] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_mgc_has_the_same_bits_in_threads():
    found = [
        kmerf.independence(*make(2, 1), method=MGC(), null=kmerf.Permutation(60), rng=0, n_jobs=jobs).null
        for jobs in (1, 4)
    ]
    assert (found[0].distribution == found[1].distribution).all()


# --- against definitions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2)])
@pytest.mark.parametrize("make", [make, make_tied])
def test_kernel_correlations_equal_oracles(make, p, q):
    x, y = make(p, q, 25)
    a, b = oracle.distance_matrix(x), oracle.distance_matrix(y)
    assert statistic(Dcorr(), x, y) == pytest.approx(oracle.unbiased_correlation(a, b), rel=1e-10)
    s, t = oracle.median_distance(x), oracle.median_distance(y)
    own = oracle.unbiased_correlation(oracle.gaussian(x, s), oracle.gaussian(y, t))
    shared = oracle.unbiased_correlation(oracle.gaussian(x, s), oracle.gaussian(y, s))
    assert statistic(Hsic(), x, y) == pytest.approx(own, rel=1e-10)
    assert statistic(Hsic(bandwidth="hyppo"), x, y) == pytest.approx(shared, rel=1e-10)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 3)])
@pytest.mark.parametrize("make", [make, make_tied])
def test_hhg_equals_oracle(make, p, q, seed):
    x, y = make(p, q, 12, seed)
    wanted = oracle.hhg(oracle.distance_matrix(x), oracle.distance_matrix(y))
    assert statistic(HHG(), x, y) == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 1), (4, 2), (10, 8)])
def test_cca_equals_oracle(p, q):
    x, y = make(p, q)
    assert statistic(CCA(), x, y) == pytest.approx(oracle.canonical_correlation(x, y), rel=1e-10)
    assert statistic(CCA(), x, y) >= abs(np.corrcoef(x[:, 0], y[:, 0])[0, 1]) - 1e-12


def test_cca_does_not_mind_redundant_or_badly_scaled_columns():
    x, y = make(3, 2)
    wide = np.column_stack([1e6 * x, x.sum(axis=1), np.full(len(x), 0.1)])
    assert statistic(CCA(), wide, y) == pytest.approx(statistic(CCA(), x, y), rel=1e-10)


def test_both_forms_of_rv_agree():
    x, y = (arrays.centred(values) for values in make(6, 5))
    order = np.random.default_rng(0).permutation(len(x))
    forms = [form.of(x, y) for form in (rv_module.ColumnProducts, rv_module.RowProducts)]
    assert forms[0](order) == pytest.approx(forms[1](order), rel=1e-10)
    assert forms[0](order) == pytest.approx(oracle.rv(x, y[order]), rel=1e-10)
    assert isinstance(rv_module.rv(*make(20, 20)), rv_module.RowProducts)
    assert isinstance(rv_module.rv(*make(20, 1)), rv_module.ColumnProducts)


def test_normalised_covariance_is_rv_but_for_single_columns():
    x, y = make(3, 2)
    assert statistic(NormalisedCovariance(), x, y) == statistic(RV(), x, y)
    assert statistic(NormalisedCovariance(), x, y[:, :1]) != pytest.approx(statistic(RV(), x, y[:, :1]))
    assert isinstance(prepare(NormalisedCovariance(), x, y[:, :1]).statistic, cca.Covariances)


@pytest.mark.parametrize("points", [make(1, 1, 60)[0], make(3, 1, 61)[0], make_tied(2, 1, 62)[0], np.ones((30, 2))])
def test_median_distance_is_exact(points, monkeypatch):
    n = len(points)
    wanted = np.median(pairs.distances(points)[np.triu_indices(n, 1)])
    assert pairs.median_distance(points) == wanted
    monkeypatch.setattr(pairs, "MOST_STORED", 0)
    assert pairs.median_distance(points) == wanted


@pytest.mark.parametrize("n", [2**16, 2**17 + 1])
def test_median_of_many_is_exact(n):
    rng = np.random.default_rng(n)
    unlike = np.where(np.arange(n) % (n // 2**14) == 0, 5.0, rng.normal(size=n))  # what is sampled says nothing
    for values in (rng.normal(size=n), rng.integers(0, 3, size=n).astype(float), np.ones(n), unlike):
        inside, skipped = pairs._around_median(values.copy())
        middle = [(n - 1) // 2, n // 2]
        assert (np.sort(inside)[[rank - skipped for rank in middle]] == np.sort(values)[middle]).all()


@pytest.mark.parametrize("method", [Dcorr(), Hsic()], ids=names)
def test_stored_or_not_and_in_blocks_or_not(method, monkeypatch):
    x, y = make(3, 2)
    order = np.random.default_rng(0).permutation(len(x))
    wanted = prepare(method, x, y).fit(order, 1).statistic
    monkeypatch.setattr(pairs, "MOST_STORED", 0)
    monkeypatch.setattr(parallel, "_PER_CALL", 7 * len(x))
    streamed = prepare(method, x, y)
    assert isinstance(streamed.statistic, pairs.StreamedPairs)
    assert streamed.fit(order, 1).statistic == pytest.approx(wanted, rel=1e-10)


def test_hhg_in_blocks(monkeypatch):
    x, y = make_tied(2, 1)
    wanted = statistic(HHG(), x, y)
    monkeypatch.setattr(parallel, "_PER_CALL", 3 * 8 * len(x))
    assert statistic(HHG(), x, y) == pytest.approx(wanted, rel=1e-12)


# --- what holds for all -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2), (20, 20)])
@pytest.mark.parametrize("make", [make, make_tied])
@pytest.mark.parametrize("method", METHODS, ids=names)
def test_permuted_is_observed_on_reordered_y(method, make, p, q):
    x, y = make(p, q, 45)
    ready = prepare(method, x, y)
    rng = np.random.default_rng(0)
    for _ in range(3):
        order = rng.permutation(len(x))
        assert ready.fit(order, 1).statistic == pytest.approx(statistic(method, x, y[order]), rel=1e-9, abs=1e-12)
    assert ready.fit(np.arange(ready.n), 5).statistic == observe(ready).statistic


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


def test_hyppos_bandwidth_depends_on_the_units_of_y():
    x, y = make(3, 1)
    found = [statistic(Hsic(bandwidth="hyppo"), x, unit * y) for unit in (1e-2, 1.0, 1e2)]
    assert max(found) - min(found) > 0.02


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
def test_problems_can_be_sent_to_other_processes(method):
    ready = prepare(method, *make(2, 2))
    copy = pickle.loads(pickle.dumps(ready))
    assert observe(copy).statistic == observe(ready).statistic


# --- through the questions ----------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(("ours", "theirs"), [(Dcorr(), hyppo.Dcorr), (Hsic(bandwidth="hyppo"), hyppo.Hsic)], ids=names)
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


@pytest.mark.parametrize("method", METHODS, ids=names)
def test_missing_values_are_refused(method):
    x, y = make(2, 1)
    x[3, 1] = np.nan
    with pytest.raises(InputError, match=rf"'x2', and {method.name} cannot use them: fill"):
        kmerf.independence(x, y, method=method)


def test_too_many_columns_for_cca():
    with pytest.raises(InputError, match="CCA is 1 whatever the data"):
        kmerf.independence(*make(40, 10), method=CCA())
    assert 0.0 < statistic(CCA(), *make(39, 10)) <= 1.0


def test_other_errors():
    with pytest.raises(InputError, match="did you mean 'median'"):
        Hsic(bandwidth="medain")
    with pytest.raises(InputError, match="MGC needs at least 5"):
        kmerf.independence([1, 2, 3, 4], [1, 2, 3, 4], method=MGC())
    d = np.ones((6, 6))
    with pytest.raises(InputError, match="diagonal that is not zero"):
        multiscale.multiscale(d, d)
    with pytest.raises(InputError, match="they differ"):
        multiscale.multiscale(np.zeros((6, 6)), np.zeros((5, 5)))
    with pytest.raises(InputError, match=r"must be \(n, n\)"):
        multiscale.multiscale(np.zeros((6, 5)), np.zeros((6, 6)))


def test_every_public_rival_has_a_name():
    assert set(rivals.__all__) == {type(method).__name__ for method in METHODS}
    assert len({getattr(rivals, name)().name for name in rivals.__all__}) == len(rivals.__all__)


# --- cost ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "most"), [(Dcorr(), 1.05), (Hsic(), 1.05)], ids=names)
def test_memory_is_at_most_one_matrix(method, most):
    import tracemalloc

    x, y = make(3, 2, 1000)
    sample = read_independence(x, y)
    method.prepare(sample, 0)  # compile
    tracemalloc.start()
    observe(method.prepare(sample, 0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= most * 8 * 1000**2


def test_numbers_need_no_matrix():
    x, y = make(1, 1, 200_000)
    ready = prepare(Dcorr(), x, y)
    assert len(pickle.dumps(ready)) < 100 * ready.n
    assert observe(ready).statistic > 0.1
    assert abs(ready.fit(np.random.default_rng(0).permutation(ready.n), 1).statistic) < 1e-3
