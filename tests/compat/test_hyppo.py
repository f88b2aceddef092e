"""hyppo's names with our tests behind them: statistics beside hyppo's, return types, what is refused."""

import inspect

import numpy as np
import pytest

from kmerf import InputError
from kmerf.compat import hyppo as ours

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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["CCA", "Dcorr", "HHG", "Hsic", "MGC", "RV"])
@pytest.mark.parametrize("groups", [2, 3])
def test_k_sample_statistics_are_hyppos(hyppo, name, groups):
    samples = [RNG.normal(size=(20 + k, 2)) + 0.5 * k for k in range(groups)]
    theirs, mine = hyppo.ksample.KSample(name).statistic(*samples), ours.KSample(name).statistic(*samples)
    if name in ("HHG", "MGC"):  # labels tie many distances; hyppo's are rounded, which breaks some ties
        assert mine == pytest.approx(theirs, rel=0.2)
    else:
        assert mine == pytest.approx(theirs, rel=1e-9)
    assert ours.KSample(name).test(*samples, reps=19, random_state=0)[0] == pytest.approx(mine, rel=1e-12)


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


def test_numpys_global_seed_counts_as_in_hyppo():
    found = []
    for _ in range(2):
        np.random.seed(4)  # noqa: NPY002
        found.append(ours.RV().test(X, Y, reps=99))
    assert found[0] == found[1]


def test_forests_are_translated():
    from sklearn.ensemble import RandomForestClassifier

    spec = ours.translate_forest("regressor", 10, {"max_depth": 3, "random_state": 1, "n_jobs": 2})
    assert (spec.n_trees, spec.max_depth, spec.max_features, spec.max_samples) == (10, 3, 1.0, 1.0)
    assert ours.translate_forest("classifier", 10, {}).max_features == "sqrt"
    assert ours.translate_forest("classifier", 10, {"max_features": None, "max_samples": 0.5}).max_samples == 0.5
    plugin = ours.translate_forest("classifier", 10, {"criterion": "entropy"})
    assert isinstance(plugin, RandomForestClassifier)
    assert plugin.n_estimators == 10
    assert ours.KMERF("classifier", ntrees=10, criterion="entropy").test(X, Y > 0.5, auto=False, reps=3).stat


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ours.KMERF("abcd"), "forest='abcd' is not an option"),
        (lambda: ours.KSample("abcd"), "indep_test='abcd' is not an option"),
        (lambda: ours.KSample(["MaxMargin", "Dcorr"]), "is not an option"),
        (lambda: ours.Dcorr().test(X, Y, perm_blocks=np.ones(60)), "perm_blocks is not supported: use kmerf.indep"),
        (lambda: ours.Dcorr().test(X, Y, reps=-1), "reps=-1 must be a whole number of at least 0"),
        (lambda: ours.Dcorr().test(X, Y[:50]), "rows"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()
