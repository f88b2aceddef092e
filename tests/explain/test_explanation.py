"""Effects, pairs of groups, rows and profiles: against slow versions and other implementations."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.data.read_sample import read_independence, read_ksample
from kmerf.explain import effect_size as effect
from kmerf.explain import row_shares as rows
from kmerf.explain.profiles import profile
from kmerf.explain.shuffling import permutation_importances
from kmerf.forests import growing as forests
from kmerf.forests import out_of_bag as oob
from kmerf.forests import proximity as proximities
from kmerf.forests.predictions import Predictions
from kmerf.forests.proximity import proximity
from kmerf.forests.response_kernels import CoordinateKernel
from kmerf.methods.protocol import observe
from kmerf.nulls.resampling import Run
from kmerf.results.parts import Effect
from oracles import distances, native_step

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=30))


def related(n=80, p=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, x[:, 1] ** 2 + 0.2 * rng.normal(size=n)


def grown(sample, method=SMALL, seed=1):
    return observe(method.prepare(sample, seed)).parts[0].forest


# --- out of bag -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [False, True])
def test_predictions_out_of_bag_are_means_of_in_bag_leaves(classes):
    x, y = related(30)
    sample = read_independence(x, np.array(["low", "mid", "high"])[np.digitize(y, [0.3, 1.0])] if classes else y)
    forest = grown(sample)
    found, leaves = oob.predict([forest], sample.y), forest.leaves()
    for i in range(30):
        told = []
        for codes, counts in zip(leaves.codes, leaves.counts, strict=True):
            if counts[i] == 0:
                same = codes == codes[i]
                told.append(np.average(sample.y.values[same], axis=0, weights=counts[same]))
        assert found[i] == pytest.approx(np.mean(told, axis=0))


@pytest.mark.parametrize("away", [0.0, 1e13])
def test_predictions_do_not_feel_where_y_lies_or_what_its_other_columns_are(away):
    x = np.random.default_rng(0).normal(size=(200, 2))
    y = 3.0 * x[:, 0]
    plain, moved = read_independence(x, y), read_independence(x, away + y)
    forest = grown(plain)
    expected = forest.predictions(plain.y.values)
    found = Predictions(moved.y.values)
    forest.each(found.add)
    assert found.total[:, 0] == pytest.approx(expected.total[:, 0] + away * expected.times, rel=1e-15, abs=0.1)
    assert oob.score(found.total / found.times[:, None], moved.y)[1] > 0.95
    wide = np.column_stack([1e140 * x[:, 1], y, 1e-250 * y, np.full(200, 7.0)])
    found = Predictions(wide)
    forest.each(found.add)
    assert found.total[:, 1] == pytest.approx(expected.total[:, 0], abs=1e-6)
    assert 1e250 * found.total[:, 2] == pytest.approx(expected.total[:, 0], abs=1e-6)
    assert (found.total[:, 3] == 7.0 * found.times).all()


def test_the_score_of_a_y_far_from_zero():
    x = np.random.default_rng(0).normal(size=(200, 1))
    near = kmerf.independence(x, 3.0 * x[:, 0], method=SMALL, null=kmerf.ChiSquare(), rng=1)
    far = kmerf.independence(x, 1e13 + 3.0 * x[:, 0], method=SMALL, null=kmerf.ChiSquare(), rng=1, details=True)
    assert far.effect.score == pytest.approx(near.effect.score, abs=1e-3)
    assert far.details.importances.mean[0] > 1.0


def test_r2_and_auc_are_scikit_learns():
    from sklearn.metrics import r2_score, roc_auc_score

    rng = np.random.default_rng(0)
    numbers = read_independence(rng.normal(size=40), rng.normal(size=(40, 2))).y
    guess = numbers.values + rng.normal(size=(40, 2))
    expected = r2_score(numbers.values, guess, multioutput="variance_weighted")
    assert oob.score(guess, numbers) == ("R2", pytest.approx(expected))
    classes = read_independence(rng.normal(size=40), rng.choice(["a", "b", "c"], 40)).y
    shares = rng.dirichlet([1, 1, 1], 40).round(1)  # with ties
    each = [roc_auc_score(classes.codes == k, shares[:, k]) for k in range(3)]
    assert oob.score(shares, classes) == ("AUC", pytest.approx(np.mean(each)))


def test_r2_out_of_bag_is_close_to_scikit_learns_forest():
    from sklearn.ensemble import RandomForestRegressor

    x, y = related(200)
    theirs = RandomForestRegressor(300, oob_score=True, random_state=0).fit(x, y).oob_score_
    ours = kmerf.independence(x, y, null=kmerf.ChiSquare(), rng=1).effect
    assert ours.measure == "R2"
    assert ours.score == pytest.approx(theirs, abs=0.03)


def test_the_effect_tells_a_strong_relation_from_a_weak_one():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    strong = kmerf.ksample(x, groups=x[:, 0] > 0, method=SMALL, null=kmerf.ChiSquare(), rng=1).effect
    nothing = kmerf.ksample(x, groups=rng.random(300) > 0.5, method=SMALL, null=kmerf.ChiSquare(), rng=1).effect
    assert strong.measure == nothing.measure == "AUC"
    assert strong.score > 0.95
    assert abs(nothing.score - 0.5) < 0.12


def test_forests_without_rows_out_of_bag_have_no_score():
    whole = kmerf.KMERF(kmerf.ForestSpec(n_trees=10, bootstrap=False), proximity="all")
    result = kmerf.independence(*related(30), method=whole, null=kmerf.Permutation(19), rng=1, details=True)
    assert result.effect is None
    assert result.details.importances is None
    assert result.details.profiles == ()
    assert result.details.rows.sum() == pytest.approx(result.statistic)


def oracle_losses(trees, x, column_of, y, codes, counts, shuffles, p):
    """Send every out-of-bag row down the tree again with one feature taken from another row."""
    losses = np.zeros((len(codes), p))
    for w, (code, count, shuffle) in enumerate(zip(codes, counts, shuffles, strict=True)):
        free = np.flatnonzero(count == 0)
        others = [i for i in shuffle if count[i] == 0]
        means = {leaf: np.average(y[code == leaf], axis=0, weights=count[code == leaf]) for leaf in np.unique(code)}
        for j in range(p):
            total = 0.0
            for i, other in zip(free, others, strict=True):
                row = np.where(column_of == j, x[other], x[i])
                node = 0
                while (step := native_step(trees, w, node, row[None, :])) is not None:
                    node = step.children[0] if step.goes_left[0] else step.children[1]
                after = ((y[i] - means[int(trees.left[w, node])]) ** 2).sum()
                total += after - ((y[i] - means[code[i]]) ** 2).sum()
            losses[w, j] = total / len(free)
    return losses


def test_permutation_importance_is_what_shuffling_costs():
    from kmerf.engine.rows import shuffled_losses

    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=25), "b": rng.choice(["u", "v", "w"], 25), "c": rng.normal(size=25)}
    table["a"][3] = np.nan
    target = rng.normal(size=(25, 2)) + (table["b"] == "u")[:, None]
    sample = read_independence(pd.DataFrame(table), target, categorical="b")
    forest = grown(sample, kmerf.KMERF(kmerf.ForestSpec(n_trees=6)))
    trees, leaves = forest.trees(), forest.leaves()
    shuffles = np.stack([rng.permutation(25) for _ in range(6)])
    found = np.empty((6, 3))
    y = np.ascontiguousarray(sample.y.values)
    at = leaves.codes, leaves.counts, leaves.n_leaves
    shuffled_losses(
        forest.columns.x, np.asarray(sample.x.column_of), trees, *at, y, shuffles, found, np.zeros(1, np.uint8)
    )
    expected = oracle_losses(trees, sample.x.values, sample.x.column_of, y, leaves.codes, leaves.counts, shuffles, p=3)
    assert found == pytest.approx(expected, abs=1e-12)


def test_permutation_importance_is_interrupted_by_the_flag():
    from kmerf.engine.rows import shuffled_losses

    sample = read_independence(*related(30))
    forest = grown(sample)
    at = (leaves := forest.leaves()).codes, leaves.counts, leaves.n_leaves
    found = np.full((30, 4), np.nan)
    shuffles = np.tile(np.arange(30), (30, 1))
    y, of = np.ascontiguousarray(sample.y.values), np.asarray(sample.x.column_of)
    shuffled_losses(forest.columns.x, of, forest.trees(), *at, y, shuffles, found, np.ones(1, np.uint8))
    assert np.isnan(found[1:]).all()


@pytest.mark.parametrize("seconds", [0.0, 1.0], ids=["one tree a part", "many"])
def test_permutation_importance_does_not_depend_on_workers_or_parts(seconds, monkeypatch):
    sample = read_independence(*related(40))
    forest = grown(sample)
    expected = permutation_importances([forest], sample.x, sample.y, seed=3)
    monkeypatch.setattr(forests, "PART_SECONDS", seconds)
    for n_jobs in (1, 3):
        found = permutation_importances([forest], sample.x, sample.y, 3, n_jobs)
        assert found.to_dict() == expected.to_dict()


def test_permutation_importance_agrees_with_scikit_learns():
    """Theirs shuffles for the whole forest, on new rows; the order and the proportions are the same."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.inspection import permutation_importance

    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 4))
    y = x @ [2.0, 1.0, 0.5, 0.0] + 0.3 * rng.normal(size=600)
    ours = kmerf.independence(
        x[:300], y[:300], method=kmerf.KMERF(), null=kmerf.ChiSquare(), rng=1, details=True
    ).details.importances
    forest = RandomForestRegressor(100, random_state=0).fit(x[:300], y[:300])
    theirs = permutation_importance(forest, x[300:], y[300:], n_repeats=5, random_state=0).importances_mean
    assert ours.ranking == ("x1", "x2", "x3", "x4")
    assert ours.mean / ours.mean.sum() == pytest.approx(theirs / theirs.sum(), abs=0.06)
    assert abs(ours.mean[3]) < 0.02
    assert (ours.low <= ours.mean).all()


