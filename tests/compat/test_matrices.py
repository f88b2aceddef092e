"""Tests from matrices, against hyppo's formulas and dcor."""

import dcor
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kmerf import InputError
from kmerf.compat.hyppo.base import BiasedCorrelation, Hoeffding
from kmerf.methods.distance_tests import Dcorr, Neighbourhoods
from kmerf.methods.pair_matrices import correlation, matrix_correlation

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2))
ORDER = RNG.permutation(40)


def test_the_biased_correlation_is_dcors():
    statistic = BiasedCorrelation.of(cdist(X, X), cdist(Y, Y))
    for order in (np.arange(40), ORDER):
        assert statistic(order) == pytest.approx(dcor.distance_correlation(X, Y[order]), rel=1e-10)
    assert BiasedCorrelation.of(np.zeros((5, 5)), cdist(Y[:5], Y[:5]))(np.arange(5)) == 0.0


def test_the_unbiased_correlation_is_that_of_the_values_whatever_the_diagonal():
    from kmerf.engine.pairs import DISTANCE

    a, b = cdist(X, X), cdist(Y, Y)
    np.fill_diagonal(a, 7.0)
    found, expected = matrix_correlation(a, b), correlation(X, Y, DISTANCE)
    for order in (np.arange(40), ORDER):
        assert found(order) == pytest.approx(expected(order), rel=1e-10)
        assert found(order) == pytest.approx(dcor.u_distance_correlation_sqr(X, Y[order]), rel=1e-10)
    assert Dcorr().name == "Dcorr"


def test_neighbourhoods_of_distances_are_those_of_the_values():
    found, expected = Neighbourhoods.of_distances(cdist(X, X), cdist(Y, Y)), Neighbourhoods.of(X, Y)
    for order in (np.arange(40), ORDER):
        assert found(order) == pytest.approx(expected(order), rel=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_hoeffdings_d_is_hyppos(hyppo, ties):
    from hyppo.independence.hhg import hoeffdings

    a, b = X[:, :1], Y[:, :1] + X[:, :1]
    if ties:
        a, b = np.round(a), np.round(b)
    assert Hoeffding.of(a, b)(np.arange(40)) == pytest.approx(hoeffdings(a, b), rel=1e-10)
    assert Hoeffding.of(a, b)(ORDER) == pytest.approx(hoeffdings(a, b[ORDER]), rel=1e-10)


def test_hoeffdings_d_wants_single_columns():
    with pytest.raises(InputError, match=r"x and y have shapes \(40, 3\) and \(40, 2\): pass one column"):
        Hoeffding.of(X, Y)
