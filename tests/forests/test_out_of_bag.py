"""What a forest predicts for rows out of bag, and how good that is, against scikit-learn."""

import numpy as np
import pytest

import kmerf
from cases import grown, related
from kmerf.data.read_sample import read_independence
from kmerf.data.sample_values import Response
from kmerf.forests import out_of_bag as oob


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


def test_the_r2_of_ranks_is_not_spoilt_by_an_outlier():
    """Heights and masses, with one creature of 1,358 kg."""
    rng = np.random.default_rng(0)
    height = rng.normal(180.0, 20.0, 60)
    mass = height - 100.0 + rng.normal(0.0, 5.0, 60)
    mass[7] = 1358.0
    y = Response(mass[:, None], ("mass",), "numeric", None, ())
    guess = (height - 100.0)[:, None]
    assert oob.score(guess, y)[1] < 0.1
    assert oob.rank_score(guess, y) > 0.6
    assert oob.rank_score(-guess, y) < -0.6
    classes = Response(np.eye(2)[[0, 1]], ("g",), "categorical", np.array([0, 1]), ("a", "b"))
    assert oob.rank_score(np.eye(2), classes) is None
    assert oob.rank_correlation(np.ones(4), np.arange(4.0)) == 0.0
