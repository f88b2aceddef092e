"""Tests from matrices, against hyppo's formulas and dcor."""

import dcor
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kmerf import InputError
from kmerf.compat.matrix_tests import BiasedCorrelation, Hoeffding, distance_matrix, kernel_matrix
from kmerf.methods.dcorr import Dcorr
from kmerf.methods.hhg import Neighbourhoods
from kmerf.methods.pair_matrices import correlation, matrix_correlation

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2))
ORDER = RNG.permutation(40)


def test_the_biased_correlation_is_dcors():
    statistic = BiasedCorrelation.of(cdist(X, X), cdist(Y, Y))
    for order in (np.arange(40), ORDER):
        assert statistic(order) == pytest.approx(dcor.distance_correlation(X, Y[order]), rel=1e-10)
    assert statistic.n == 40
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


def test_metrics_and_kernels():
    np.testing.assert_allclose(distance_matrix("cityblock", X), cdist(X, X, "cityblock"), rtol=1e-12)
    cubes = cdist(X, X, "minkowski", p=3)
    np.testing.assert_array_equal(distance_matrix(lambda x, p: cdist(x, x, "minkowski", p=p), X, p=3), cubes)
    assert distance_matrix(None, X @ X.T).shape == (40, 40)
    np.testing.assert_allclose(kernel_matrix("linear", X), X @ X.T, rtol=1e-12)
    np.testing.assert_allclose(kernel_matrix("rbf", X, gamma=0.5), np.exp(-0.5 * cdist(X, X, "sqeuclidean")), rtol=1e-9)
    assert kernel_matrix("precomputed", X @ X.T).shape == (40, 40)
    for function in (distance_matrix, kernel_matrix):
        with pytest.raises(InputError, match=r'x and y have shape \(40, 3\), .*: name a metric, such as "euclidean"'):
            function(None, X)
    with pytest.raises(InputError, match=r"x and y have shapes \(40, 3\) and \(40, 2\): pass one column"):
        Hoeffding.of(X, Y)