# --- rows -------------------------------------------------------------------------------------------------------------


def u_centred(K):
    K = K - np.diag(np.diag(K))
    n = len(K)
    centred = K - K.sum(0) / (n - 2) - K.sum(0)[:, None] / (n - 2) + K.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(centred, 0.0)
    return centred


@pytest.mark.parametrize("kind", ["oob", "either", "all"])
@pytest.mark.parametrize("y", ["number", "ties", "classes", "points", "gaussian", "target"])
def test_row_scores_are_rows_of_the_centred_product(kind, y):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(24, 3))
    target = {
        "number": x[:, 0] + rng.normal(size=24),
        "ties": np.round(x[:, 0]),
        "classes": rng.choice(["a", "b", "c"], 24),
        "points": x[:, :2] + rng.normal(size=(24, 2)),
        "gaussian": x[:, 0],
        "target": x[:, :2] + rng.normal(size=(24, 2)),
    }[y]
    sample = read_independence(x, target)
    named = y if y in ("gaussian", "target") else "distance"
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=20), kind, named, target="shape" if y == "target" else "mean")
    fit = observe(method.prepare(sample, 1))
    forest = fit.parts[0].forest
    found = rows.row_scores(forest)
    A = u_centred(proximity(forest.leaves(), kind))
    L = forest.response.matrix() if y in ("gaussian", "target") else -distances(sample.y.values)
    B = u_centred(L)
    expected = (A * B).sum(axis=1) / np.sqrt((A * A).sum() * (B * B).sum())
    assert found == pytest.approx(expected, abs=1e-10)
    assert found.sum() == pytest.approx(fit.statistic)
    assert rows.row_scores(replace(forest, kept=forest.leaves())) == pytest.approx(found, abs=1e-12)
    assert (rows.row_scores(forest, n_jobs=3) == found).all()


