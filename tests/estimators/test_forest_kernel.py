"""ForestKernel: scikit-learn's own checks, its numbers against definitions, and its use in other models."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.ensemble import ExtraTreesClassifier, RandomForestRegressor, RandomTreesEmbedding
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import estimator_checks_generator

from kmerf import ForestKernel, ForestSpec, InputError, KmerfWarning

IRIS = load_iris(return_X_y=True)


def small(**settings):
    return ForestKernel(**{"n_trees": 40, "random_state": 0} | settings)


@pytest.fixture(scope="module")
def fitted():
    return small().fit(*IRIS)


CHECKED = [
    ForestKernel(n_trees=5),
    ForestKernel(n_trees=5, output="kernel"),
    ForestKernel(forest=RandomForestRegressor(n_estimators=3)),
    ForestKernel(forest=ForestSpec(3, splits="blind")),
    ForestKernel(forest=ForestSpec(3, splits="random", combinations=4)),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", CHECKED, ids=["leaves", "kernel", "plug-in", "blind", "oblique"])
def test_passes_the_checks_of_scikit_learn(estimator):
    failed, passed = [], 0
    for checked, check in estimator_checks_generator(estimator):
        try:
            check(checked)
            passed += 1
        except Exception as error:
            if type(error).__name__ != "SkipTest":
                failed.append((check.func.__name__, error))
    assert not failed
    assert passed >= 40


# --- numbers ---


def by_definition(fitted, X, Y):
    """Count tree by tree, pair by pair."""
    a, b = fitted._forest.router.route(X), fitted._forest.router.route(Y)
    return np.mean([s[:, None] == t[None, :] for s, t in zip(a, b, strict=True)], axis=0)


def test_the_kernel_is_the_share_of_common_leaves(fitted):
    X = IRIS[0]
    K = fitted.kernel(X[:30], X[20:])
    np.testing.assert_allclose(K, by_definition(fitted, X[:30], X[20:]), rtol=1e-12)
    np.testing.assert_array_equal(fitted.kernel(), fitted.kernel(X))
    np.testing.assert_array_equal(fitted.kernel().diagonal(), 1.0)


def test_the_leaf_map_gives_the_kernel(fitted):
    X = IRIS[0]
    Z = fitted.transform(X)
    assert sparse.issparse(Z)
    assert Z.nnz == 40 * 150
    np.testing.assert_allclose((Z[:9] @ Z.T).toarray(), fitted.kernel(X[:9]), atol=1e-12)
    assert len(fitted.get_feature_names_out()) == Z.shape[1]


def test_the_kernel_is_positive_semidefinite_also_out_of_bag(fitted):
    for proximity in ("all", "oob"):
        assert np.linalg.eigvalsh(fitted.kernel(proximity=proximity)).min() > -1e-10


def test_out_of_bag_new_rows_count_in_trees_that_did_not_see_the_fitted_row(fitted):
    X = IRIS[0]
    free = fitted._forest.free
    a, b = fitted._forest.router.route(X[:5]), fitted._forest.codes
    shared = (a[:, :, None] == b[:, None, :]) & free[:, None, :]
    np.testing.assert_allclose(fitted.kernel(X[:5], proximity="oob"), shared.mean(axis=0), rtol=1e-12)
    normal = fitted.kernel(X[:5], proximity="oob", normalise=True)
    np.testing.assert_allclose(normal, shared.sum(axis=0) / free.sum(axis=0), rtol=1e-12)


def test_nearest_rows_and_the_sparse_kernel_are_the_largest_of_the_dense_one(fitted):
    K = fitted.kernel()
    S = fitted.sparse_kernel(k=7)
    rows, near = fitted.nearest(k=6)
    assert S.shape == K.shape
    assert (np.diff(S.indptr) == 7).all()
    for i in range(150):
        others = np.delete(K[i], i)
        np.testing.assert_allclose(near[i], np.sort(others)[::-1][:6])
        np.testing.assert_array_equal(K[i, rows[i]], near[i])
        assert i not in rows[i]
        np.testing.assert_allclose(np.sort(S[[i]].data), np.sort(K[i])[-7:])
    new_rows, _ = fitted.nearest(IRIS[0][:3], k=1)
    assert (K[[0, 1, 2], new_rows[:, 0]] == 1.0).all()


@pytest.mark.parametrize("new", [None, IRIS[0][40:60]], ids=["fitted", "new"])
def test_nearest_rows_out_of_bag_are_the_largest_of_the_normalised_kernel(fitted, new):
    K = fitted.kernel(new, proximity="oob", normalise=True)
    if new is None:
        np.fill_diagonal(K, 0.0)
    rows, near = fitted.nearest(new, k=5, proximity="oob")
    order = np.argsort(-K, axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(near, np.take_along_axis(K, order, axis=1))
    np.testing.assert_array_equal(rows, np.where(near > 0, order, -1))
    S = fitted.sparse_kernel(new, k=5, proximity="oob", normalise=True)
    assert S.shape == K.shape
    whole = fitted.kernel(new, proximity="oob", normalise=True)
    np.testing.assert_allclose(np.sort(S[[0]].data), np.sort(whole[0])[-5:])


def test_threads_and_seeds():
    X, y = IRIS
    one, two = (small(n_jobs=jobs).fit(X, y).kernel() for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, small(random_state=1).fit(X, y).kernel())
    again = pickle.loads(pickle.dumps(small().fit(X, y)))
    np.testing.assert_array_equal(again.kernel(X[:4]), one[:4])
    assert clone(small(min_samples_leaf=3)).min_samples_leaf == 3


# --- what it may be given ---


def test_without_y_the_forest_learns_how_columns_go_together():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    X = np.column_stack([a, a + 0.1 * rng.normal(size=300), rng.normal(size=300)])
    K = small(n_trees=200, min_samples_leaf=5).fit(X).kernel(proximity="oob")
    assert K.shape == (300, 300)
    near = np.quantile(K, 0.98) < K
    i, j = np.nonzero(np.triu(near, 1))
    along, noise = np.abs(X[i, 0] - X[j, 0]).mean(), np.abs(X[i, 2] - X[j, 2]).mean()
    assert along < 0.75 * noise  # all pairs: 1.15 and 1.05


def test_tables_with_categories_and_missing_values():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"size": rng.normal(size=120), "kind": pd.Categorical(rng.choice(["u", "v", "w"], 120))})
    y = (table["kind"] == "v") + 0.1 * rng.normal(size=120)
    table.loc[::9, "kind"] = None
    table.loc[::7, "size"] = np.nan
    model = small().fit(table, y)
    assert model.feature_names_in_.tolist() == ["size", "kind"]
    np.testing.assert_array_equal(model.kernel(table), model.kernel())
    with pytest.raises(InputError, match="column 'kind' holds 'new'"):
        model.kernel(table.assign(kind="new"))
    lenient = small(handle_unknown="missing").fit(table, y)
    np.testing.assert_array_equal(lenient.kernel(table.assign(kind="new")), lenient.kernel(table.assign(kind=None)))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        np.testing.assert_array_equal(model.kernel(table.to_numpy(dtype=object)), model.kernel())  # by their order
    as_lists = small(categorical="x2").fit([[1.0, "a"], [2.0, "b"], [3.0, "a"], [0.5, "b"]], [0, 1, 0, 1])
    assert as_lists.kernel([[1.5, "a"]]).shape == (1, 4)


def test_text_in_tables_is_read_as_categories():
    table = pd.DataFrame({"size": np.arange(40.0), "kind": ["u", "v"] * 20})
    as_text, typed = small().fit(table, table["size"]), small().fit(table.astype({"kind": "category"}), table["size"])
    np.testing.assert_array_equal(as_text.kernel(), typed.kernel())
    with pytest.raises(InputError, match="column 'size' is text, but was numeric before"):
        as_text.kernel(table.assign(size="large"))
    with pytest.raises(InputError, match="X holds text, 'large': the fitted rows have numbers alone"):
        small().fit(table[["size"]], table["size"]).kernel(table[["size"]].assign(size="large"))


def test_cross_validation_with_rare_categories():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"town": [f"town {k}" for k in range(20)] * 2, "size": rng.normal(size=40)})
    pipe = make_pipeline(small(handle_unknown="missing"), Ridge())
    assert np.isfinite(cross_val_score(pipe, table.sort_values("town"), rng.normal(size=40), cv=5)).all()


def test_a_regressor_takes_integers_as_numbers():
    X, y = IRIS
    model = small(forest=RandomForestRegressor(n_estimators=5)).fit(X, y)
    assert model._forest.router.fitted.n_outputs_ == 1
    assert model.classes_ is None
    np.testing.assert_array_equal(small().fit(X, y).classes_, [0, 1, 2])


def test_one_column_without_y_is_warned_of():
    with pytest.warns(KmerfWarning, match="X has one column and there is no y"):
        small().fit(IRIS[0][:, :1])


def test_settings_changed_after_fitting_do_not_change_the_kernel():
    X, y = IRIS
    model = small(forest=ForestSpec(20, combinations=4)).fit(X, y)
    before = model.kernel(X)
    np.testing.assert_array_equal(model.set_params(forest=ExtraTreesClassifier()).kernel(X), before)


@pytest.mark.parametrize(
    "forest",
    [
        ExtraTreesClassifier(n_estimators=20),
        RandomForestRegressor(n_estimators=20),
        RandomTreesEmbedding(n_estimators=20),
    ],
    ids=lambda forest: type(forest).__name__,
)
@pytest.mark.parametrize("supervised", [True, False])
def test_any_forest_of_scikit_learn(forest, supervised):
    X, y = IRIS
    model = small(forest=forest).fit(X, y) if supervised else small(forest=forest).fit(X)
    K = model.kernel()
    assert K.shape == (150, 150)
    np.testing.assert_array_equal(K, model.kernel(X))
    np.testing.assert_allclose((model.transform(X) @ model.transform(X).T).toarray(), K, atol=1e-12)
    if supervised and not isinstance(forest, RandomTreesEmbedding):
        nodes = model._forest.router.fitted.apply(X)  # against scikit-learn's own leaves
        np.testing.assert_allclose(K, (nodes[:, None, :] == nodes[None, :, :]).mean(axis=2), rtol=1e-12)


@pytest.mark.parametrize(
    ("settings", "X", "y", "message"),
    [
        ({"output": "leafs"}, *IRIS, "output='leafs' is not an option; did you mean 'leaves'"),
        ({"y_kind": "number"}, *IRIS, "y_kind='number' is not an option; did you mean 'numeric'"),
        ({"n_trees": 0}, *IRIS, "n_trees=0 must be a whole number"),
        ({"forest": "big"}, *IRIS, "forest='big' has no 'fit'"),
        ({"forest": ExtraTreesClassifier()}, IRIS[0], IRIS[0][:, 0], "is a classifier and y is numeric"),
        ({}, pd.DataFrame({"a": ["1", "2"]}), [0, 1], "X: column 'a' holds numbers as text, such as '1'"),
        ({}, pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), [0, 1], "X has duplicate column names: rename them"),
        ({}, np.array([["u", 1], ["v", 2]]), [0, 1], "X holds text, 'u': pass categorical with the positions"),
        ({}, np.array([["2020-01-01"], ["2020-01-02"]], "M8[D]"), [0, 1], "X holds dates or durations: convert them"),
        ({"handle_unknown": "ignore"}, *IRIS, "handle_unknown='ignore' is not an option"),
        ({}, pd.DataFrame({"a": [1.0]}), [0], "X has 1 sample: pass 2 or more"),
    ],
)
def test_messages(settings, X, y, message):
    with pytest.raises(InputError, match=message):
        small(**settings).fit(X, y)


def test_messages_of_the_methods(fitted):
    with pytest.raises(InputError, match="proximity='either' is not an option"):
        fitted.kernel(proximity="either")
    with pytest.raises(InputError, match="k=0 must be a whole number"):
        fitted.nearest(k=0)
    with pytest.raises(InputError, match="n=0 must be a whole number"):
        fitted.prototypes(0)


# --- in other models ---


def test_kernel_machines_and_linear_models_on_leaves_predict():
    X, y = load_wine(return_X_y=True)
    machine = make_pipeline(small(output="kernel"), SVC(kernel="precomputed"))
    assert machine.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.93  # an RBF kernel on the same rows has 0.7
    linear = make_pipeline(small(), LogisticRegression(C=10))
    assert linear.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.93
    X, y = load_diabetes(return_X_y=True)
    for model in (KernelRidge(alpha=3.0, kernel="precomputed"), Ridge(alpha=3.0)):
        output = "kernel" if isinstance(model, KernelRidge) else "leaves"
        pipe = make_pipeline(small(output=output, n_trees=100, min_samples_leaf=5), model)
        middle = y[::2].mean()
        assert pipe.fit(X[::2], y[::2] - middle).score(X[1::2], y[1::2] - middle) > 0.3


def test_grid_search_and_pandas_output():
    X, y = IRIS
    pipe = make_pipeline(small(n_trees=10), LogisticRegression())
    search = GridSearchCV(pipe, {"forestkernel__min_samples_leaf": [1, 8]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    plugin = small(forest=ExtraTreesClassifier(n_estimators=5))
    grid = {"forestkernel__forest__min_samples_leaf": [1, 8]}
    assert GridSearchCV(make_pipeline(plugin, LogisticRegression()), grid, cv=3).fit(X, y).best_score_ > 0.9
    frame = small(output="kernel").set_output(transform="pandas").fit_transform(X, y)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns[0] == "forestkernel0"


def test_clusters_and_maps_from_the_kernel():
    X, y = load_wine(return_X_y=True)
    K = small(n_trees=300, min_samples_leaf=5).fit(X).kernel()  # y is not looked at
    clusters = SpectralClustering(3, affinity="precomputed", random_state=0).fit_predict(K)
    assert adjusted_rand_score(y, clusters) > 0.6
    K = small(n_trees=100).fit(X, y).kernel(proximity="oob")
    points = KernelPCA(2, kernel="precomputed").fit_transform(K)
    within = np.mean([points[y == c].std(axis=0).mean() for c in range(3)])
    assert within < 0.5 * points.std(axis=0).mean()


# --- outliers, prototypes, missing values ---


def outliers_by_definition(K, y):
    raw = np.array(
        [
            (np.sum(y == y[i]) - 1) / sum(K[i, j] ** 2 for j in range(y.size) if j != i and y[j] == y[i])
            for i in range(y.size)
        ]
    )
    out = np.empty(y.size)
    for c in set(y):
        middle = np.median(raw[y == c])
        out[y == c] = (raw[y == c] - middle) / np.abs(raw[y == c] - middle).mean()
    return out


def test_outlier_scores_are_breimans(fitted):
    np.testing.assert_allclose(fitted.outlier_scores(), outliers_by_definition(fitted.kernel(), IRIS[1]), rtol=1e-9)


def test_wrong_labels_and_strange_rows_stand_out():
    X, y = IRIS
    wrong = y.copy()
    wrong[[3, 60, 130]] = [2, 0, 0]
    scores = small(n_trees=200).fit(X, wrong).outlier_scores(proximity="oob")
    assert {3, 60, 130} <= set(np.argsort(-scores)[:6])
    model = small(n_trees=200, min_samples_leaf=3).fit(X)
    strange = np.array([[4.4, 4.3, 6.5, 0.2]])  # each value occurs, together they do not
    assert model.outlier_scores(strange)[0] > np.quantile(model.outlier_scores(X), 0.97)


def test_prototypes_are_typical_rows_of_their_class(fitted):
    X, y = IRIS
    found = fitted.prototypes(2)
    assert list(found) == [0, 1, 2]
    scores = fitted.outlier_scores()
    for label, rows in found.items():
        assert (y[rows] == label).all()
        assert scores[rows[0]] < np.quantile(scores[y == label], 0.75)
    assert list(small().fit(X).prototypes()) == ["all"]


def test_prototypes_of_large_classes_come_from_a_sample(monkeypatch):
    monkeypatch.setattr("kmerf.estimators.forest_kernel.MOST_CANDIDATES", 20)
    model = small().fit(*IRIS)
    assert all(len(rows) == 20 for rows in model.prototypes(50).values())


def test_missing_numbers_are_weighted_means(fitted):
    X, y = IRIS
    holed = X.copy()
    holed[5, 2] = np.nan
    model = small().fit(holed, y)
    w = model.kernel()[5].copy()
    w[5] = 0.0
    filled = model.impute()
    assert filled[5, 2] == pytest.approx(w @ X[:, 2] / w.sum())
    np.testing.assert_array_equal(np.delete(filled, 5, axis=0), np.delete(X, 5, axis=0))
    np.testing.assert_array_equal(model.impute(holed), filled)
    np.testing.assert_array_equal(fitted.impute(X), X)


def test_imputation_beats_the_mean():
    X, _ = load_breast_cancer(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[:300, :12]
    holes = np.random.default_rng(0).random(X.shape) < 0.1
    holed = np.where(holes, np.nan, X)
    filled = small(n_trees=150, min_samples_leaf=3).fit(holed).impute()
    mean = np.broadcast_to(np.nanmean(holed, axis=0), X.shape)
    error, usual = (((guess - X)[holes] ** 2).mean() for guess in (filled, mean))
    assert error < 0.6 * usual


def test_missing_categories_are_voted_for():
    rng = np.random.default_rng(4)
    size = rng.normal(size=200)
    kind = np.where(size > 0, "big", "small").astype(object)
    table = pd.DataFrame({"size": size, "kind": pd.Categorical(kind)})
    table.loc[:19, "kind"] = None
    filled = small(min_samples_leaf=5).fit(table, size).impute()
    assert filled.dtype == object
    assert (filled[:20, 1] == kind[:20]).mean() > 0.9
    assert filled[30, 0] == size[30]


def test_what_no_row_has_stays_missing_and_true_or_false_is_voted_for():
    rng = np.random.default_rng(5)
    size = rng.normal(size=100)
    table = pd.DataFrame({"size": size, "big": pd.array(size > 0, "boolean"), "empty": np.full(100, np.nan)})
    table.loc[:9, "big"] = pd.NA
    filled = small(min_samples_leaf=5).fit(table, size).impute()
    assert set(filled[:, 1]) == {0.0, 1.0}
    assert (filled[:10, 1] == (size[:10] > 0)).mean() > 0.8
    assert np.isnan(filled[:, 2]).all()


# --- other forests of ours ---

OTHERS = {
    "random": ForestSpec(60, splits="random"),
    "blind": ForestSpec(60, splits="blind", min_samples_leaf=5),
    "oblique": ForestSpec(60, combinations=6),
}


@pytest.mark.parametrize("spec", OTHERS.values(), ids=OTHERS)
def test_other_forests_of_ours(spec):
    X, y = IRIS
    kernel = ForestKernel(forest=spec, random_state=0).fit(X[::2], y[::2])
    np.testing.assert_array_equal(kernel.kernel(X[::2]), kernel.kernel())  # new rows go where fitted ones went
    machine = SVC(kernel="precomputed").fit(kernel.kernel(), y[::2])
    assert machine.score(kernel.kernel(X[1::2]), y[1::2]) > 0.88
    again = clone(kernel).set_params(n_jobs=2).fit(X[::2], y[::2])
    np.testing.assert_array_equal(again.kernel(), kernel.kernel())


def test_blind_trees_do_not_look_at_y():
    X, y = IRIS
    blind = ForestKernel(forest=OTHERS["blind"], random_state=0)
    np.testing.assert_array_equal(clone(blind).fit(X).kernel(), clone(blind).fit(X, y).kernel())


def test_oblique_trees_need_no_y_either():
    X, y = IRIS
    holed = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    kernel = ForestKernel(forest=OTHERS["oblique"], random_state=0).fit(holed)
    assert kernel.kernel(X[:5]).shape == (5, 150)
    same = y[:, None] == y[None, :]
    assert kernel.kernel()[same].mean() > 2 * kernel.kernel()[~same].mean()
    assert not np.isnan(kernel.impute()).any()
