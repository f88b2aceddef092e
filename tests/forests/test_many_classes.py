"""Many classes: what is computed from their labels is what a column for each of them would give."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from grown_forests import grow
from kmerf.baselines import Dcorr
from kmerf.forests import growing
from kmerf.forests.fitted import ClassPredictions, Predictions
from kmerf.forests.growing import Labels, labels_of
from kmerf.methods.column_tests import EachColumn, PairsOfColumns
from kmerf.methods.ridge import Mahalanobis, Ridge
from kmerf.reading.samples import read_independence

K = 55


def data(kind="numbers", n=150, seed=0):
    """Return rows and their classes, which move the first column."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    x = rng.normal(size=(n, 3))
    x[:, 0] += codes / 20
    y = [f"class {code:02d}" for code in codes]
    if kind == "holes":
        x = np.where(rng.random(x.shape) < 0.15, np.nan, np.round(x, 1))
    if kind == "category":
        levels = np.where(rng.random(n) < 0.6, codes // 4, rng.integers(0, 14, n))
        return pd.DataFrame({"number": x[:, 1], "level": pd.Categorical([f"level {level}" for level in levels])}), y
    return x, y


@pytest.fixture
def by_columns(monkeypatch):
    """Return a function that computes something as for few classes, from a column for each."""

    def compute(function):
        with monkeypatch.context() as changed:
            changed.setattr(growing, "MANY_CLASSES", 10**6)
            return function()

    return compute


def test_up_to_fifty_classes_have_columns():
    x = np.arange(120.0)
    assert labels_of(read_independence(x, [f"class {i % 50}" for i in range(120)]).y) is None
    labels = labels_of(read_independence(x, [f"class {i % 51}" for i in range(120)]).y)
    assert labels is not None
    assert labels.columns().shape == (120, 51)
    assert labels.columns().sum(axis=1).tolist() == [1.0] * 120


@pytest.mark.parametrize("kind", ["numbers", "holes", "category"])
def test_trees_with_random_splits_are_the_same(kind, by_columns):
    """Their cuts do not hang on rounding, and the choice among features hardly does."""
    sample = read_independence(*data(kind))
    spec = kmerf.ForestSpec(12, splits="random", max_features="all")
    method = kmerf.KMERF(spec, statistic="prediction")

    def fit():
        return method.prepare(sample, 3).fit(np.arange(sample.n), 0, importances=True).parts[0]

    labels, columns = fit(), by_columns(fit)
    assert labels.statistic == pytest.approx(columns.statistic, abs=1e-9)
    assert labels.gains == pytest.approx(columns.gains)
    assert labels.credits == pytest.approx(columns.credits, abs=1e-9)


@pytest.mark.parametrize("kind", ["numbers", "holes", "category"])
def test_the_first_split_is_the_same(kind, by_columns):
    """Deeper, equal gains are common, and rounding settles them."""
    sample = read_independence(*data(kind))
    columns = growing.presort(sample.x.values, sample.x.levels)
    spec = kmerf.ForestSpec(20, max_depth=1, min_samples_leaf=5)
    options = {"classes": True, "seed": 1}
    labels = grow(spec, columns, labels_of(sample.y), **options)
    one_hot = grow(spec, columns, sample.y.values, **options)
    assert labels.gains == pytest.approx(one_hot.gains)
    assert (labels.codes == one_hot.codes).all()


@pytest.mark.parametrize(
    "method", [Ridge(), Ridge(2), EachColumn(), PairsOfColumns(), Mahalanobis(), Dcorr()], ids=repr
)
@pytest.mark.parametrize("rows", [150, 60])
def test_members_without_a_forest_are_the_same(method, rows, by_columns):
    sample = read_independence(*data())
    order = np.random.default_rng(2).permutation(rows)
    part = sample if rows == sample.n else kmerf.data.sample.take_rows(sample, np.arange(K, K + rows))

    def statistic():
        return method.prepare(part, 3).fit(order, 1).parts[0].statistic

    assert statistic() == pytest.approx(by_columns(statistic), rel=1e-9)


def test_what_trees_predict_is_the_share_of_each_class():
    x, y = data()
    sample = read_independence(x, y)
    leaves = grow(kmerf.ForestSpec(9), growing.presort(sample.x.values), labels_of(sample.y), classes=True, seed=1)
    by_label, by_column = ClassPredictions(labels_of(sample.y)), Predictions(sample.y.values)
    for each in (by_label, by_column):
        each.add(leaves)
    assert by_label.times.tolist() == by_column.times.tolist()
    assert by_label.total == pytest.approx(by_column.total, abs=1e-9)
    assert by_label.shares == pytest.approx(by_column.shares, abs=1e-9)
    other = by_label.begin()
    other.add(leaves)
    by_label.join(other)
    assert by_label.share == pytest.approx(by_column.share, abs=1e-9)


def test_a_class_without_rows_has_no_share():
    sample = read_independence(*data())
    labels = labels_of(sample.y)
    few = Labels(np.where(labels.codes == 7, 8, labels.codes).astype(np.int32), labels.n_classes)
    predictions = ClassPredictions(few)
    predictions.add(grow(kmerf.ForestSpec(9), growing.presort(sample.x.values), few, classes=True, seed=1))
    assert predictions.shares.size == K - 1
    assert predictions.total[:, 7].tolist() == [0.0] * sample.n


def test_trees_that_see_some_classes_are_grown_on_their_columns():
    sample = read_independence(*data())
    columns, spec = growing.presort(sample.x.values), kmerf.ForestSpec(5, max_outputs=3)
    options = {"classes": True, "seed": 1}
    labels = grow(spec, columns, labels_of(sample.y), **options)
    assert (labels.codes == grow(spec, columns, sample.y.values, **options).codes).all()


@pytest.mark.parametrize("method", ["kmerf", "forest"])
def test_the_result_does_not_depend_on_the_workers(method):
    x, y = data()
    found = [kmerf.independence(x, y, method=method, null=kmerf.Permutation(9), rng=1, n_jobs=jobs) for jobs in (1, 2)]
    assert found[0].statistic == found[1].statistic
    assert found[0].pvalue == found[1].pvalue
    assert found[0].importances.mean.tolist() == found[1].importances.mean.tolist()
