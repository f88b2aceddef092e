"""The two questions, asked as a user would."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestRegressor

import kmerf
from kmerf.forests import measuring, proximity, response_kernels
from kmerf.forests.growing import grow, presort
from kmerf.forests.leaf_codes import PROXIMITIES
from kmerf.methods.protocol import observe

FEW = kmerf.Permutation(19)
SMALL = kmerf.KMERF(forest=kmerf.ForestSpec(n_trees=40))


def data(n=50, p=3, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, x[:, 0] ** 2 + 0.2 * rng.normal(size=n)


def test_independence_is_the_five_steps():
    x, y = data()
    result = kmerf.independence(x, y, null=kmerf.ChiSquare(), rng=8)
    leaves = grow(kmerf.ForestSpec(), presort(x), y[:, None], classes=False, seed=8)
    L = response_kernels.distance_kernel(y[:, None])
    expected = measuring.dense(proximity.proximity(leaves, "oob"), L).correlation
    assert result.statistic == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", PROXIMITIES)
@pytest.mark.parametrize("y_kernel", ["distance", "gaussian", "forest", "precomputed"])
def test_permuted_statistics_are_those_of_a_fresh_test_on_permuted_data(kind, y_kernel):
    x, y = data(n=30)
    rng = np.random.default_rng(3)
    order = rng.permutation(30)
    matrix = np.exp(-np.abs(y[:, None] - y[None]))
    given, reordered = (matrix, matrix[np.ix_(order, order)]) if y_kernel == "precomputed" else (y_kernel, y_kernel)
    spec = kmerf.ForestSpec(n_trees=30)
    from kmerf.data.read_sample import read_independence

    problem = kmerf.KMERF(spec, kind, given).prepare(read_independence(x, y), 5)
    fresh = kmerf.KMERF(spec, kind, reordered).prepare(read_independence(x, y[order]), 5)
    assert problem.fit(order, 0).statistic == pytest.approx(observe(fresh).statistic, rel=1e-10)
    assert problem.fit(order, 0).statistic != problem.fit(order, 1).statistic


def test_a_k_sample_test_is_independence_from_the_labels():
    x, _ = data(60)
    groups = np.repeat(["a", "b", "c"], 20)
    by_groups = kmerf.ksample(x, groups=groups, method=SMALL, null=FEW, rng=1)
    by_labels = kmerf.independence(x, groups, method=SMALL, null=FEW, rng=1)
    stacked = kmerf.ksample({"a": x[:20], "b": x[20:40], "c": x[40:]}, method=SMALL, null=FEW, rng=1)
    assert by_groups.statistic == by_labels.statistic == stacked.statistic
    assert by_groups.pvalue == by_labels.pvalue == stacked.pvalue
    assert by_groups.groups == {"a": 20, "b": 20, "c": 20}


def test_the_names_of_groups_do_not_matter():
    x, _ = data(60)
    x[40:, 1] += 1
    codes = np.repeat([0, 1, 2], 20)
    # Groups are one-hot: relabelled, only the order in which equal sums are added can change.
    results = [
        kmerf.ksample(x, groups=np.array(names)[codes], method=SMALL, null=kmerf.ChiSquare(), rng=1).statistic
        for names in (["a", "b", "c"], ["c", "a", "b"], ["x", "z", "y"])
    ]
    assert np.ptp(results) < 0.05 * abs(results[0])


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_tables_name_their_columns(table):
    x, y = data()
    frame = table({"age": x[:, 0], "dose": x[:, 1], "outcome": y})
    result = kmerf.independence(frame, y="outcome", method=SMALL, null=FEW, rng=2)
    plain = kmerf.independence(x[:, :2], y, method=SMALL, null=FEW, rng=2)
    assert result.importances.names == ("age", "dose")
    assert tuple(result) == tuple(plain)


def test_categorical_columns_get_one_importance():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 80)
    frame = pd.DataFrame({"noise": rng.normal(size=80), "colour": pd.Categorical(colour)})
    result = kmerf.independence(frame, (colour == "green") + 0.1 * rng.normal(size=80), null=FEW, rng=0)
    assert result.importances.ranking == ("colour", "noise")
    assert result.importances.mean.sum() == pytest.approx(1.0)


def test_missing_values_in_x_are_used():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    gone = rng.random(80) < 0.5
    x[gone, 1] = np.nan
    result = kmerf.independence(x, gone + 0.1 * rng.normal(size=80), null=FEW, rng=0)
    assert result.pvalue == 0.05
    assert result.importances.ranking[0] == "x2"


@pytest.mark.parametrize("question", ["independence", "ksample"])
def test_the_seed_alone_decides(question):
    x, y = data(40)

    def ask(**options):
        if question == "independence":
            return kmerf.independence(x, y, null=FEW, rng=11, **options)
        return kmerf.ksample(x, groups=y > 0.5, null=FEW, rng=11, **options)

    one = ask(n_jobs=1)
    assert ask(n_jobs=1) == one
    assert ask(n_jobs=2) == one
    assert ask(n_jobs=2, backend="loky") == one
    assert ask() == one


def test_a_drawn_seed_is_recorded_and_repeats_the_result():
    x, y = data(30)
    first = kmerf.independence(x, y, method=SMALL, null=FEW)
    assert kmerf.independence(x, y, method=SMALL, null=FEW, rng=first.seed) == first
    assert kmerf.independence(x, y, method=SMALL, null=FEW).seed != first.seed
    generators = [np.random.default_rng(4), np.random.default_rng(4)]
    a, b = (kmerf.independence(x, y, method=SMALL, null=FEW, rng=rng) for rng in generators)
    assert a == b


@pytest.mark.parametrize("bad", [-1, 2**64, 1.5, "seed", True])
def test_bad_seeds_are_refused(bad):
    with pytest.raises(kmerf.InputError, match="rng=.* must be a whole number from 0"):
        kmerf.independence(*data(), rng=bad)


def test_methods_and_nulls_are_values():
    with pytest.raises(kmerf.InputError, match=r"method=7 cannot be used: pass a value such as kmerf.KMERF\(\)"):
        kmerf.independence(*data(), method=7)
    with pytest.raises(kmerf.InputError, match=r"pass a value such as kmerf.Permutation\(\)"):
        kmerf.independence(*data(), null=kmerf.Permutation)
    with pytest.raises(kmerf.InputError, match="n_jobs=0 must be"):
        kmerf.independence(*data(), n_jobs=0)
    with pytest.raises(kmerf.InputError, match="backend='lokky' is not known"):
        kmerf.independence(*data(), null=FEW, n_jobs=2, backend="lokky")
    with pytest.raises(kmerf.InputError, match="did you mean 'oob'"):
        kmerf.KMERF(proximity="OOB ")


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_a_y_that_cannot_be_squared_is_refused(scale):
    x, y = data()
    with pytest.raises(kmerf.InputError, match="too much or too little to be squared: change its unit"):
        kmerf.independence(x, y * scale)


def test_units_do_not_matter():
    x, y = data()
    one, other = (kmerf.independence(x, y * unit, method=SMALL, null=FEW, rng=1) for unit in (1.0, 2.0**300))
    assert tuple(one) == tuple(other)


def test_tiny_samples_are_told_of_their_exact_test():
    x, y = data(n=12)
    result = kmerf.independence(x, y, method=SMALL, rng=0)
    assert result.null.distribution.size == 999
    assert "exact permutation test" in result.notes[-1]


def test_rivals_are_permuted_often_since_nothing_is_fitted():
    result = kmerf.independence(*data(), method=kmerf.rivals.Dcorr(), rng=0)
    assert result.settings["null"] == {"class": "Permutation", "n_resamples": 999}


PAPER = kmerf.KMERF(proximity="all")


@pytest.mark.parametrize(
    ("method", "x_columns", "labels", "reason"),
    [
        (PAPER, 3, True, "y has repeated values"),
        (PAPER, 10, False, "x has 10 columns"),
        (kmerf.KMERF(proximity="all", forest=kmerf.ForestSpec(min_samples_leaf=5)), 3, False, "leaves hold several"),
        (kmerf.KMERF(proximity="all", forest=kmerf.ForestSpec(max_depth=2)), 3, False, "leaves hold several"),
        (kmerf.KMERF(RandomForestRegressor(20, min_samples_leaf=5), "all"), 3, False, "leaves hold several"),
    ],
)
def test_the_published_p_value_warns_where_it_is_known_to_fail(method, x_columns, labels, reason):
    x, y = data(p=x_columns)
    with pytest.warns(kmerf.KmerfWarning, match=f"not valid: {reason}.*proximity='oob'"):
        result = kmerf.independence(x, y > 0.5 if labels else y, method=method, null=kmerf.ChiSquare(), rng=0)
    assert reason in result.notes[-1]


def test_the_published_p_value_is_still_to_be_had():
    x, y = data()
    assert kmerf.independence(x, y, method=PAPER, null=kmerf.ChiSquare(), rng=0).pvalue < 1e-5


def test_the_paper_statistic_agrees_with_hyppos(hyppo):
    # Different random forests on the same data: the statistics agree within the spread over seeds.
    x, y = data(n=60, seed=3)
    ours = [kmerf.independence(x, y, method=PAPER, null=kmerf.ChiSquare(), rng=s).statistic for s in range(8)]
    with warnings.catch_warnings():  # hyppo hands a column to scikit-learn, which wants a vector
        warnings.simplefilter("ignore")
        theirs = [hyppo.independence.KMERF(random_state=s).statistic(x, y[:, None]) for s in range(8)]
    error = np.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / 8)
    assert abs(np.mean(ours) - np.mean(theirs)) < 4 * error


def test_progress_is_told_of_every_refit():
    seen = []
    kmerf.independence(*data(30), method=SMALL, null=FEW, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(k, 19) for k in range(1, 20)]


def test_a_progress_bar_goes_to_standard_error(capsys):
    kmerf.independence(*data(30), method=SMALL, null=FEW, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "19/19" in err


def test_the_multiscale_statistic_is_mgcs_on_the_forest_kernel(hyppo):
    x, y = data(40)
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=50), "all", statistic="multiscale")
    result = kmerf.independence(x, y, method=method, null=FEW, rng=6)
    leaves = grow(method.forest, presort(x), y[:, None], classes=False, seed=6)
    distance_x = 1.0 - proximity.proximity(leaves, "all")
    theirs = hyppo.independence.MGC(compute_distance=None).statistic(distance_x, np.abs(y[:, None] - y[None]))
    assert result.statistic == pytest.approx(theirs, rel=1e-10)
    assert result.pvalue == 0.05
    with pytest.raises(kmerf.InputError, match="has no meaning for statistic='multiscale'"):
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
    with pytest.raises(kmerf.InputError, match="has no meaning for statistic='prediction'"):
        kmerf.independence(x, y, method=method, null=kmerf.ChiSquare())


def test_the_prediction_statistic_is_near_that_of_scikit_learns_forests():
    rng = np.random.default_rng(9)
    x = rng.normal(size=(80, 3))
    y = x[:, 0] + x[:, 1] * x[:, 2] + 0.3 * rng.normal(size=80)
    found = kmerf.independence(x, y, method=kmerf.KMERF(statistic="prediction"), null=FEW, rng=6)
    shares = []
    for seed in range(20):
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


@pytest.mark.parametrize("proximity", ["all", "oob"])
def test_a_strong_relation_gets_a_small_p_value_from_few_refits(proximity):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(300, 5))
    y = x[:, 0] ** 2 + 0.05 * rng.normal(size=300)
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=200), proximity)
    result = kmerf.independence(x, y, method=method, rng=1)
    assert result.null.distribution.size == 99
    assert result.pvalue < 1e-6