def test_row_scores_need_no_matrix_and_do_not_depend_on_parts(monkeypatch):
    x, y = related(300)
    sample = read_independence(x, y)
    forest = grown(sample, kmerf.KMERF(kmerf.ForestSpec(n_trees=20), y_kernel="target", target="shape"))
    monkeypatch.setattr(rows, "MOST_ROWS", 100)
    monkeypatch.delattr(CoordinateKernel, "matrix")
    expected = rows.row_scores(forest)
    monkeypatch.setattr(forests, "PART_SECONDS", 0.0)
    assert rows.row_scores(forest, n_jobs=2) == pytest.approx(expected, abs=1e-15)


def test_shares_of_rows_add_up_to_a_statistic_of_sampled_rows(monkeypatch):
    monkeypatch.setattr(proximities, "EXACT_ROWS", 50)
    fit = observe(SMALL.prepare(read_independence(*related(120)), 1))
    assert rows.row_scores(fit.parts[0].forest).sum() == pytest.approx(fit.statistic)


def test_scores_of_too_many_rows_for_a_matrix_are_left_out_with_a_note(monkeypatch):
    monkeypatch.setattr(rows, "MOST_ROWS", 50)
    x, y = related(60)
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=5), y_kernel="gaussian")
    result = kmerf.independence(x, y, method=method, null=kmerf.ChiSquare(), rng=1, details=True)
    assert result.details.rows is None
    assert any("the shares of rows are left out" in note and "50 rows" in note for note in result.notes)


