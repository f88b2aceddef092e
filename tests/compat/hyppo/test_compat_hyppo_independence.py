"""hyppo's tests of independence with ours behind them: statistics beside hyppo's, return types, what is refused."""

import inspect

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

import kmerf.compat.hyppo as ours
from kmerf import InputError

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 2))
Y = X[:, :1] ** 2 + 0.3 * RNG.normal(size=(60, 1))
NAMES = ["CCA", "Dcorr", "HHG", "Hsic", "KMERF", "MGC", "RV"]


@pytest.mark.parametrize("name", [*NAMES, "KSample"])
def test_signatures_are_hyppos(hyppo, name):
    room = hyppo.ksample if name == "KSample" else hyppo.independence
    theirs, mine = getattr(room, name), getattr(ours, name)
    for method in ("__init__", "statistic", "test"):
        a, b = (list(inspect.signature(getattr(each, method)).parameters.values()) for each in (theirs, mine))
        if method == "__init__" and name in ("CCA", "RV"):
            assert mine()
            continue
        assert [(p.name, p.kind) for p in b] == [(p.name, p.kind) for p in a]
        defaults = [(p.name, p.default) for p in a if p.default is not p.empty]
        assert [(p.name, p.default) for p in b if p.default is not p.empty] == defaults


CASES = [
    ("Dcorr", {}),
    ("Dcorr", {"bias": True}),
    ("Dcorr", {"compute_distance": "cityblock"}),
    ("Hsic", {}),
    ("Hsic", {"bias": True}),
    ("Hsic", {"compute_kernel": "laplacian"}),
    ("Hsic", {"compute_kernel": "rbf", "gamma": 0.7}),
    ("Hsic", {"compute_kernel": "laplacian", "bias": True}),
    ("HHG", {}),
    ("HHG", {"compute_distance": "cityblock"}),
    ("MGC", {}),
    ("MGC", {"compute_distance": "cityblock"}),
    ("CCA", {}),
    ("RV", {}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "settings"), CASES, ids=str)
def test_statistics_are_hyppos(hyppo, name, settings):
    theirs, mine = getattr(hyppo.independence, name)(**settings), getattr(ours, name)(**settings)
    assert mine.statistic(X, Y) == pytest.approx(theirs.statistic(X, Y), rel=1e-9)
    found = mine.test(X, Y, reps=49, random_state=1)
    assert found.stat == pytest.approx(mine.statistic(X, Y), rel=1e-12)
    assert 0.0 < found.pvalue <= 1.0
    assert found == pytest.approx(mine.test(X, Y, reps=49, random_state=1)) if name != "MGC" else True


@pytest.mark.parametrize("name", ["Dcorr", "Hsic"])
def test_fast_p_values_are_hyppos(hyppo, name):
    expected = getattr(hyppo.independence, name)().test(X, Y)
    assert tuple(getattr(ours, name)().test(X, Y)) == pytest.approx(tuple(expected), rel=1e-6)


def test_matrices_instead_of_rows(hyppo):
    from scipy.spatial.distance import cdist

    a, b = cdist(X, X), cdist(Y, Y)
    for name in ("Dcorr", "HHG", "MGC"):
        settings = {"compute_distance": None}
        mine, rows = getattr(ours, name)(**settings).statistic(a, b), getattr(ours, name)().statistic(X, Y)
        assert mine == pytest.approx(rows, rel=1e-9)
    gaussian = np.exp(-a), np.exp(-b)
    expected = hyppo.independence.Hsic(compute_kernel=None).statistic(1 - gaussian[0], 1 - gaussian[1])
    assert ours.Hsic(compute_kernel=None).statistic(*gaussian) == pytest.approx(expected, rel=1e-9)


def test_hsic_by_permutation_has_the_statistic_of_hsic(hyppo):
    """hyppo's `test` takes similarities for distances there, and has another statistic than its own `statistic`."""
    from hyppo.tools import compute_kern

    theirs = hyppo.independence.Hsic()
    expected = theirs.statistic(X, Y)
    assert ours.Hsic().test(X, Y, auto=False, reps=19).stat == pytest.approx(expected, rel=1e-9)
    similarities = compute_kern(X, Y)
    other = hyppo.independence.Dcorr(compute_distance=None).statistic(*similarities)
    assert theirs.test(X, Y, auto=False, reps=0).stat == pytest.approx(other, rel=1e-9)
    assert other > expected + 0.005


def test_the_biased_hsic_is_permuted_as_its_chi_square_is_not_valid(hyppo):
    noise = np.random.default_rng(0)
    pairs = [(noise.normal(size=(40, 1)), noise.normal(size=(40, 1))) for _ in range(10)]
    assert max(hyppo.independence.Hsic(bias=True).test(x, y).pvalue for x, y in pairs) < 0.05
    assert np.median([ours.Hsic(bias=True).test(x, y, reps=99, random_state=1).pvalue for x, y in pairs]) > 0.1


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_kernels_without_a_constant_diagonal_are_centred_without_it(kernel):
    """Adding to the diagonal of a kernel changes nothing, which is not so in hyppo."""
    given = [pairwise_kernels(values, metric=kernel) for values in (X, Y)]
    expected = ours.Hsic(compute_kernel=kernel).statistic(X, Y)
    assert ours.Hsic(None).statistic(*given) == pytest.approx(expected, rel=1e-9)
    assert ours.Hsic(None).statistic(*(each + np.eye(60) for each in given)) == pytest.approx(expected, rel=1e-9)


