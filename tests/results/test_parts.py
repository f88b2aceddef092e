"""Parts of a result survive a dictionary."""

import numpy as np
import pytest

import kmerf
from kmerf.results.parts import Importances, NullResult


@pytest.mark.parametrize("result", [NullResult("chi-square", 0.25), NullResult("permutation", 0.5, 0.1, np.ones(3))])
def test_a_null_result_survives_a_dictionary(result):
    assert NullResult.from_dict(result.to_dict()).to_dict() == result.to_dict()


def importances():
    x = np.random.default_rng(0).normal(size=(30, 12))
    small = kmerf.KMERF(forest=kmerf.ForestSpec(n_trees=30))
    return kmerf.independence(x, x[:, 0], method=small, null=kmerf.Permutation(19), rng=1).importances


def test_importances_are_losses_with_their_interval():
    table = importances()
    assert table.measure == "loss"
    assert (table.low <= table.mean).all()
    assert (table.mean <= table.high).all()
    assert table.scaled.min() == 0.0
    assert table.scaled.max() == 1.0
    assert table.names[int(np.argmax(table.mean))] == table.ranking[0]


def test_importances_without_a_measure_are_gains():
    saved = importances().to_dict()
    del saved["measure"]
    assert Importances.from_dict(saved).measure == "gain"
