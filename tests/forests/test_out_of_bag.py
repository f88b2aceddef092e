"""What a forest predicts for rows out of bag, and the AUC, against scikit-learn."""

import numpy as np
import pytest

from cases import grown, related
from kmerf.forests import fitted as oob
from kmerf.reading.samples import read_independence


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


def test_the_auc_is_scikit_learns():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    scores, positive = rng.random(40).round(1), rng.random(40) < 0.4  # with ties
    assert oob.auc(scores, positive) == pytest.approx(roc_auc_score(positive, scores))