def test_hhg_with_auto_is_hoeffdings_d(hyppo):
    theirs = hyppo.independence.HHG()
    expected = theirs.test(X, Y, auto=True, reps=0)[0]
    assert ours.HHG().test(X, Y, auto=True, reps=0) == pytest.approx((expected, 1.0), rel=1e-9)
    mine = ours.HHG()
    mine.auto = True
    assert mine.statistic(X, Y) == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("ignore:The number of replications")
def test_mgc_has_its_map(hyppo):
    _, _, expected = hyppo.independence.MGC().test(X, Y, reps=1)
    stat, _, more = ours.MGC().test(X, Y, reps=1)
    np.testing.assert_allclose(more["mgc_map"], expected["mgc_map"], atol=1e-9)
    rows, columns = more["opt_scale"]
    assert more["mgc_map"][rows - 1, columns - 1] == pytest.approx(stat, rel=1e-9)
    with pytest.warns(RuntimeWarning, match=r"x has 5 rows that repeat another and y has 5"):
        ours.MGC().test(np.r_[np.arange(6.0), [5] * 5], np.r_[np.arange(6.0), [5] * 5], reps=1)


# --- KMERF ---


def test_kmerf_finds_what_there_is_and_its_p_values_hold_where_there_is_nothing():
    forest = ours.KMERF(ntrees=50, random_state=3)
    stat, pvalue, more = forest.test(X, Y)
    assert pvalue < 0.01
    assert stat == forest.test(X, Y)[0]
    assert more["feat_importance"].shape == (2,)
    assert more["feat_importance"][0] > more["feat_importance"][1]
    noise = np.random.default_rng(0)
    classes = ours.KMERF("classifier", ntrees=30)
    pvalues = [classes.test(noise.normal(size=(40, 3)), noise.integers(0, 2, (40, 1)))[1] for _ in range(8)]
    assert np.median(pvalues) > 0.1  # hyppo's are all below 1e-6


def test_kmerf_by_permutation_and_its_statistic():
    forest = ours.KMERF(ntrees=40, random_state=3)
    assert forest.test(X, Y, auto=False, reps=19).pvalue == 0.05
    assert forest.test(X[:15], Y[:15], reps=19).pvalue >= 0.05
    assert forest.statistic(X, Y) == pytest.approx(forest.test(X, Y).stat)
    assert ours.KMERF(ntrees=40).test(X, Y, random_state=3).stat == forest.test(X, Y).stat


@pytest.mark.parametrize("make", [lambda: ours.KMERF(ntrees=50), lambda: ours.Dcorr(), lambda: ours.Hsic()])
def test_reps_do_not_matter_where_nothing_is_permuted(make):
    assert make().test(X, X[:, :1], reps=0, random_state=1).pvalue < 0.01
    assert make().test(X, X[:, :1], reps=0, random_state=1)[:2] == make().test(X, X[:, :1], random_state=1)[:2]
    assert make().test(X, X[:, :1], reps=0, auto=False).pvalue == 1.0


def test_shares_of_rows_and_columns_are_those_of_scikit_learn():
    """Leaves of a third of the rows, and a fifth of two columns: trees are small, and each is grown on one column."""
    found = ours.KMERF(ntrees=30, max_features=0.2, min_samples_leaf=0.34, random_state=1).test(X, Y)
    assert found[:2] == ours.KMERF(ntrees=30, max_features=1, min_samples_leaf=21, random_state=1).test(X, Y)[:2]


def test_three_numbered_classes_are_classes_not_numbers():
    """Classes 0, 1, 2 and 2, 0, 1 are the same classes; hyppo takes distances between the numbers."""
    y = (np.arange(60) % 3)[:, None]
    forest = ours.KMERF("classifier", ntrees=20, random_state=1)
    x = X + y
    assert forest.statistic(x, y) == pytest.approx(forest.statistic(x, (y + 5) ** 3))


def test_numpys_global_seed_counts_as_in_hyppo():
    found = []
    for _ in range(2):
        np.random.seed(4)  # noqa: NPY002
        found.append(ours.RV().test(X, Y, reps=99))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ours.KMERF("abcd"), "forest='abcd' is not an option"),
        (lambda: ours.KMERF(ntrees=0), "ntrees=0 must be a whole number"),
        (lambda: ours.Dcorr().test(X, Y, perm_blocks=np.ones(60)), "perm_blocks is not supported: use kmerf.indep"),
        (lambda: ours.Dcorr().test(X, Y, reps=-1), "reps=-1 must be a whole number of at least 0"),
        (lambda: ours.Dcorr().test(X, Y[:50]), "x has 60 rows but y has 50"),
        (lambda: ours.KMERF().test(np.float64(3.0), Y), "x is of type float64: pass an array"),
        (lambda: ours.HHG(lambda v: v[:5]).test(X, Y), r"x: its distances have shape \(5, 2\) and not \(60, 60\)"),
        (lambda: ours.HHG(None).statistic(X @ X.T, Y @ Y.T), "x: its distances are negative, down to -"),
        (lambda: ours.HHG(lambda v: v @ v.T).test(X, Y), "x: its distances are negative, down to -"),
        (lambda: ours.MGC(None).test(np.abs(X @ X.T), Y @ Y.T), "x: its distances are not zero from each row to its"),
        (lambda: ours.Dcorr(lambda v: v[:, :1] - v[:, :1].T).test(X, Y), "x: its distances are not symmetric"),
        (lambda: ours.Dcorr(None).test(np.abs(X[:, :1] - X[:, 0]), Y), r"y: its distances have shape \(60, 1\)"),
        (lambda: ours.Hsic(None).test(X, Y), r"x: its similarities have shape \(60, 2\) and not \(60, 60\)"),
        (
            lambda: ours.Hsic(lambda v: v @ v.T + np.inf).test(X, Y),
            "x: 3600 of its similarities are missing or infinite",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()