def test_a_row_that_contradicts_scores_low():
    rng = np.random.default_rng(0)
    y = np.arange(80) < 40
    x = 9.0 * y[:, None] + rng.normal(size=(80, 1))
    odd = 50
    x[odd] = 9.0
    scores = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, details=True).details.rows
    assert np.argmin(scores) == odd
    assert scores[odd] < 0 < np.median(scores)


# --- profiles ---------------------------------------------------------------------------------------------------------


def test_profiles_follow_y():
    x, y = related(200)
    details = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, details=True).details
    first = details.profiles[0]
    assert first.feature == "x2"
    assert first.size.sum() == 200
    assert (np.diff(first.at) > 0).all()
    assert first.observed[:, 0] == pytest.approx(first.at**2, abs=0.6)
    assert np.corrcoef(first.observed[:, 0], first.predicted[:, 0])[0, 1] > 0.9


def test_profiles_of_categories_ties_and_missing_values():
    rng = np.random.default_rng(0)
    table = {
        "few": rng.integers(0, 3, 60).astype(float),
        "kind": rng.choice(["a", "b"], 60),
        "some": rng.normal(size=60),
    }
    table["some"][:7] = np.nan
    sample = read_ksample(pd.DataFrame(table), categorical="kind", groups=np.repeat(["u", "v", "w"], 20))
    predicted = np.full((60, 3), 1 / 3)
    few, kind, some = (profile(sample.x, sample.y, predicted, j) for j in range(3))
    assert few.at.tolist() == [0.0, 1.0, 2.0]
    assert kind.labels == ("a", "b")
    assert np.isnan(kind.at).all()
    assert some.labels[-1] == "missing"
    assert some.size[-1] == 7
    assert some.size.sum() == 60
    for each in (few, kind, some):
        assert each.observed.sum(axis=1) == pytest.approx(1.0)
    mask = table["kind"] == "b"
    assert kind.observed[1, 0] == pytest.approx(np.mean(np.arange(60)[mask] < 20))


# --- intervals --------------------------------------------------------------------------------------------------------


