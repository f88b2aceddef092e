"""KMERF: its statistic against slow versions, hyppo and scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

import kmerf
from grown_forests import grow
from kmerf import KMERF, ForestSpec
from kmerf.forests import proximity
from kmerf.forests.growing import PROXIMITIES, presort
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence
from questions_asked import FEW, PAPER, data


@pytest.mark.parametrize("kind", PROXIMITIES)
@pytest.mark.parametrize("y_kernel", ["distance", "gaussian", "forest", "precomputed"])
def test_permuted_statistics_are_those_of_a_fresh_test_on_permuted_data(kind, y_kernel):
    x, y = data(n=30)
    rng = np.random.default_rng(3)
    order = rng.permutation(30)
    matrix = np.exp(-np.abs(y[:, None] - y[None]))
    given, reordered = (matrix, matrix[np.ix_(order, order)]) if y_kernel == "precomputed" else (y_kernel, y_kernel)
    spec = kmerf.ForestSpec(n_trees=30)
    problem = kmerf.KMERF(spec, kind, given).prepare(read_independence(x, y), 5)
    fresh = kmerf.KMERF(spec, kind, reordered).prepare(read_independence(x, y[order]), 5)
    assert problem.fit(order, 0).statistic == pytest.approx(observe(fresh).statistic, rel=1e-10)
    assert problem.fit(order, 0).statistic != problem.fit(order, 1).statistic


def test_the_paper_statistic_agrees_with_hyppos(hyppo):
    # Different random forests on the same data: the statistics agree within the spread over seeds.
    x, y = data(n=60, seed=3)
    sample = read_independence(x, y)
    ours = [observe(PAPER.prepare(sample, s)).statistic for s in range(8)]
    with warnings.catch_warnings():  # hyppo hands a column to scikit-learn, which wants a vector
        warnings.simplefilter("ignore")
        theirs = [hyppo.independence.KMERF(random_state=s).statistic(x, y[:, None]) for s in range(8)]
    error = np.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / 8)
    assert abs(np.mean(ours) - np.mean(theirs)) < 4 * error


def test_the_multiscale_statistic_is_mgcs_on_the_forest_kernel(hyppo):
    x, y = data(40)
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=50), "all", statistic="multiscale")
    result = kmerf.independence(x, y, method=method, null=FEW, rng=6)
    leaves = grow(method.forest, presort(x), y[:, None], classes=False, seed=6)
    distance_x = 1.0 - proximity.proximity(leaves, "all")
    theirs = hyppo.independence.MGC(compute_distance=None).statistic(distance_x, np.abs(y[:, None] - y[None]))
    assert result.statistic == pytest.approx(theirs, rel=1e-10)
    assert result.pvalue == 0.05
    with pytest.raises(kmerf.InputError, match="statistic='multiscale' is not one"):
        kmerf.independence(x, y, method=method, null=kmerf.ChiSquare())


def predicted_by_hand(leaves, y):
    """Return each row's mean over the trees that have not drawn it of the mean y of those drawn in its leaf."""
    found = np.full(y.shape, np.nan)
    for row in range(len(y)):
        told = []
        for codes, counts in zip(leaves.codes, leaves.counts, strict=True):
            mates = np.flatnonzero((codes == codes[row]) & (counts > 0))
            if counts[row] == 0:
                told.append(np.average(y[mates], axis=0, weights=counts[mates]))
        if told:
            found[row] = np.mean(told, axis=0)
    return found


@pytest.mark.parametrize("n_trees", [4, 50])  # with four trees, some rows are never out of bag
@pytest.mark.parametrize("sampling", [{}, {"bootstrap": False, "max_samples": "half"}])
def test_the_prediction_statistic_is_the_share_of_variance_predicted_out_of_bag(n_trees, sampling):
    rng = np.random.default_rng(8)
    x = rng.normal(size=(40, 3))
    y = np.column_stack([x[:, 0] + rng.normal(size=40), 1e6 * rng.normal(size=40)])  # units do not matter
    forest = kmerf.ForestSpec(n_trees, max_outputs=1, **sampling)
    method = kmerf.KMERF(forest, statistic="prediction")
    result = kmerf.independence(x, y, method=method, null=FEW, rng=6)
    leaves = grow(forest, presort(x), y, classes=False, seed=6)
    guess = predicted_by_hand(leaves, y)
    rows = ~np.isnan(guess[:, 0])
    assert rows.all() == (n_trees == 50)
    errors = ((y - guess)[rows] ** 2).sum(axis=0) / ((y - y.mean(axis=0))[rows] ** 2).sum(axis=0)
    assert result.statistic == pytest.approx(np.mean(1.0 - errors), rel=1e-9)
    assert result.effect.correlation is None  # what it predicts is the effect
    assert result.effect.measure == "R2"
    with pytest.raises(kmerf.InputError, match="statistic='prediction' is not one"):
        kmerf.independence(x, y, method=method, null=kmerf.ChiSquare())


def test_the_prediction_statistic_is_near_that_of_scikit_learns_forests():
    rng = np.random.default_rng(9)
    x = rng.normal(size=(80, 3))
    y = x[:, 0] + x[:, 1] * x[:, 2] + 0.3 * rng.normal(size=80)
    found = kmerf.independence(x, y, method=kmerf.KMERF(statistic="prediction"), null=FEW, rng=6)
    shares = []
    for seed in range(8):
        shares.append(RandomForestRegressor(500, oob_score=True, random_state=seed).fit(x, y).oob_score_)
    assert abs(found.statistic - np.mean(shares)) < 4 * np.std(shares, ddof=1)
    assert found.pvalue == 0.05


def test_a_forest_of_scikit_learns_can_predict():
    x, y = data(60)
    method = kmerf.KMERF(RandomForestRegressor(30), statistic="prediction")
    assert kmerf.independence(x, y, method=method, null=FEW, rng=6).pvalue == 0.05


def test_the_prediction_statistic_needs_rows_out_of_bag():
    method = kmerf.KMERF(kmerf.ForestSpec(10, bootstrap=False), "all", statistic="prediction")
    with pytest.raises(kmerf.InputError, match="statistic='prediction' needs rows out of bag"):
        kmerf.independence(*data(30), method=method, null=FEW)


@pytest.mark.parametrize(("p", "fails"), [(9, False), (10, True), (11, True)])
def test_the_chi_square_null_has_a_caveat_from_ten_columns_on(p, fails):
    rng = np.random.default_rng(0)
    sample = read_independence(rng.normal(size=(30, p)), rng.normal(size=30))
    caveat = KMERF(ForestSpec(5), proximity="all").prepare(sample, 1).chi_square_caveat()
    assert (caveat is not None) == fails
    assert caveat is None or caveat.startswith(f"x has {p} columns: with ten or more")
    assert KMERF(ForestSpec(5)).prepare(sample, 1).chi_square_caveat() is None  # out of bag


def test_the_chi_square_null_has_a_caveat_with_ties_or_large_leaves():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    tied = KMERF(ForestSpec(5), proximity="all").prepare(read_independence(x, np.round(y)), 1)
    assert tied.chi_square_caveat().startswith("y has repeated values")
    for spec in (ForestSpec(5, min_samples_leaf=2), ForestSpec(5, max_depth=3)):
        large = KMERF(spec, proximity="all").prepare(read_independence(x, y), 1)
        assert large.chi_square_caveat().startswith("leaves hold several rows")