def test_halves_keep_classes_and_blocks_together():
    rng = np.random.default_rng(0)
    x = np.arange(31.0)
    groups = read_ksample(x, groups=np.repeat(["a", "b"], [10, 21]))
    half = effect.half_of(groups, rng)
    assert len(set(half.tolist())) == half.size
    assert (half < 10).sum() == 5
    assert (half >= 10).sum() in (10, 11)
    blocks = read_independence(x, x, blocks=np.arange(31) // 2)
    half = effect.half_of(blocks, rng)
    assert half.size in (15, 16)
    assert np.bincount(half // 2).max() == 2
    assert set(np.bincount(half // 2)[:-1]) <= {0, 2}


def test_the_interval_holds_the_statistic_and_does_not_depend_on_workers():
    x, y = related(60)
    first = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, interval=0.95, n_jobs=1)
    second = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, interval=0.95, n_jobs=2)
    found = first.effect
    assert found == second.effect
    assert found.low < found.correlation == first.statistic < found.high <= 1.0
    assert "95 % interval" in str(first)
    narrower = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, interval=0.5).effect
    assert narrower.high - narrower.low < found.high - found.low


def test_rivals_have_intervals_too():
    x, y = related(60)
    found = kmerf.independence(x, y, method=kmerf.rivals.Dcorr(), null=kmerf.Permutation(19), rng=1, interval=0.9)
    assert found.effect.low < found.statistic < found.effect.high
    assert found.effect.score is None


@pytest.mark.parametrize(
    ("wishes", "says"),
    [
        ({"interval": 95}, "interval=95 must be a number between 0 and 1"),
        ({"interval": True}, "interval=True must be"),
        ({"pairwise": True}, "pairwise=True compares the groups two by two, and there are 0"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(wishes, says):
    with pytest.raises(InputError, match=says):
        kmerf.independence(*related(30), method=SMALL, **wishes)


def test_intervals_need_rows_and_a_kernel_that_can_be_halved():
    x, y = related(30)
    with pytest.raises(InputError, match="needs 20 rows or more to halve, and there are 12"):
        kmerf.independence(x[:12], y[:12], method=SMALL, null=kmerf.Permutation(9), interval=0.9)
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=5), y_kernel=np.exp(-distances(y[:, None])))
    with pytest.raises(InputError, match="precomputed y_kernel"):
        kmerf.independence(x, y, method=method, null=kmerf.Permutation(9), interval=0.9)


class Never:
    """A method that must not be asked."""

    name = "never"

    def prepare(self, sample, seed):
        raise AssertionError


@pytest.mark.parametrize(
    ("labels", "blocks", "wishes", "says"),
    [
        (np.repeat(["a", "b", "c", "d"], [30, 30, 1, 1]), None, {"pairwise": True}, "of every group, and 'c', 'd' has"),
        (
            np.repeat(["a", "b", "c"], 10),
            np.r_[np.tile([0, 1], 10), [2] * 10],
            {"pairwise": True},
            "cannot compare 'a' and 'c' on their own rows: y is constant inside",
        ),
        (np.arange(12.0), None, {"interval": 0.9}, "needs 20 rows or more to halve, and there are 12"),
        (np.arange(20.0), [0, 1] + [2] * 18, {"interval": 0.9}, "needs 4 blocks or more to halve, and there are 3"),
        (np.r_[np.zeros(29), 1.0], np.repeat([0, 1, 2, 3], [1, 1, 1, 27]), {"interval": 0.9}, None),
    ],
)
def test_wishes_are_refused_before_anything_is_computed(labels, blocks, wishes, says):
    x = np.random.default_rng(0).normal(size=(len(labels), 2))
    with pytest.raises(InputError if says else AssertionError, match=says):
        kmerf.independence(x, labels, blocks=blocks, method=Never(), **wishes)


def test_halves_that_say_nothing_are_drawn_again():
    x = np.arange(24.0)
    sample = read_independence(x, x % 5, blocks=np.repeat(np.arange(6), [1, 1, 1, 1, 10, 10]))
    sizes = [effect.half_of(sample, np.random.default_rng(seed)).size for seed in range(40)]
    assert min(sizes) >= 4
    alone = read_independence(x, np.r_[np.zeros(23), 1.0], blocks=np.repeat(np.arange(4), [1, 1, 1, 21]))
    assert all(23 in effect.half_of(alone, np.random.default_rng(seed)) for seed in range(20))
    single = replace(alone, y=alone.y.take(np.zeros(24, np.int64)))
    with pytest.raises(InputError, match="nearly every half of the blocks has fewer than 4 rows or a single value"):
        effect.half_of(single, np.random.default_rng(0))


def test_a_precomputed_kernel_is_of_all_rows_and_of_no_pair():
    x = np.random.default_rng(0).normal(size=(30, 2))
    method = kmerf.KMERF(y_kernel=np.eye(30))
    for each in (method, kmerf.Portfolio(classes={"own": method})):
        with pytest.raises(InputError, match="pairwise=True cannot be had with a precomputed y_kernel"):
            kmerf.independence(x, np.repeat(["a", "b", "c"], 10), method=each, pairwise=True)


def test_a_statistic_that_is_no_correlation_has_no_interval_and_is_no_effect():
    x, y = related(40)
    with pytest.raises(InputError, match="interval=0.9 is of a correlation, and the statistic of HHG is none"):
        kmerf.independence(x, y, method=kmerf.rivals.HHG(), null=kmerf.Permutation(19), interval=0.9)
    assert kmerf.independence(x, y, method=kmerf.rivals.HHG(), null=kmerf.Permutation(19), rng=1).effect is None
    both = kmerf.Portfolio(numeric={"local": kmerf.rivals.HHG(), "distance": kmerf.rivals.Dcorr()})
    found = kmerf.independence(x, y, method=both, null=kmerf.Permutation(19), rng=1, interval=0.9).effect
    alone = kmerf.independence(x, y, method=kmerf.rivals.Dcorr(), null=kmerf.Permutation(19), rng=1)
    assert found.correlation == alone.statistic
    assert found.low < found.correlation < found.high <= 1.0
    more = kmerf.Portfolio(numeric={"forest": SMALL, "distance": kmerf.rivals.Dcorr(), "local": kmerf.rivals.HHG()})
    forest = kmerf.independence(x, y, method=more, null=kmerf.Permutation(19), rng=1)
    assert forest.effect.correlation == forest.members[0].statistic


def test_an_interval_ends_at_one():
    found = Effect(1.0 + 1e-6)
    method, sample = kmerf.rivals.Dcorr(), read_independence(*related(30))
    told = effect.with_interval(found, 0.9, method, sample, Run(1))
    assert told.low <= told.high == 1.0


def test_wishes_without_a_forest_are_noted():
    x, y = related(40)
    wishes = {"feature_groups": {"both": [0, 1]}, "details": True, "rng": 1}
    none = kmerf.independence(x, y, method=kmerf.rivals.Dcorr(), null=kmerf.Permutation(19), **wishes)
    assert none.details is None
    assert none.feature_groups is None
    assert "feature_groups were not tested: Dcorr has no forest that tells what features do." in none.notes
    assert "There are no details: Dcorr has no forest to look into." in none.notes
    fast = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), **wishes)
    assert fast.details is not None
    assert fast.notes == ("feature_groups were not tested: ChiSquare grows no forests of permuted y to compare with.",)
    one = kmerf.independence(x[:, :1], y, method=SMALL, null=kmerf.Permutation(19), feature_groups={"it": [0]}, rng=1)
    assert one.notes == ("feature_groups were not tested: the test of the only feature is the test itself.",)


# --- pairs of groups --------------------------------------------------------------------------------------------------


def test_pairs_say_which_group_differs():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, 2))
    x[60:, 0] += 2.0
    groups = np.repeat(["a", "b", "c"], 30)
    result = kmerf.ksample(x, groups=groups, method=SMALL, pairwise=True, rng=1)
    found = {(pair.first, pair.second): pair for pair in result.pairwise}
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found["a", "c"].adjusted < 0.01
    assert found["b", "c"].adjusted < 0.01
    assert found["a", "b"].adjusted > 0.05
    text = str(result)
    assert "p, Holm" in text
    assert "a - c" in text
    again = kmerf.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again == result
    assert again.pairwise == result.pairwise


def test_a_pair_is_tested_on_its_own_rows_as_if_alone():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    groups = np.repeat(["a", "b", "c"], 20)
    dcorr = kmerf.rivals.Dcorr()
    pairs = kmerf.ksample(x, groups=groups, method=dcorr, null=kmerf.ChiSquare(), pairwise=True, rng=1).pairwise
    alone = kmerf.ksample(x[20:], groups=groups[20:], method=dcorr, null=kmerf.ChiSquare(), rng=1)
    assert pairs[2].statistic == alone.statistic
    assert pairs[2].pvalue == alone.pvalue


def test_pairs_keep_blocks():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    groups, subjects = np.tile(["a", "b", "c"], 20), np.repeat(np.arange(20), 3)
    x += 3.0 * rng.normal(size=(20, 1))[subjects]
    x[groups == "c"] += 1.0
    result = kmerf.ksample(
        x, groups=groups, blocks=subjects, method=SMALL, null=kmerf.Permutation(39), pairwise=True, rng=1
    )
    assert len(result.pairwise) == 3
    assert all(0 < pair.pvalue <= 1 for pair in result.pairwise)


def test_details_survive_json_and_work_for_groups():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    x[0, 0] = np.nan
    result = kmerf.ksample(x[:20], x[20:], method=SMALL, null=kmerf.Permutation(19), rng=1, details=True, interval=0.9)
    again = kmerf.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again == result
    assert again.details.rows.sum() == pytest.approx(result.statistic)


def test_old_results_without_reasons_can_be_read():
    result = kmerf.independence(*related(30), method=SMALL, null=kmerf.ChiSquare(), rng=1)
    data = result.to_dict()
    for name in ("features", "feature_groups", "effect", "pairwise", "details"):
        del data[name]
    assert kmerf.Result.from_dict(data).pvalue == result.pvalue


def test_a_forest_is_grown_again_bit_for_bit():
    sample = read_independence(*related(40))
    forest = grown(sample)
    first, again = forest.leaves(), forest.leaves(n_jobs=2)
    assert np.array_equal(again.codes, first.codes)
    assert np.array_equal(again.counts, first.counts)
    assert np.array_equal(forests.route(forest.trees(), sample.x.values), first.codes)
    parts = forest.each(lambda leaves: leaves.codes.copy())
    assert np.array_equal(np.concatenate(parts), first.codes)


@pytest.mark.parametrize("resamples", [1, 2])
def test_very_few_permutations_say_nothing_of_features(resamples):
    x = np.random.default_rng(0).normal(size=(30, 3))
    result = kmerf.independence(x, x[:, 0], method=kmerf.KMERF(kmerf.ForestSpec(10)), null=kmerf.Permutation(resamples))
    assert result.features is None
    assert result.pvalue >= 1 / (1 + resamples)
